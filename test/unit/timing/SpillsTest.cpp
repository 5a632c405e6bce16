//===- SpillsTest.cpp - Values that do not fit into registers -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the assembler stores to local memory and loads again because registers
// are few has no line of its own in PTX: it takes time, in proportion to how
// often it is executed, and profiles have it.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

constexpr unsigned Values = 40;

/// A loop of 50 rounds over 40 values that depend on each other; \p Limit of
/// registers.
std::string manyValues(const Profile &P, const std::string &Limit) {
  std::string Body = ".reg .f32 %f<48>; .reg .u64 %rd<4>; .reg .u32 %r<9>; "
                     ".reg .pred %p;\n"
                     "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;\n"
                     "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;\n";
  auto Number = [](unsigned K) { return std::to_string(K); };
  for (unsigned K = 0; K < Values; ++K)
    Body +=
        "ld.global.f32 %f" + Number(K) + ", [%rd2+" + Number(512 * K) + "];\n";
  Body += "mov.u32 %r1, 0;\nL:\n.pragma \"nounroll\";\n";
  for (unsigned K = 0; K < Values; ++K)
    Body += "fma.rn.f32 %f" + Number(K) + ", %f" + Number((K + 7) % Values) +
            ", %f" + Number((3 * K + 1) % Values) + ", %f" + Number(K) + ";\n";
  Body += "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 50;\n@%p bra L;\n";
  for (unsigned K = 0; K < Values; ++K)
    Body +=
        "st.global.f32 [%rd2+" + Number(512 * K) + "], %f" + Number(K) + ";\n";
  std::string Text = kernel(P, ".param .u64 out", Body);
  return Text.insert(Text.find(" {"), Limit);
}

struct Spilled {
  uint64_t Cycles = 0, Requests = 0, Sectors = 0;
};
Spilled timed(const Profile &P, const std::string &Ptx) {
  Bench B(P, Ptx, true);
  uint64_t Out = B.Gpu.allocate(65536);
  LaunchTiming T = B.run("k", {1, 1, 1}, {128, 1, 1}, {Out});
  EXPECT_EQ(T.Source, CostSource::Sass);
  Spilled S;
  S.Cycles = T.Cycles;
  for (const InstructionProfile &I : T.Profile[0]) {
    S.Requests += I.Requests;
    S.Sectors += I.Sectors;
  }
  return S;
}

TEST(Spills, TakeTimeAndAreInTheProfile) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  for (const char *Name : {"V100", "A100", "H100", "RTX4090"}) {
    Profile P = profileNamed(Name);
    std::string Few = manyValues(P, " .maxnreg 24 ");
    Spilled Free = timed(P, manyValues(P, "")), Bound = timed(P, Few);
    // Loads and stores of four warps, four sectors each.
    EXPECT_EQ(Free.Requests, 4u * 2 * Values) << Name;
    EXPECT_EQ(Free.Sectors, 4 * Free.Requests) << Name;
    // What the machine code has of them between the loop's label and its branch
    // is executed in each of 50 rounds.
    const SassListing &L = machineCode(Few, P.Arch)->at("k");
    uint64_t Once = 0, InLoop = 0;
    size_t First = 0, Last = 0;
    for (size_t K = 0; K < L.Code.size(); ++K) {
      if (!First && L.Code[K].Label)
        First = K;
      if (First && !Last && L.Code[K].Guarded &&
          !L.Code[K].Opcode.compare(0, 3, "BRA"))
        Last = K;
    }
    ASSERT_LT(First, Last) << Name;
    for (size_t K = 0; K < L.Code.size(); ++K)
      if (accessesLocal(L.Code[K].Opcode))
        ++(K >= First && K <= Last ? InLoop : Once);
    EXPECT_GT(InLoop, 20u) << Name;
    uint64_t Spills = Bound.Requests - Free.Requests;
    EXPECT_EQ(Spills, 4 * (50 * InLoop + Once)) << Name;
    EXPECT_GE(Bound.Sectors, 4 * Bound.Requests) << Name;
    EXPECT_GT(double(Bound.Cycles), 1.5 * double(Free.Cycles)) << Name;
  }
}

// Of a loop of two copies, half of the spills are issued in each iteration; a
// line that accesses local memory itself has none.
TEST(Spills, AreDividedAmongCopies) {
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k() { .reg .u32 %r<9>; .reg .f32 %f<9>; "
                    ".reg .pred %p; .local .b32 l;\n"
                    "L: fma.rn.f32 %f0, %f0, %f1, %f2;\n"
                    "st.local.f32 [l], %f0;\n"
                    "add.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, 64;\n"
                    "@%p bra L;\nret;\n}\n";
  SassFunction F = costsOf(Ptx, {{5, "FFMA", true},
                                 {5, "STL.64"},
                                 {6, "STL"},
                                 {5, "STL.64"},
                                 {5, "FFMA"},
                                 {5, "STL.64"},
                                 {6, "STL"},
                                 {5, "STL"},
                                 {7, "IADD3"},
                                 {8, "ISETP.NE"},
                                 {9, "BRA"}});
  unsigned Spills = 0, Accesses = 0;
  for (const auto &Ops : F)
    for (const SassOp &Op : Ops) {
      Spills += Op.What == SassOp::Spill;
      Accesses += Op.What == SassOp::Access;
      if (Op.What == SassOp::Spill)
        EXPECT_EQ(Op.Latency, 8u);
    }
  EXPECT_EQ(Spills, 2u);
  EXPECT_EQ(Accesses, 1u);
}

} // namespace
