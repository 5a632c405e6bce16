//===- SamplingTest.cpp - Samples differ, and weights add up --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/Sampling.h"

#include <gtest/gtest.h>

#include <set>

using namespace gevo::capture;

namespace {

/// Runs launches through a sampling as the driver does.
struct Program {
  explicit Program(size_t Max) : S(Max) {}

  void launch(const std::string &Grid, const std::string &Arguments,
              uint64_t Instructions) {
    LaunchShape Shape{Grid, Arguments};
    bool Recorded = S.wants(Shape);
    Sampling::Verdict V =
        S.add(Shape, {Instructions, 32 * Instructions}, Recorded, Next);
    EXPECT_TRUE(Recorded || !V.Keep);
    if (V.Keep)
      Kept.insert(Next++);
    if (V.Drop)
      EXPECT_EQ(Kept.erase(*V.Drop), 1u);
  }
  uint64_t weights() const {
    uint64_t Sum = 0;
    for (const Sampling::Sample &X : S.samples())
      Sum += X.Weight;
    return Sum;
  }
  void check() {
    S.settle();
    EXPECT_EQ(weights(), S.launches());
    EXPECT_EQ(Kept.size(), S.samples().size());
    for (const Sampling::Sample &X : S.samples())
      EXPECT_TRUE(Kept.count(X.Number));
  }

  Sampling S;
  std::set<size_t> Kept;
  size_t Next = 0;
};

TEST(Sampling, EqualLaunchesAreOneSample) {
  Program P(4);
  for (int K = 0; K < 100000; ++K)
    P.launch("1", "a", 100);
  P.check();
  ASSERT_EQ(P.S.samples().size(), 1u);
  EXPECT_EQ(P.S.samples()[0].Weight, 100000u);
  EXPECT_LT(P.S.recordings(), 20u);
}

TEST(Sampling, GridsArgumentsAndBehaviourDiffer) {
  Program P(4);
  for (int K = 0; K < 30; ++K) {
    P.launch("1", "a", 100);
    P.launch("2", "a", 100);
    P.launch("1", "b", 100);
    P.launch("1", "a", 5000);
  }
  P.check();
  EXPECT_EQ(P.S.samples().size(), 4u);
  for (const Sampling::Sample &X : P.S.samples())
    EXPECT_EQ(X.Weight, 30u);
}

TEST(Sampling, ARareLaunchCountsForTheOneLikeIt) {
  // The first of them comes when nobody expects one, and is not recorded.
  Program P(4);
  for (int K = 0; K < 40; ++K)
    P.launch("1", "a", K % 10 == 9 ? 10000 : 100);
  P.check();
  ASSERT_EQ(P.S.samples().size(), 2u);
  EXPECT_EQ(P.S.samples()[0].Weight, 36u);
  EXPECT_EQ(P.S.samples()[1].Weight, 4u);
}

TEST(Sampling, WeightsFollowWhatIsKept) {
  // Samples come and go; each launch counts for the nearest that is left.
  Program P(2);
  for (int K = 0; K < 16; ++K)
    for (uint64_t N : {100, 400, 110, 5000, 5500, 90})
      P.launch("1", "a", N);
  P.check();
  ASSERT_EQ(P.S.samples().size(), 2u);
  EXPECT_EQ(P.S.samples()[0].Did[0], 100u);
  EXPECT_EQ(P.S.samples()[0].Weight, 64u) << "400 is nearer to 100";
  EXPECT_EQ(P.S.samples()[1].Weight, 32u);
}

TEST(Sampling, FewSamplesAreSpread) {
  // A frontier that grows and shrinks, as in a breadth-first search.
  Program P(3);
  for (int Round = 0; Round < 50; ++Round)
    for (uint64_t N : {10, 11, 12, 1000, 1010, 100000, 1020, 13})
      P.launch("1", "a", N);
  P.check();
  ASSERT_EQ(P.S.samples().size(), 3u);
  std::set<int> Sizes;
  for (const Sampling::Sample &X : P.S.samples())
    Sizes.insert(X.Did[0] < 100 ? 1 : X.Did[0] < 10000 ? 2 : 3);
  EXPECT_EQ(Sizes.size(), 3u);
}

TEST(Sampling, RecordingsStayFewWhenEveryLaunchIsNew) {
  Program P(4);
  for (int K = 0; K < 10000; ++K)
    P.launch("1", std::to_string(K), 100 + uint64_t(K));
  P.check();
  EXPECT_EQ(P.S.samples().size(), 4u);
  EXPECT_LT(P.S.recordings(), 10000u / 16 + 20);
}

} // namespace
