//===- QuantitiesTest.cpp - What a profile counts, by hand ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each quantity of a profile, for programs of a few instructions of which it
// can be counted on paper. Instructions are issued as they stand.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

class Quantities : public ::testing::Test {
protected:
  /// The profile of the line of \p Body that ends with "//@", of launch number
  /// \p Launches of the same kernel.
  InstructionProfile marked(const std::string &Body, uint32_t Threads = 32,
                            unsigned Launches = 1) {
    std::string Ptx = kernel(P, ".param .u64 a", R"(
.reg .u64 %a, %rd<5>; .reg .u32 %t, %r<9>; .reg .f32 %f<9>; .reg .pred %p<4>;
.shared .align 16 .b8 s[8192];
ld.param.u64 %a, [a]; mov.u32 %t, %tid.x;
mul.wide.u32 %rd0, %t, 4; add.u64 %rd0, %a, %rd0; mov.u32 %r0, 0;
)" + Body);
    Bench B(P, Ptx);
    B.Time.setTextOrder(true);
    uint64_t Buffer = B.Gpu.allocate(65536);
    LaunchTiming T;
    for (unsigned K = 0; K < Launches; ++K)
      T = B.run("k", {1, 1, 1}, {Threads, 1, 1}, {Buffer});
    size_t Mark = Ptx.find("//@");
    EXPECT_NE(Mark, std::string::npos);
    auto Line =
        uint32_t(1 + std::count(Ptx.begin(), Ptx.begin() + long(Mark), '\n'));
    InstructionProfile Sum;
    const ptx::Function &F = *B.Module->kernel("k")->functions()[0];
    for (size_t K = 0; K < F.Code.size(); ++K)
      if (F.Code[K].Line == Line)
        Sum.add(T.Profile[0][K]);
    return Sum;
  }

  static uint64_t stalls(const InstructionProfile &I, Stall Why) {
    // Whatever it waits for, it is for one thing at a time.
    EXPECT_EQ(I.stallCycles(), I.Stalls[unsigned(Why)]) << stallName(Why);
    return I.Stalls[unsigned(Why)];
  }

  Profile P = profileNamed("V100");
};

TEST_F(Quantities, IssuesAndLanes) {
  // Ten rounds of a whole warp and of half a one.
  InstructionProfile I = marked(R"(
L: add.u32 %r0, %r0, 1; //@
setp.lt.u32 %p1, %r0, 10; @%p1 bra L;
st.global.u32 [%rd0], %r0;
)",
                                48);
  EXPECT_EQ(I.Issues, 20u);
  EXPECT_EQ(I.Lanes, 10u * (32 + 16));
  EXPECT_EQ(I.Requests, 0u);
}

TEST_F(Quantities, LanesOfAPartedWarp) {
  InstructionProfile I = marked(R"(
setp.ge.u32 %p1, %t, 5; @%p1 bra E;
ld.global.u32 %r1, [%rd0]; //@
add.u32 %r1, %r1, 1; st.global.u32 [%rd0], %r1;
E:
)",
                                64);
  EXPECT_EQ(I.Issues, 1u);
  EXPECT_EQ(I.Lanes, 5u);
  EXPECT_EQ(I.Requests, 1u);
  EXPECT_EQ(I.Sectors, 1u);
}

TEST_F(Quantities, SectorsOfARequest) {
  struct {
    unsigned Stride, Offset, Sectors;
  } Cases[] = {{0, 0, 1},   {4, 0, 4},    {4, 4, 5},  {8, 0, 8},
               {32, 0, 32}, {128, 0, 32}, {4, 128, 4}};
  for (auto C : Cases) {
    InstructionProfile I =
        marked("mul.wide.u32 %rd1, %t, " + std::to_string(C.Stride) +
                   "; add.u64 %rd1, %rd1, %a;\nld.global.u32 %r1, [%rd1+" +
                   std::to_string(C.Offset) +
                   "]; //@\nst.global.u32 [%rd0+32768], %r1;\n",
               64);
    // The second warp starts where the first ends.
    EXPECT_EQ(I.Requests, 2u);
    EXPECT_EQ(I.Sectors, 2 * C.Sectors) << C.Stride << " " << C.Offset;
  }
}

TEST_F(Quantities, BankConflicts) {
  struct {
    unsigned Stride, Conflicts;
  } Cases[] = {{0, 0}, {4, 0}, {8, 1}, {12, 0}, {16, 3}, {128, 31}, {132, 0}};
  for (auto C : Cases) {
    InstructionProfile I = marked("mov.u32 %r2, s; mad.lo.u32 %r2, %t, " +
                                  std::to_string(C.Stride) +
                                  ", %r2;\nst.shared.u32 [%r2], %t; //@\n"
                                  "bar.sync 0; ld.shared.u32 %r3, [%r2]; "
                                  "st.global.u32 [%rd0], %r2;\n");
    EXPECT_EQ(I.Requests, 1u);
    EXPECT_EQ(I.BankConflicts, C.Conflicts) << C.Stride;
    EXPECT_EQ(I.Sectors, 0u);
  }
}

TEST_F(Quantities, CacheHits) {
  const std::string First = "ld.global.u32 %r1, [%rd0]; //@\n",
                    Wait = "and.b32 %r1, %r1, 0; cvt.u64.u32 %rd1, %r1;"
                           "add.u64 %rd1, %rd0, %rd1;\n",
                    Store = "st.global.u32 [%rd0+4096], %r1;\n";
  // Nobody has it; then L2 does, from the launch before; then L1.
  InstructionProfile Cold = marked(First + Store),
                     Warm = marked(First + Store, 32, 2),
                     Again = marked("ld.global.u32 %r1, [%rd0];\n" + Wait +
                                    "ld.global.u32 %r1, [%rd1]; //@\n" + Store);
  for (const InstructionProfile &I : {Cold, Warm, Again})
    EXPECT_EQ(I.Sectors, 4u);
  EXPECT_EQ(Cold.L1Hits + Cold.L2Hits, 0u);
  EXPECT_EQ(Warm.L1Hits, 0u);
  EXPECT_EQ(Warm.L2Hits, 4u);
  EXPECT_EQ(Again.L1Hits, 4u);
  EXPECT_EQ(Again.L2Hits, 0u);
}

/// One cycle of each wait is that of the instruction before.
// From Volta on L1 keeps the sectors that a warp's store writes from end to
// end, until L1 is emptied.
TEST_F(Quantities, StoredDataIsInL1) {
  const std::string Store = "st.global.u32 [%rd0], %t;\n",
                    Load = "ld.global.u32 %r1, [%rd0]; //@\n"
                           "st.global.u32 [%rd0+4096], %r1;\n";
  struct {
    const char *What;
    std::string Stores;
    unsigned Hits;
  } Cases[] = {
      {"all", Store, 4},
      {"two and a half", "setp.lt.u32 %p0, %t, 20; @%p0 " + Store, 2},
      {"halves of all",
       "mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %a, %rd1;\n"
       "st.global.u64 [%rd1], %rd1;\n",
       0},
      {"one word of each",
       "and.b32 %r2, %t, 7; setp.eq.u32 %p0, %r2, 0; @%p0 " + Store, 0},
      {"all, at L2", "st.global.cg.u32 [%rd0], %t;\n", 0},
      {"a part of what is there",
       "ld.global.u32 %r3, [%rd0]; add.u32 %r3, %r3, %t;\n"
       "setp.lt.u32 %p0, %t, 20; @%p0 st.global.u32 [%rd0], %r3;\n",
       4},
      {"all, before L1 is emptied", Store + "membar.gl;\n", 0},
      {"all, behind that", "membar.gl;\n" + Store, 4},
  };
  for (const char *Model :
       {"P100", "GTX1080Ti", "V100", "A100", "H100", "RTX4090"}) {
    P = profileNamed(Model);
    for (const auto &C : Cases) {
      InstructionProfile I = marked(C.Stores + Load);
      EXPECT_EQ(I.Sectors, 4u) << Model << ", " << C.What;
      if (P.Arch >= 70)
        EXPECT_EQ(I.L1Hits, C.Hits) << Model << ", " << C.What;
      else if (std::strcmp(C.What, "a part of what is there"))
        EXPECT_EQ(I.L1Hits, 0u) << Model << ", " << C.What;
    }
  }
}

TEST_F(Quantities, StallsForResults) {
  const std::string Store = "st.global.f32 [%rd0], %f2;\n";
  EXPECT_EQ(stalls(marked("cvt.rn.f32.u32 %f0, %t;\nadd.f32 %f1, %f0, %f0;\n"
                          "add.f32 %f2, %f1, %f1; //@\n" +
                          Store),
                   Stall::Arithmetic),
            P.pipe(Unit::Fp32).Latency - 1);
  EXPECT_EQ(stalls(marked("mov.u32 %r1, s; ld.shared.f32 %f1, [%r1];\n"
                          "add.f32 %f2, %f1, %f1; //@\n" +
                          Store),
                   Stall::Shared),
            P.SharedLatency - 1);
  EXPECT_EQ(stalls(marked("mov.u32 %r1, s; atom.shared.add.f32 %f1, [%r1], "
                          "0f3F800000;\nadd.f32 %f2, %f1, %f1; //@\n" +
                              Store,
                          1),
                   Stall::Atomic),
            P.SharedLatency + P.SharedAtomicStep - 2);
  // From L1, where the first load has brought it.
  EXPECT_EQ(stalls(marked("ld.global.f32 %f1, [%rd0]; cvt.rzi.u32.f32 %r1, %f1;"
                          "and.b32 %r1, %r1, 0; cvt.u64.u32 %rd1, %r1;"
                          "add.u64 %rd1, %rd0, %rd1;\n"
                          "ld.global.f32 %f1, [%rd1];\n"
                          "add.f32 %f2, %f1, %f1; //@\n" +
                          Store),
                   Stall::Global),
            P.L1Latency - 1);
}

TEST_F(Quantities, StallsAtBarriersFencesAndBranches) {
  EXPECT_EQ(stalls(marked("bar.sync 0;\nadd.u32 %r1, %t, 1; //@\n"
                          "st.global.u32 [%rd0], %r1;\n"),
                   Stall::Barrier),
            P.pipe(Unit::Barrier).Latency - 1);
  EXPECT_EQ(stalls(marked("st.global.u32 [%rd0], %t;\nmembar.gl; //@\n"),
                   Stall::Fence),
            P.L2Latency - 1);
  // Nine of ten rounds come from the branch.
  EXPECT_EQ(stalls(marked("ld.global.u32 %r2, [%rd0];\n"
                          "L: add.u32 %r1, %t, %r0; //@\n"
                          "add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 10;"
                          "st.global.u32 [%rd0], %r1; @%p1 bra L;\n"
                          "st.global.u32 [%rd0], %r2;\n"),
                   Stall::Branch),
            9 * (P.pipe(Unit::Branch).Latency - 1));
}

TEST_F(Quantities, StallsForPipesAndTurns) {
  // Two that do not depend on each other.
  EXPECT_EQ(
      stalls(marked("add.u32 %r1, %t, 1;\nadd.u32 %r2, %t, 2; //@\n"
                    "xor.b32 %r1, %r1, %r2; st.global.u32 [%rd0], %r1;\n"),
             Stall::Pipe),
      P.pipe(Unit::Int).Interval - 1);
  // Five warps of four schedulers leave a barrier at once: two have one. The
  // second waits for the first one's turn, and then for the pipe.
  const std::string Body = "bar.sync 0;\nadd.u32 %r1, %t, 1; //@\n"
                           "add.u32 %r1, %r1, %r1;\n"
                           "st.global.u32 [%rd0], %r1;\n";
  for (uint64_t Interval : {1, 2}) {
    P.Pipes[unsigned(Unit::Int)].Interval = Interval;
    InstructionProfile I = marked(Body, 160);
    EXPECT_EQ(I.Stalls[unsigned(Stall::Selected)], 1u) << Interval;
    EXPECT_EQ(I.Stalls[unsigned(Stall::Pipe)], Interval - 1);
  }
}

} // namespace
