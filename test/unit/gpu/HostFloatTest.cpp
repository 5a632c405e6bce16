//===- HostFloatTest.cpp - Kernels and the host's floating point ----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels compute the same bits however the launching thread rounds, flushes
// or traps, and leave that thread's state as it was.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

#include <cfenv>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace gevo::gpu;

namespace {

class HostFloatTest : public KernelTest {
protected:
  /// Subnormal products, a quotient, integers, sums, and a constant that the
  /// module has in decimal.
  std::vector<uint32_t> compute() {
    put(0, 1e-39f);
    put(1, 0.7f);
    put(1, 2.3e-308);
    put(4, 2.3f);
    runClean(R"(
ld.global.f32 %f1, [%out]; ld.global.f32 %f2, [%out+4];
ld.global.f64 %fd1, [%out+8]; ld.global.f32 %f3, [%out+16];
mul.f32 %f4, %f1, %f2; st.global.f32 [%out+32], %f4;
div.rn.f32 %f5, %f2, %f3; st.global.f32 [%out+36], %f5;
mul.f64 %fd2, %fd1, 0d3FE0000000000000; st.global.f64 [%out+40], %fd2;
cvt.rni.s32.f32 %r1, %f3; st.global.u32 [%out+48], %r1;
cvt.rpi.s32.f32 %r2, %f3; st.global.u32 [%out+52], %r2;
add.rm.f32 %f6, %f2, %f3; st.global.f32 [%out+56], %f6;
mul.f32 %f7, %f2, %f3; st.global.f32 [%out+60], %f7;
mov.f64 %fd3, 0.1; st.global.f64 [%out+64], %fd3;
)",
             {1, 1, 1});
    std::vector<uint32_t> Words;
    for (unsigned K = 8; K < 18; ++K)
      Words.push_back(at(K));
    return Words;
  }
};
} // namespace

TEST_F(HostFloatTest, RoundingModesStayOutside) {
  std::vector<uint32_t> Expected = compute();
  EXPECT_EQ(Expected[4], 2u);
  EXPECT_EQ(Expected[5], 3u);
  for (int Mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(Mode);
    std::vector<uint32_t> Got = compute();
    int After = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(Got, Expected) << Mode;
    EXPECT_EQ(After, Mode);
  }
}

TEST_F(HostFloatTest, ExceptionsStayInside) {
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  compute();
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_OVERFLOW);
  std::feclearexcept(FE_ALL_EXCEPT);
}

#if defined(__x86_64__)
TEST_F(HostFloatTest, FlushesAndTrapsStayOutside) {
  constexpr unsigned FlushAndDaz = 0x8040, Invalid = 1u << 7;
  std::vector<uint32_t> Expected = compute();
  EXPECT_NE(Expected[0], 0u);
  unsigned Old = _mm_getcsr();
  for (unsigned State : {Old | FlushAndDaz, Old & ~Invalid}) {
    _mm_setcsr(State);
    std::vector<uint32_t> Got = compute();
    runClean("mov.f32 %f1, 0f7F800000; sub.f32 %f1, %f1, %f1;");
    unsigned After = _mm_getcsr();
    _mm_setcsr(Old);
    EXPECT_EQ(Got, Expected) << State;
    EXPECT_EQ(After & ~0x3fu, State & ~0x3fu);
  }
}
#endif
