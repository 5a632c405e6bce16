//===- DoubtTest.cpp - Warnings that a variant may not add ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel hands a value from block to block through a flag. Without the
// reader's fence it still computes the same, so a program may have that and is
// warned; a variant that lost the fence fails.
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"
#include "test/unit/measure/Kernels.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace gevo;
using namespace gevo::measure;

namespace {

std::string handOver(const std::string &Acquire) {
  return test::kernel("  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra E;\n"
                      "  setp.ne.u32 %p2, %r1, 0;\n  @%p2 bra R;\n"
                      "  st.global.u32 [data], 7;\n  membar.gl;\n"
                      "  st.volatile.global.u32 [flag], 1;\n  bra E;\n"
                      "R:\n  ld.volatile.global.u32 %r5, [flag];\n"
                      "  setp.eq.u32 %p1, %r5, 0;\n  @%p1 bra R;\n" +
                          Acquire +
                          "  ld.global.u32 %r6, [data];\n"
                          "  st.global.u32 [%at], %r6;\nE:\n",
                      ".global .u32 flag;\n.global .u32 data;\n");
}

TEST(DoubtTest, AVariantMayNotLoseTheFence) {
  constexpr uint64_t Out = 0x200000010100;
  std::string Error;
  DeviceOptions Options;
  Options.Library = GEVO_GPU_LIBRARY;
  std::unique_ptr<Device> D = Device::open(Options, Error);
  ASSERT_TRUE(D) << Error;
  capture::Case C;
  capture::Launch L;
  L.Kernel = "k";
  L.Grid = {2, 1, 1};
  L.Block = {32, 1, 1};
  L.Params.resize(16);
  std::memcpy(L.Params.data() + 8, &Out, 8);
  C.Launches.push_back(L);
  // The first thread of the second block writes.
  C.Buffers.push_back(capture::Buffer::output(Out + 32 * 4, {0, 0, 0, 0},
                                              {7, 0, 0, 0}, ElementType::S32));
  C.WarpInstructions = 1000;
  Replay R(*D, C);
  ReplayOptions O;
  O.Variant = true;
  ReplayResult Good = R.run(handOver("  membar.gl;\n"), O);
  EXPECT_TRUE(Good.passed()) << Good.Reason;
  EXPECT_TRUE(Good.Findings.empty());
  ReplayResult Bad = R.run(handOver(""), O);
  EXPECT_EQ(Bad.Result, Outcome::Finding);
  EXPECT_EQ(Bad.Reason.find("race-no-acquire: "), 0u) << Bad.Reason;
  // The program itself may be so, and then its variants may.
  const Finding &Found = Bad.Findings.at(0);
  EXPECT_EQ(Found.Memory, "data");
  O.AcceptedFindings.insert(findingKey(Found.Kernel, Found.Kind, "others"));
  // Other text is another module, whose variables are zero again.
  EXPECT_FALSE(R.run(handOver("// 2\n"), O).passed()) << "of other memory";
  O.AcceptedFindings.insert(findingKey(Found.Kernel, Found.Kind, Found.Memory));
  EXPECT_TRUE(R.run(handOver("// 3\n"), O).passed());
  O.AcceptedFindings = {findingKey(Found.Kernel, Found.Kind, Found.Memory, 2)};
  EXPECT_FALSE(R.run(handOver("// 5\n"), O).passed()) << "the first of them";
  O = {};
  ReplayResult Program = R.run(handOver("// 4\n"), O);
  EXPECT_TRUE(Program.passed()) << Program.Reason;
  ASSERT_EQ(Program.Findings.size(), 1u);
  EXPECT_FALSE(Program.Findings[0].IsError);
}

TEST(DoubtTest, FindingsOfAKindAreNumbered) {
  EXPECT_EQ(findingKey("k", "race", "arg1"), "k race arg1");
  EXPECT_EQ(findingKey("k", "race", "arg1", 2), "k race arg1 (2)");
  EXPECT_EQ(unnumbered("k race arg1 (2)"), "k race arg1");
  std::map<std::string, unsigned> Counts = countFindings(
      {"k race arg1", "k race arg1 (2)", "k race arg10", "k trap"});
  EXPECT_EQ(Counts.size(), 3u);
  EXPECT_EQ(Counts["k race arg1"], 2u);
}

} // namespace
