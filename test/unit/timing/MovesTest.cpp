//===- MovesTest.cpp - Machine code that is mostly moves ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembler makes thousands of moves of a long kernel. Each is issued with
// the stretch that it stands in, and finding that takes no time worth
// mentioning, however far it is to what says which stretch that is.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

#include <ctime>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

TEST(Moves, AreManyAndArePlacedInNoTime) {
  constexpr size_t Many = 30000;
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k(.param .u64 a) {\n.reg .u32 %r<4>; "
                    ".reg .pred %p; .reg .u64 %d<4>;\n"
                    "ld.param.u64 %d1, [a];\n"
                    "ld.global.u32 %r1, [%d1];\n"
                    "L: ld.global.u32 %r2, [%d1+64];\n"
                    "add.u32 %r1, %r1, %r2;\nsetp.ne.u32 %p, %r1, 64;\n"
                    "@%p bra L;\nst.global.u32 [%d1], %r1;\nret;\n}\n";
  std::vector<SassRow> Rows = {{7, "LDG.E"}};
  auto Move = [&] { Rows.resize(Rows.size() + Many, {12, "MOV"}); };
  // Behind the only access, before and behind those of the loop, and in a
  // stretch that has none, which belongs to the loop before it.
  Move();
  Rows.push_back({12, "MOV", true});
  Move();
  Rows.insert(Rows.end(), {{8, "LDG.E"}, {9, "IADD3"}, {10, "ISETP.NE"}});
  Move();
  Rows.push_back({11, "BRA"});
  Move();
  Rows.insert(Rows.end(), {{12, "STG.E", true}, {13, "EXIT"}});
  std::clock_t Start = std::clock();
  SassFunction F = costsOf(Ptx, Rows);
  EXPECT_LT((std::clock() - Start) / CLOCKS_PER_SEC, 10);
  EXPECT_EQ(F[0].size(), Many);
  EXPECT_EQ(F[2].size(), 3 * Many + 2);
}

} // namespace
