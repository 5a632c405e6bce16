//===- CacheTest.cpp - The tags of a cache --------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Caches of every associativity that profiles have replace the line that was
// used least recently, whichever way they keep the ages, also after they went
// back to what was kept. Lists of fetches keep their order.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Cache.h"
#include "runtime/gpu/timing/Fetch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace gevo::gpu::timing;

namespace {

/// A list of tags per set, the oldest first.
struct Model {
  explicit Model(uint64_t Sets) : Tags(Sets) {}
  std::vector<std::vector<uint64_t>> Tags;

  /// Whether \p Tag was there; the tag that had to go is in \p Evicted.
  bool use(uint64_t Set, uint64_t Tag, uint64_t Ways, uint64_t &Evicted) {
    std::vector<uint64_t> &T = Tags[Set];
    auto It = std::find(T.begin(), T.end(), Tag);
    bool There = It != T.end();
    Evicted = ~uint64_t(0);
    if (There) {
      T.erase(It);
    } else if (T.size() == Ways) {
      Evicted = T.front();
      T.erase(T.begin());
    }
    T.push_back(Tag);
    return There;
  }
};

class Ways : public testing::TestWithParam<unsigned> {};

TEST_P(Ways, TheOldestLineGoes) {
  constexpr uint64_t Sets = 4;
  uint64_t NumWays = GetParam();
  Cache C(Sets, NumWays);
  Model M(Sets);
  std::mt19937_64 Random(NumWays);
  std::vector<uint64_t> PlaceOf(Sets * 2 * NumWays, 0);
  auto Step = [&] {
    uint64_t Tag = Random() % PlaceOf.size(), Set = C.setOf(Tag), Want;
    bool There = M.use(Set, Tag, NumWays, Want);
    CacheLine *L =
        Tag & 1 && There ? C.findAt(PlaceOf[Tag], Set, Tag) : C.find(Set, Tag);
    ASSERT_EQ(L != nullptr, There);
    EvictedLine Evicted;
    if (!L) {
      L = C.replace(Set, Tag, Evicted);
      ASSERT_EQ(Evicted.Tag, Want);
    }
    PlaceOf[Tag] = C.placeOf(L);
  };
  for (unsigned K = 0; K < 2000; ++K)
    Step();
  Cache Kept = C.keep();
  Model KeptModel = M;
  for (unsigned Round = 0; Round < 3; ++Round) {
    for (unsigned K = 0; K < 300; ++K)
      Step();
    C.recall(Kept);
    M = KeptModel;
  }
  C.clear();
  M = Model(Sets);
  for (unsigned K = 0; K < 2000; ++K)
    Step();
}

// What stands behind the last way of the last set is no line.
TEST_P(Ways, NothingIsFoundBehindTheLastSet) {
  constexpr uint64_t Sets = 2;
  Cache C(Sets, GetParam());
  EvictedLine Evicted;
  C.replace(Sets - 1, 1, Evicted);
  for (uint64_t Tag = 2; Tag < 200000; ++Tag)
    ASSERT_EQ(C.find(Sets - 1, Tag), nullptr) << Tag;
}

INSTANTIATE_TEST_SUITE_P(Caches, Ways,
                         testing::Values(1, 2, 4, 12, 15, 16, 17, 32, 100, 256),
                         testing::PrintToStringParamName());

TEST(Fetches, ListsKeepTheirOrderAndTheirNodesAreUsedAgain) {
  ListPool Pool;
  ListPool::List A, B;
  auto Values = [&](const ListPool::List &L) {
    std::vector<uint64_t> Out;
    for (uint32_t N = L.First; N != NoIndex; N = Pool[N].Next)
      Out.push_back(Pool[N].Value);
    return Out;
  };
  using Numbers = std::vector<uint64_t>;
  for (uint64_t K = 0; K < 3; ++K) {
    Pool.append(A, K);
    Pool.append(B, 10 + K);
  }
  EXPECT_EQ(Values(A), (Numbers{0, 1, 2}));
  EXPECT_EQ(Values(B), (Numbers{10, 11, 12}));
  Pool.clear(A);
  EXPECT_EQ(Values(A), Numbers());
  Pool.append(B, 13);
  Pool.append(A, 7);
  EXPECT_EQ(Values(A), Numbers{7});
  EXPECT_EQ(Values(B), (Numbers{10, 11, 12, 13}));
  // Six nodes were needed at most, and none beyond them.
  EXPECT_LT(A.First, 6u);
  EXPECT_LT(B.Last, 6u);
}

} // namespace
