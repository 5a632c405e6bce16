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

} // namespace
