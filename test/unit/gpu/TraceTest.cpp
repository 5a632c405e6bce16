//===- TraceTest.cpp - What a trace says ----------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One memory instruction executed with one pattern of addresses after another:
// each entry of the trace is that of its own pattern, whatever was remembered
// from the one before. Alike runs are stored once.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {

class TraceTest : public KernelTest {
protected:
  /// The traces of a launch of one block.
  BlockTrace trace(const std::string &Body, Dim3 Block = {32, 1, 1},
                   uint64_t After = 0) {
    auto M = D.load(module(Body, ".shared .align 128 .b8 s[8192];"));
    EXPECT_TRUE(M) << (M ? "" : M.error().str());
    LaunchOptions O;
    O.Block = Block;
    O.Params = &Out;
    O.ParamBytes = 8;
    auto Session = LaunchSession::create(D, *(*M)->kernel("k"), O);
    BlockTrace T;
    EXPECT_TRUE((*Session)->runBlock(0, &T, After));
    EXPECT_EQ((*Session)->result().Status, LaunchStatus::Ok);
    Executed = (*Session)->result().Counters.WarpInstructions;
    return T;
  }

  uint64_t Executed = 0; ///< Warp instructions of the last launch.

  /// The accesses of \p W to \p Space, in order.
  static std::vector<TraceAccess> accesses(const WarpTrace &W,
                                           TraceSpace Space) {
    std::vector<TraceAccess> All;
    for (const TraceRun *R : W.Runs)
      for (const TraceAccess &A : R->Accesses)
        if (A.Space == Space)
          All.push_back(A);
    return All;
  }
};

TEST_F(TraceTest, HintsAccessNothing) {
  BlockTrace T = trace("prefetch.global.L1 [%out]; prefetchu.L1 [%out];\n"
                       "discard.global.L2 [%out], 128;\n"
                       "applypriority.global.L2::evict_normal [%out], 128;\n"
                       "st.global.u32 [%mine], %t; prefetch.L2 [%mine];");
  EXPECT_EQ(accesses(T.Warps[0], TraceSpace::Global).size(), 1u);
}

TEST_F(TraceTest, EachStrideHasItsSectors) {
  // Strides of 4, 8, ... 128 bytes, then 4 again, but from an odd word.
  BlockTrace T = trace("mov.u32 %r1, 2;\n"
                       "L: shl.b32 %r2, %t, %r1; cvt.u64.u32 %rd1, %r2;\n"
                       "add.u64 %rd1, %out, %rd1; ld.global.u32 %r3, [%rd1];\n"
                       "add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, 6;\n"
                       "@%p1 bra L;\n"
                       "ld.global.u32 %r3, [%mine+4];");
  auto Loads = accesses(T.Warps[0], TraceSpace::Global);
  ASSERT_EQ(Loads.size(), 6u);
  unsigned Sectors[] = {4, 8, 16, 32, 32, 5}, Lines[] = {1, 2, 4, 8, 16, 2},
           Turns[] = {1, 2, 4, 8, 16, 1};
  for (unsigned K = 0; K < 6; ++K) {
    EXPECT_EQ(Loads[K].NumSectors, Sectors[K]) << K;
    EXPECT_EQ(Loads[K].NumLines, Lines[K]) << K;
    EXPECT_EQ(Loads[K].Degree, Turns[K]) << K;
  }
  // The sectors of each stand for its first turn.
  EXPECT_EQ(T.Accesses.Sectors, 97u);
  EXPECT_EQ(T.Accesses.Turns, 32u - 6);
}

TEST_F(TraceTest, LinesFollowTheAddress) {
  BlockTrace T = trace("mov.u32 %r1, 0;\n"
                       "L: mul.wide.u32 %rd1, %r1, 512;\n"
                       "add.u64 %rd1, %mine, %rd1; ld.global.u32 %r3, [%rd1];\n"
                       "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4;\n"
                       "@%p1 bra L;\n");
  const WarpTrace &W = T.Warps[0];
  ASSERT_EQ(W.Lines.size(), 4u);
  for (unsigned K = 1; K < 4; ++K) {
    EXPECT_EQ(lineOf(W.Lines[K]) - lineOf(W.Lines[0]), 4 * K);
    EXPECT_EQ(sectorsOf(W.Lines[K]), 15);
  }
}

TEST_F(TraceTest, StoresTellWhichSectorsTheyWriteWhole) {
  // In a row; from the second word on; every second word; backwards; one place.
  BlockTrace T =
      trace("st.global.u32 [%mine], %t; st.global.u32 [%mine+4], %t;\n"
            "mul.wide.u32 %rd2, %t, 4; add.u64 %rd1, %mine, %rd2;\n"
            "st.global.u32 [%rd1], %t;\n"
            "add.u64 %rd1, %out, 124; sub.u64 %rd1, %rd1, %rd2;\n"
            "st.global.u32 [%rd1], %t; st.global.u32 [%out], %r1;\n"
            "ld.global.u32 %r2, [%mine];\n");
  std::vector<unsigned> Whole;
  for (uint64_t Line : T.Warps[0].Lines)
    Whole.push_back(wholeOf(Line));
  EXPECT_EQ(Whole, (std::vector<unsigned>{15, 14, 0, 0, 0, 15, 0, 0}));
}

TEST_F(TraceTest, EachPatternHasItsBankConflicts) {
  // Strides of 1, 2, ... 32 words.
  BlockTrace T = trace("mov.u64 %rd2, s; mov.u32 %r1, 2;\n"
                       "L: shl.b32 %r2, %t, %r1; cvt.u64.u32 %rd1, %r2;\n"
                       "add.u64 %rd1, %rd2, %rd1; st.shared.u32 [%rd1], %t;\n"
                       "add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, 7;\n"
                       "@%p1 bra L;\n");
  auto Stores = accesses(T.Warps[0], TraceSpace::Shared);
  ASSERT_EQ(Stores.size(), 6u);
  for (unsigned K = 0; K < 6; ++K)
    EXPECT_EQ(Stores[K].Degree, 1u << K);
  EXPECT_EQ(T.Accesses.Sectors, 0u);
  EXPECT_EQ(T.Accesses.Turns, 63u);
}

TEST_F(TraceTest, OtherLanesAreAnotherPattern) {
  // The first 8, 16, 24 and 32 lanes.
  BlockTrace T = trace("mov.u32 %r1, 8;\n"
                       "L: setp.lt.u32 %p2, %t, %r1;\n"
                       "@%p2 ld.global.u32 %r3, [%mine];\n"
                       "add.u32 %r1, %r1, 8; setp.le.u32 %p1, %r1, 32;\n"
                       "@%p1 bra L;\n");
  auto Loads = accesses(T.Warps[0], TraceSpace::Global);
  ASSERT_EQ(Loads.size(), 4u);
  for (unsigned K = 0; K < 4; ++K) {
    EXPECT_EQ(Loads[K].NumSectors, K + 1);
    EXPECT_EQ(Loads[K].Mask, uint32_t((uint64_t(1) << 8 * (K + 1)) - 1));
  }
}

TEST_F(TraceTest, AlikeRunsAreOne) {
  BlockTrace T = trace("mov.u32 %r1, 0;\n"
                       "L: mul.wide.u32 %rd1, %r1, 128;\n"
                       "add.u64 %rd1, %mine, %rd1; ld.global.u32 %r3, [%rd1];\n"
                       "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9;\n"
                       "@%p1 bra L;\n",
                       {128, 1, 1});
  ASSERT_EQ(T.Warps.size(), 4u);
  // The entry, then nine times the loop; the first round is part of the entry.
  for (const WarpTrace &W : T.Warps) {
    ASSERT_EQ(W.Runs.size(), T.Warps[0].Runs.size());
    EXPECT_EQ(W.Runs, T.Warps[0].Runs);
    EXPECT_EQ(W.Runs[1], W.Runs[7]);
  }
  EXPECT_NE(lineOf(T.Warps[0].Lines[0]), lineOf(T.Warps[1].Lines[0]));
}

TEST_F(TraceTest, BeginsLate) {
  for (const char *Barrier : {"", "bar.sync 0;"}) {
    std::string Body = std::string("mov.u32 %r1, 0;\nL: ") + Barrier +
                       "ld.global.u32 %r3, [%mine]; add.u32 %r1, %r1, 1;\n"
                       "setp.lt.u32 %p1, %r1, 1000; @%p1 bra L;\n";
    Dim3 Block = {128, 1, 1};
    EXPECT_EQ(trace(Body, Block).instructions(), Executed);
    uint64_t Whole = Executed;
    for (uint64_t After : {Whole / 9, Whole / 2, Whole - 1000}) {
      BlockTrace T = trace(Body, Block, After);
      EXPECT_EQ(Executed, Whole);
      ASSERT_EQ(T.Warps.size(), 4u);
      // It begins at a branch; warps that wait arrive once more.
      EXPECT_NEAR(double(T.instructions()), double(Whole - After), 16);
      EXPECT_EQ(T.Warps[3].End, TraceEnd::Final);
    }
    EXPECT_TRUE(trace(Body, Block, Whole).Warps.empty());
  }
}

TEST_F(TraceTest, AnEndlessLaunchDoesNotFillMemory) {
  // One that does the same again and again, and one with other lanes each time.
  for (const char *Body :
       {"L: ld.global.u32 %r3, [%mine]; bra L;",
        "L: add.u32 %r1, %r1, 1; shr.u32 %r2, %r1, %t; and.b32 %r2, %r2, 1;\n"
        "setp.eq.u32 %p1, %r2, 1; @%p1 ld.global.u32 %r3, [%mine]; bra L;"}) {
    auto M = D.load(module(Body));
    ASSERT_TRUE(M);
    LaunchOptions O;
    O.Block = {32, 1, 1};
    O.Params = &Out;
    O.ParamBytes = 8;
    O.TraceBytes = 8 << 20;
    auto Session = LaunchSession::create(D, *(*M)->kernel("k"), O);
    BlockTrace T;
    EXPECT_FALSE((*Session)->runBlock(0, &T));
    const LaunchResult &R = (*Session)->result();
    EXPECT_EQ(R.Status, LaunchStatus::Timeout);
    EXPECT_EQ(R.Message, "what the launch did takes more than 8 MiB before it "
                         "can be timed; run it without timing");
    // It was noticed soon: a run has a pointer, or at most 200 bytes.
    EXPECT_LT(R.Counters.WarpInstructions, uint64_t(8 << 20));
  }
}

TEST_F(TraceTest, OwnMemoryOfTheProgramHasAPlaceByNumber) {
  alignas(4096) static char First[8192], Second[8192];
  GlobalMemory M(uint64_t(1) << 24), N(uint64_t(1) << 24);
  ASSERT_TRUE(M.registerHost(First, sizeof First));
  ASSERT_TRUE(N.registerHost(Second, sizeof Second));
  auto At = [](const char *P) { return reinterpret_cast<uint64_t>(P); };
  EXPECT_EQ(M.offsetOf(At(First) + 100), N.offsetOf(At(Second) + 100));
  EXPECT_EQ(M.offsetOf(At(First) + 100) - M.offsetOf(At(First)), 100u);
  uint64_t A = M.allocate(64, MemoryKind::Device),
           B = N.allocate(64, MemoryKind::Device);
  EXPECT_EQ(M.offsetOf(A), N.offsetOf(B));
  EXPECT_NE(M.offsetOf(A), M.offsetOf(At(First)));
}

} // namespace
