//===- LaunchScenarioTest.cpp - What tells captured launches apart --------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/LaunchRunner.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace gevo;

namespace {

/// A launch of (pointer to eight bytes that it writes, 64-bit number).
LaunchScenario scenario(uint64_t Address, uint64_t Number) {
  capture::Case C;
  C.Buffers.push_back(capture::Buffer::output(Address, capture::Bytes(8, 1),
                                              capture::Bytes(8, 2),
                                              capture::ElementType::U32));
  capture::Launch L;
  L.Kernel = "k";
  L.Params.resize(16);
  std::memcpy(&L.Params[0], &Address, 8);
  std::memcpy(&L.Params[8], &Number, 8);
  C.Launches.push_back(L);
  LaunchScenario S;
  S.Captured.Cases.push_back(C);
  return S;
}

} // namespace

// What was measured for one of them must not be taken for another: a program
// may take numbers from its environment, of which its command says nothing.
TEST(LaunchScenario, IsAnotherWithOtherParameters) {
  std::string First = scenario(0x1000, 3).identity();
  EXPECT_EQ(First, scenario(0x1000, 3).identity());
  EXPECT_NE(First, scenario(0x1000, 4).identity());
}

TEST(LaunchScenario, IsTheSameElsewhereInMemory) {
  EXPECT_EQ(scenario(0x1000, 3).identity(), scenario(0x7000, 3).identity());
  LaunchScenario Inside = scenario(0x1000, 3);
  Inside.Captured.Cases[0].Launches[0].Params[0] = 4;
  EXPECT_NE(Inside.identity(), scenario(0x1000, 3).identity());
}

TEST(LaunchScenario, IsAnotherWithOtherMemory) {
  std::string First = scenario(0x1000, 3).identity();
  LaunchScenario S = scenario(0x1000, 3);
  capture::Buffer &B = S.Captured.Cases[0].Buffers[0];
  B.Size = 16;
  EXPECT_NE(First, S.identity()) << "bounds";
  B.Size = 8;
  EXPECT_EQ(First, S.identity());
  B.Pieces[0].After[3] ^= 1;
  EXPECT_NE(First, S.identity()) << "what is expected";
}
