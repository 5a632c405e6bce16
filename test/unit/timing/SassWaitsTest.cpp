//===- SassWaitsTest.cpp - Counters that machine code waits for -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has six counters of what is on its way. Loads that share one are
// waited for together, whichever of them is read.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

using Regs = std::vector<uint16_t>;

/// A row of a listing: \p Counter has the results outstanding, \p Awaits is the
/// mask of the counters to wait for, at the places of the encoding.
std::string row(const std::string &Text, uint64_t Counter = 7,
                uint64_t Awaits = 0) {
  char Word[32];
  std::snprintf(
      Word, sizeof(Word), "0x%016llx",
      (unsigned long long)(uint64_t(1) << 41 | Counter << 46 | Awaits << 52));
  return "        /*0000*/    " + Text +
         " ;   /* 0x0000000000000001 */\n             /* " + Word + " */\n";
}

/// \p Free are the places of rows that are not issued.
std::vector<Regs> awaited(const std::string &Rows,
                          const std::vector<size_t> &Free = {}) {
  Result<SassModule> M =
      parseListing("\t.section\t.text.k,\"ax\",@progbits\nk:\n" + Rows);
  EXPECT_TRUE(M);
  if (!M)
    return {};
  std::vector<bool> IsFree(M->at("k").Code.size());
  for (size_t K : Free)
    IsFree.at(K) = true;
  return awaitedRegisters(M->at("k"), IsFree);
}

TEST(SassWaits, LoadsOfOneCounterAreAwaitedTogether) {
  EXPECT_EQ(awaited(row("LDG.E R4, [R2]", 0) + row("LDG.E R5, [R2+0x80]", 0) +
                    row("LDG.E R6, [R2+0x100]", 1) +
                    row("FADD R7, R4, R4", 7, 1) +
                    row("FADD R8, R5, R6", 7, 2)),
            (std::vector<Regs>{{}, {}, {}, {5}, {}}));
  // What the encoding of the listing has is read from its second half.
  Result<SassModule> M = parseListing(
      "\t.section\t.text.k,\"ax\",@progbits\nk:\n" + row("EXIT", 3, 33));
  ASSERT_TRUE(M);
  EXPECT_EQ(M->at("k").Code[0].Counter, 3u);
  EXPECT_EQ(M->at("k").Code[0].Awaits, 33u);
}

TEST(SassWaits, WhatWasAwaitedOrWrittenAgainIsNotAwaited) {
  EXPECT_EQ(awaited(row("LDG.E R4, [R2]", 0) + row("FADD R7, R4, R4", 7, 1) +
                    row("LDG.E R5, [R2]", 0) + row("FADD R7, R4, R5", 7, 1)),
            (std::vector<Regs>(4)));
  EXPECT_EQ(awaited(row("LDG.E R4, [R2]", 0) + row("LDG.E R4, [R3]", 1) +
                    row("FADD R7, R8, R8", 7, 1)),
            (std::vector<Regs>(3)));
}

TEST(SassWaits, NothingPassesACopyThatWaits) {
  EXPECT_EQ(awaited(row("LDG.E R4, [R2]", 0) +
                        row("MOV R9, c[0x0][0x4]", 7, 1) +
                        row("FADD R7, R8, R8"),
                    {1}),
            (std::vector<Regs>{{}, {}, {4}}));
  // Nor several of them.
  EXPECT_EQ(awaited(row("LDG.E R4, [R2]", 0) + row("LDG.E R5, [R2]", 1) +
                        row("MOV R9, c[0x0][0x4]", 7, 1) +
                        row("MOV R10, c[0x0][0x8]", 7, 2) +
                        row("FADD R7, R8, R8"),
                    {2, 3}),
            (std::vector<Regs>{{}, {}, {}, {}, {4, 5}}));
}

TEST(SassWaits, WhatStandsBehindAnExitIsReachedFromElsewhere) {
  EXPECT_EQ(awaited(row("LDG.E R4, [R2]", 0) + row("EXIT") +
                    row("FADD R7, R8, R8", 7, 1)),
            (std::vector<Regs>(3)));
  EXPECT_EQ(awaited(row("LDG.E R4, [R2]", 0) + row("@P0 EXIT") +
                    row("FADD R7, R8, R8", 7, 1)),
            (std::vector<Regs>{{}, {}, {4}}));
}

/// A line of PTX and the machine instruction that was made of it.
struct Made {
  uint32_t Line;
  const char *Opcode;
  const char *Registers;
  uint8_t Counter = 7;
  uint8_t Awaits = 0;
};

/// The operands of the sum, line 8, of a kernel with this machine code.
Regs operandsOfSum(const std::vector<Made> &Code) {
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k(.param .u64 a) { .reg .f32 %f<5>; "
                    ".reg .u64 %d<4>;\n"
                    "ld.param.u64 %d1, [a];\n"
                    "ld.global.f32 %f1, [%d1];\n"
                    "ld.global.f32 %f2, [%d1+256];\n"
                    "add.f32 %f3, %f1, %f1;\n"
                    "st.global.f32 [%d1], %f3;\nret;\n}\n";
  Profile P = profileNamed("V100");
  Bench B(P, Ptx);
  SassListing L;
  for (const Made &M : Code) {
    SassInstruction I;
    I.Line = M.Line;
    I.Opcode = M.Opcode;
    I.Counter = M.Counter;
    I.Awaits = M.Awaits;
    findRegisters(I, M.Registers);
    L.Code.push_back(I);
  }
  return costsFromSass(P, *B.Module->kernel("k")->functions()[0], L)[3]
      .at(0)
      .Sources;
}

TEST(SassWaits, TheClockWaitsForWhatIsAwaited) {
  auto WithCounter = [](uint8_t OfSecond) {
    return operandsOfSum({{6, "LDG.E", " R4, [R2]", 0},
                          {7, "LDG.E", " R5, [R2+0x100]", OfSecond},
                          {8, "FADD", " R6, R4, R4", 7, 1}});
  };
  EXPECT_EQ(WithCounter(0), (Regs{4, 4, 5}));
  EXPECT_EQ(WithCounter(1), (Regs{4, 4}));
}

// Whether an opcode is issued depends on its operands and on its PTX, too: a
// parameter is free, and the sum waits in its place.
TEST(SassWaits, TheClockWaitsBehindWhatIsFree) {
  auto Between = [](const Made &Waits) {
    return operandsOfSum({{7, "LDG.E", " R5, [R2+0x100]", 0},
                          Waits,
                          {8, "FADD", " R6, R4, R4"}});
  };
  EXPECT_EQ(Between({5, "LDC", " R9, c[0x0][0x160]", 7, 1}), (Regs{4, 4, 5}));
  // What is issued waits itself.
  EXPECT_EQ(Between({5, "HFMA2.MMA", " R9, -RZ, RZ, 0, 0", 7, 1}),
            (Regs{4, 4}));
  EXPECT_EQ(Between({5, "IADD3", " R9, R10, R11, RZ", 7, 1}), (Regs{4, 4}));
}

// Sixteen loads that stand before their first use cannot have a counter each:
// the uses wait for at least ten that they do not read.
TEST(SassWaits, SixCountersForManyLoads) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  Profile P = profileNamed("V100");
  std::string Body = ".reg .f32 %f<40>; .reg .u64 %d<4>;\n"
                     "ld.param.u64 %d1, [a];\n";
  for (unsigned K = 0; K < 16; ++K)
    Body += "ld.global.f32 %f" + std::to_string(K) + ", [%d1+" +
            std::to_string(K * 4096) + "];\n";
  for (unsigned K = 0; K < 16; ++K)
    Body += "fma.rn.f32 %f20, %f" + std::to_string(K) + ", %f20, %f20;\n";
  Body += "st.global.f32 [%d1], %f20;";
  std::string Ptx = kernel(P, ".param .u64 a", Body);
  const SassModule *M = machineCode(Ptx, P.Arch);
  const SassListing &L = M->at("k");
  size_t Shared = 0;
  for (const Regs &R :
       awaitedRegisters(L, std::vector<bool>(L.Code.size(), false)))
    Shared += R.size();
  EXPECT_GE(Shared, 16u - 6u);
}

// Nobody reads what CAS PT, RZ returns, but its counter says when it is done:
// who awaits that waits, the operation itself one turn later, too.
TEST(SassWaits, ADroppedResultIsAwaitedByItsCounter) {
  Result<SassModule> M = parseListing(
      "\t.section\t.text.k,\"ax\",@progbits\nk:\n" +
      row("ATOMG.E.CAS.STRONG.GPU PT, RZ, [R2], R6, R7", 5, 32) +
      row("ATOMG.E.ADD.STRONG.GPU PT, R4, [R2], R6", 1) +
      row("RED.E.ADD.STRONG.GPU [R2], R7") + row("ATOMS.ADD RZ, [R2], R7") +
      row("IADD3 R8, R9, R9, RZ", 7, 34));
  ASSERT_TRUE(M);
  SassListing &L = M->at("k");
  giveCounters(L);
  constexpr uint16_t Fifth = FirstSassCounter + 5;
  EXPECT_EQ(L.Code[0].Results, Regs{Fifth});
  EXPECT_EQ(L.Code[1].Results, Regs{4});
  EXPECT_EQ(L.Code[2].Results, Regs());
  EXPECT_EQ(L.Code[3].Results, Regs());
  EXPECT_EQ(awaitedRegisters(L, std::vector<bool>(5)),
            (std::vector<Regs>{{Fifth}, {}, {}, {}, {4, Fifth}}));
}

/// The cycles of 32 turns of a loop that does \p Atomic with words in L2 that
/// lie apart, and then \p After.
uint64_t cyclesOfAtomics(const std::string &Atomic, const std::string &After,
                         const std::string &Pragma) {
  Profile P = profileNamed("V100");
  Bench B(P,
          kernel(P, ".param .u64 a, .param .u64 n",
                 ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p1;\n"
                 "ld.param.u64 %d1, [a];\nmov.u64 %d2, %d1;\n"
                 "ld.param.u32 %r0, [n];\n"
                 "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nL: " +
                     Pragma + "atom.global." + Atomic + "\n" + After +
                     "\nadd.s64 %d1, %d1, 4096;\nadd.u32 %r1, %r1, 1;\n"
                     "setp.ne.u32 %p1, %r1, %r0;\n@%p1 bra L;\n"
                     "st.global.u32 [%d2], %r2;"),
          true);
  uint64_t A = B.Gpu.allocate(33 * 4096);
  B.Time.copied(B.Gpu, A, 33 * 4096);
  return B.run("k", {1, 1, 1}, {32, 1, 1}, {A, 32}).Cycles;
}

TEST(SassWaits, AtomicsWithDroppedResultsFollowEachOther) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  uint64_t Latency = profileNamed("V100").AtomicLatency;
  const std::string Whole = ".pragma \"nounroll\";\n",
                    Use = "add.u32 %r2, %r2, %r3;";
  for (const char *Atomic :
       {"cas.b32 %r3, [%d1], 0, 1;", "exch.b32 %r3, [%d1], 1;"}) {
    uint64_t Dropped = cyclesOfAtomics(Atomic, "", Whole),
             Used = cyclesOfAtomics(Atomic, Use, Whole);
    // The sum and the turn stand behind the wait in one and not in the other.
    EXPECT_LT(Dropped, Used) << Atomic;
    EXPECT_GT(Dropped, Used - 32 * 40) << Atomic;
    EXPECT_GT(Dropped, 32 * Latency) << Atomic;
    // ptxas unrolls the loop by four, and the first of each waits.
    uint64_t Unrolled = cyclesOfAtomics(Atomic, "", "");
    EXPECT_GT(Unrolled, 4 * Latency) << Atomic;
    EXPECT_LT(Unrolled, 12 * Latency) << Atomic;
  }
  // One that has a form without a result waits for nothing.
  const char *Add = "add.u32 %r3, [%d1], 1;";
  EXPECT_LT(cyclesOfAtomics(Add, "", Whole), 10 * Latency);
}

} // namespace
