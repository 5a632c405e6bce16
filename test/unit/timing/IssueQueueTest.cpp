//===- IssueQueueTest.cpp - When warps can issue --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The queue of a scheduler says of random warps and pipes what a list of times
// says, with any number of warps, also for times that are far away and when its
// base has moved.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/IssueQueue.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace gevo::gpu::timing;

namespace {

/// The same, warp by warp.
struct Model {
  struct Warp {
    Unit Pipe = Unit::None;
    uint64_t Ready = Never;
  };
  std::vector<Warp> Warps; ///< By place.
  uint64_t Free[NumUnits + 1] = {};

  uint64_t when(const Warp &W) const {
    return std::max(W.Ready, Free[unsigned(W.Pipe)]);
  }
  unsigned oldest(uint64_t Now, Unit But) const {
    for (unsigned K = 0; K < Warps.size(); ++K)
      if (when(Warps[K]) <= Now && Warps[K].Pipe != But)
        return K;
    return IssueQueue::NoPlace;
  }
  uint64_t next() const {
    uint64_t Time = Never;
    for (const Warp &W : Warps)
      Time = std::min(Time, when(W));
    return Time;
  }
};

class Warps : public testing::TestWithParam<unsigned> {};

TEST_P(Warps, IssueAsTheirTimesSay) {
  std::mt19937_64 Random(GetParam());
  IssueQueue Q;
  Model M;
  uint64_t Now = 0;
  auto Push = [&](unsigned Place) {
    uint64_t Delay = Random() % 9;
    if (Random() % 50 == 0)
      Delay = Random() % 200000;
    M.Warps[Place] = {Unit(Random() % NumUnits), Now + Delay};
    EXPECT_EQ(Q.push(Place, M.Warps[Place].Pipe, Now + Delay),
              M.when(M.Warps[Place]));
  };
  for (unsigned Step = 0; Step < 20000; ++Step) {
    if (Q.mustMove(Now))
      for (uint64_t Again = Q.moveBase(Now); Again; Again &= Again - 1) {
        unsigned K = unsigned(__builtin_ctzll(Again));
        Q.push(K, M.Warps[K].Pipe, M.Warps[K].Ready);
      }
    ASSERT_EQ(Q.size(), M.Warps.size());
    unsigned Place = Q.oldest(Now);
    ASSERT_EQ(Place, M.oldest(Now, Unit::None));
    ASSERT_EQ(Q.oldestBut(Unit::Memory, Now), M.oldest(Now, Unit::Memory));
    if (M.Warps.size() < GetParam() && Random() % 4 == 0) {
      ASSERT_EQ(Q.add(), M.Warps.size());
      M.Warps.emplace_back();
      Push(unsigned(M.Warps.size() - 1));
    } else if (Place == IssueQueue::NoPlace) {
      // As the clock does, go to where something happens.
      ASSERT_EQ(Q.next(), M.next());
      Now = std::max(Now + 1, std::min(M.next(), Now + 300000));
    } else {
      ASSERT_TRUE(Q.canIssue(Place, Now));
      Unit U = M.Warps[Place].Pipe;
      ASSERT_EQ(Q.pipeOf(Place), U);
      M.Free[unsigned(U)] = Now + 1 + Random() % 8;
      M.Warps[Place].Ready = Never;
      // Times that are past are all the same.
      uint64_t Next = Q.take(Place, U, M.Free[unsigned(U)]);
      ASSERT_EQ(std::max(Next, Now), std::max(M.next(), Now));
      ASSERT_EQ(Q.freeAt(U), M.Free[unsigned(U)]);
      ASSERT_TRUE(Q.anyBusy(M.Free[unsigned(U)] - 1));
      if (Random() % 8) {
        Push(Place);
      } else {
        Q.remove(Place);
        M.Warps.erase(M.Warps.begin() + Place);
      }
      ++Now;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(IssueQueues, Warps,
                         testing::Values(1, 2, 8, 15, 16, 17, 32, 48, 64),
                         testing::PrintToStringParamName());

} // namespace
