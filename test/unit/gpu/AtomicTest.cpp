//===- AtomicTest.cpp - Registers of vector atomics -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomics on vectors read all of their operands before they write a result.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {
class AtomicTest : public KernelTest {
protected:
  AtomicTest() : KernelTest(90) {}
};
} // namespace

TEST_F(AtomicTest, ResultsOfAVectorMayBeItsOperands) {
  put(0, 10.0f);
  put(1, 20.0f);
  runClean("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;\n"
           "atom.global.v2.f32.add {%f1, %f2}, [%out], {%f2, %f1};\n"
           "st.global.v2.f32 [%out+8], {%f1, %f2};",
           {1, 1, 1});
  EXPECT_EQ(at<float>(0), 12.0f);
  EXPECT_EQ(at<float>(1), 21.0f);
  EXPECT_EQ(at<float>(2), 10.0f);
  EXPECT_EQ(at<float>(3), 20.0f);
}

TEST_F(AtomicTest, SoWithEightHalves) {
  // 1.0 to 8.0 in memory and in registers, which take the old values in
  // another order.
  const uint16_t Halves[] = {0x3c00, 0x4000, 0x4200, 0x4400,
                             0x4500, 0x4600, 0x4700, 0x4800};
  for (unsigned K = 0; K < 8; ++K)
    put(K, Halves[K]);
  runClean(".reg .b16 %h<8>;\n"
           "ld.global.v4.b16 {%h0, %h1, %h2, %h3}, [%out];\n"
           "ld.global.v4.b16 {%h4, %h5, %h6, %h7}, [%out+8];\n"
           "atom.global.v8.f16.add.noftz {%h7, %h6, %h5, %h4, %h3, %h2, %h1, "
           "%h0}, [%out], {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7};\n"
           "st.global.v4.b16 [%out+16], {%h7, %h6, %h5, %h4};\n"
           "st.global.v4.b16 [%out+24], {%h3, %h2, %h1, %h0};",
           {1, 1, 1});
  const uint16_t Twice[] = {0x4000, 0x4400, 0x4600, 0x4800,
                            0x4900, 0x4a00, 0x4b00, 0x4c00};
  for (unsigned K = 0; K < 8; ++K) {
    EXPECT_EQ(at<uint16_t>(K), Twice[K]) << K;
    EXPECT_EQ(at<uint16_t>(8 + K), Halves[K]) << K;
  }
}
