//===- SpecialTest.cpp - Registers that hardware sets ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of special registers in the widths and vectors that PTX gives them.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {
class SpecialTest : public KernelTest {};
} // namespace

TEST_F(SpecialTest, ParallelIndicesInOneMove) {
  runClean("mov.u32 %r20, %ctaid.x; setp.ne.u32 %p1, %r20, 2; @%p1 exit;"
           "mov.v4.u32 {%r1, %r2, %r3, %r4}, %clusterid;"
           "mov.v4.u32 {%r5, %r6, %r7, %r8}, %nclusterid;"
           "mov.v4.u32 {%r9, _, _, %r10}, %cluster_ctaid;"
           "mov.v4.u32 {%r11, %r12, %r13, %r14}, %cluster_nctaid;"
           "st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};"
           "st.global.v4.u32 [%out+16], {%r5, %r6, %r7, %r8};"
           "st.global.v2.u32 [%out+32], {%r9, %r10};"
           "st.global.v4.u32 [%out+48], {%r11, %r12, %r13, %r14};",
           {1, 1, 1}, {3, 1, 1});
  std::vector<uint32_t> Got;
  for (unsigned K : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15})
    Got.push_back(at(K));
  EXPECT_EQ(Got,
            (std::vector<uint32_t>{2, 0, 0, 0, 3, 1, 1, 0, 0, 0, 1, 1, 1, 0}));
}

TEST_F(SpecialTest, EachGridHasANumberWithALowPart) {
  uint64_t Last = 0;
  for (int Launch = 0; Launch < 2; ++Launch) {
    runClean("mov.u64 %rd1, %gridid; mov.u32 %r1, %gridid; mov.u16 %rs1, "
             "%gridid; cvt.u32.u16 %r2, %rs1; mov.b32 %r3, %gridid;"
             "setp.ne.u32 %p1, %t, 31; @%p1 exit;"
             "st.global.u64 [%out], %rd1; st.global.u32 [%out+8], %r1;"
             "st.global.u32 [%out+12], %r2; st.global.u32 [%out+16], %r3;");
    EXPECT_GT(at<uint64_t>(0), Last);
    Last = at<uint64_t>(0);
    EXPECT_EQ(at(2), at(0));
    EXPECT_EQ(at(3), at(0) & 0xffff);
    EXPECT_EQ(at(4), at(0));
  }
}
