//===- RaceClock.cpp - What is known of other threads' progress -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/RaceClock.h"

#include <algorithm>

using namespace gevo::gpu;

uint64_t BlockView::coarse(uint32_t Warp) const {
  return Warp < Warps.size() ? std::max(All, Warps[Warp]) : All;
}

uint64_t BlockView::time(uint32_t Thread) const {
  uint64_t Time = coarse(Thread / 32);
  auto It = Threads.find(Thread);
  return It == Threads.end() ? Time : std::max(Time, It->second);
}

void BlockView::prune() {
  if (std::all_of(Warps.begin(), Warps.end(),
                  [&](uint64_t T) { return T <= All; }))
    Warps.clear();
  for (auto It = Threads.begin(); It != Threads.end();)
    It = It->second <= coarse(It->first / 32) ? Threads.erase(It)
                                              : std::next(It);
}

void BlockView::raiseAll(uint64_t Time) {
  All = std::max(All, Time);
  prune();
}

void BlockView::raiseWarp(uint32_t Warp, uint64_t Time) {
  if (Time <= coarse(Warp))
    return;
  if (Warp >= Warps.size())
    Warps.resize(Warp + 1);
  Warps[Warp] = Time;
  prune();
}

void BlockView::raiseThread(uint32_t Thread, uint64_t Time) {
  if (Time <= coarse(Thread / 32))
    return;
  uint64_t &T = Threads[Thread];
  T = std::max(T, Time);
}

void BlockView::join(const BlockView &O) {
  All = std::max(All, O.All);
  if (Warps.size() < O.Warps.size())
    Warps.resize(O.Warps.size());
  for (size_t W = 0; W < O.Warps.size(); ++W)
    Warps[W] = std::max(Warps[W], O.Warps[W]);
  for (const auto &[Thread, Time] : O.Threads)
    raiseThread(Thread, Time);
  prune();
}

uint64_t RaceClock::time(uint32_t Block, uint32_t Thread) const {
  auto It = Blocks.find(Block);
  return It == Blocks.end() ? 0 : It->second.time(Thread);
}

void RaceClock::join(const RaceClock &O) {
  for (const auto &[Block, View] : O.Blocks)
    Blocks[Block].join(View);
}
