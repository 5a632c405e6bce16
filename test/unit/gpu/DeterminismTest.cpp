//===- DeterminismTest.cpp - The same bits on every run -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose result and findings would depend on the order of threads, were
// that not fixed, gives the same on every run and from any number of threads
// of the host at once. So do the clocks that a kernel reads.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

#include <thread>

using namespace gevo::gpu;

namespace {

/// Floats are added in the order of arrival, a word is raced for, and lanes
/// wait for each other.
const char *Body =
    "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 96, %t;\n"
    "cvt.rn.f32.u32 %f1, %r2; add.f32 %f1, %f1, 0f3DCCCCCD;\n"
    "rcp.rn.f32 %f2, %f1; atom.global.add.f32 %f3, [%out], %f2;\n"
    "atom.global.exch.b32 %r3, [%out+4], %r2;\n"
    "st.global.u32 [%out+8], %r2; ld.global.u32 %r4, [%out+12];\n"
    "st.global.u32 [%out+12], %t;\n"
    "L: atom.global.cas.b32 %r5, [%out+16], 0, 1; setp.ne.u32 %p1, %r5, 0;\n"
    "@%p1 bra L; ld.global.f32 %f4, [%out+20]; fma.rn.f32 %f4, %f4, %f2, %f2;\n"
    "st.global.f32 [%out+20], %f4; atom.global.exch.b32 %r6, [%out+16], 0;\n"
    "st.global.u32 [%mine+64], %r3; mov.u32 %r7, %clock;\n"
    "st.global.u32 [%mine+512], %r7; mov.u64 %rd1, %globaltimer;\n"
    "st.global.u32 [%mine+1024], %rd1;";

/// All that a launch may differ in, but for where memory lies.
class Once : public KernelTest {
public:
  Once() : KernelTest(70) {}
  std::string look() {
    put<uint64_t>(0, 0);
    D.set(Out, 0, 4, BufferBytes / 4);
    LaunchResult R = run(Body, {96, 1, 1}, CheckSet::all(), {7, 1, 1});
    std::string Seen(reinterpret_cast<const char *>(Out), BufferBytes);
    Seen += launchStatusName(R.Status);
    for (Finding F : R.Findings) {
      F.Message.clear();
      Seen += F.str() + std::to_string(F.Address - Out) + '\n';
    }
    const LaunchCounters &C = R.Counters;
    return Seen + std::to_string(C.ThreadInstructions) + ' ' +
           std::to_string(C.DivergentBranches);
  }
  void TestBody() override {}
};

TEST(Determinism, AnyNumberOfHostThreads) {
  std::string First = Once().look();
  EXPECT_NE(First.find("race-global"), std::string::npos)
      << "there must be findings to compare";
  for (unsigned Threads : {1u, 3u, 8u}) {
    // GoogleTest's flags are saved by each fixture, which only one thread may.
    std::vector<Once> Each(Threads);
    std::vector<std::string> Seen(Threads);
    std::vector<std::thread> All;
    for (unsigned T = 0; T < Threads; ++T)
      All.emplace_back([&Each, &Seen, T] { Seen[T] = Each[T].look(); });
    for (std::thread &T : All)
      T.join();
    for (const std::string &S : Seen)
      EXPECT_EQ(S, First) << Threads << " threads";
  }
}

class ClockTest : public KernelTest {};

TEST_F(ClockTest, TimeGoesOn) {
  // Two instructions lie between the first two reads, a loop before the last.
  std::string Read = "mov.u32 %r1, %clock; add.u32 %r2, %r1, 1;\n"
                     "add.u32 %r2, %r2, 1; mov.u32 %r3, %clock;\n"
                     "mov.u64 %rd1, %globaltimer; mov.u32 %r4, 0;\n"
                     "L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 5000;\n"
                     "@%p1 bra L; mov.u64 %rd2, %globaltimer;\n"
                     "mov.u64 %rd3, %clock64; sub.u32 %r3, %r3, %r1;\n"
                     "st.global.u32 [%out], %r3; sub.u64 %rd4, %rd2, %rd1;\n"
                     "st.global.u64 [%out+8], %rd4;\n"
                     "st.global.u64 [%out+16], %rd3;\n"
                     "st.global.u64 [%out+24], %rd2;";
  runClean(Read, {1, 1, 1});
  EXPECT_EQ(at(0), 3u);
  // 15,000 instructions of one cycle at 1.38 GHz.
  EXPECT_NEAR(double(at<uint64_t>(1)), 15000 / 1.38, 10);
  EXPECT_GT(at<uint64_t>(2), 15000u);
  uint64_t Before = at<uint64_t>(3);
  runClean(Read, {1, 1, 1});
  EXPECT_GT(at<uint64_t>(3), Before) << "from launch to launch as well";
}

} // namespace
