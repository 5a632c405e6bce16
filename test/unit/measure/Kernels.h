//===- Kernels.h - Kernels that the tests of replays use --------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is written as the body that computes with the thread's number in
// %i, its place in %at (out + 4 * i) and %from (in + 4 * i).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_MEASURE_KERNELS_H
#define GEVO_TEST_UNIT_MEASURE_KERNELS_H

#include <string>

namespace gevo::test {

inline std::string kernel(const std::string &Body,
                          const std::string &Variables = "",
                          const std::string &Name = "k") {
  return ".version 7.0\n.target sm_70\n.address_size 64\n" + Variables +
         ".visible .entry " + Name +
         "(.param .u64 in, .param .u64 out)\n{\n"
         "  .reg .pred %p<4>;\n  .reg .b32 %i, %r<16>;\n"
         "  .reg .b64 %at, %from, %rd<16>;\n  .reg .f32 %f<8>;\n"
         "  .shared .align 4 .b8 words[256];\n"
         "  ld.param.u64 %from, [in];\n  ld.param.u64 %at, [out];\n"
         "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n"
         "  mov.u32 %r3, %tid.x;\n  mad.lo.s32 %i, %r1, %r2, %r3;\n"
         "  mul.wide.u32 %rd1, %i, 4;\n  add.s64 %from, %from, %rd1;\n"
         "  add.s64 %at, %at, %rd1;\n" +
         Body + "  ret;\n}\n";
}

} // namespace gevo::test

#endif // GEVO_TEST_UNIT_MEASURE_KERNELS_H
