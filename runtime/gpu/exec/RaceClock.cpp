//===- RaceClock.cpp - What is known of other threads' progress -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/RaceClock.h"

#include <algorithm>

using namespace gevo::gpu;

static thread_local uint64_t Rows = 0;

namespace gevo::gpu {

uint64_t joinedRows() { return Rows; }

Joined join(Hold<BlockView> &To, const Hold<BlockView> &O) {
  if (!O || To == O)
    return {false, To == O};
  if (!To) {
    To = O;
    return {true, true};
  }
  BlockView::Difference D = To->compare(*O);
  if (!D.Mine) {
    To = O;
    return {D.Theirs, true};
  }
  if (D.Theirs)
    To.own().learn(*O);
  return {D.Theirs, false};
}

/// Joins one by one.
template <typename T>
static Joined join(Hold<ViewTable<T>> &To, const Hold<ViewTable<T>> &O) {
  if (!O || To == O)
    return {false, To == O};
  if (!To) {
    To = O;
    return {true, true};
  }
  bool Changed = false, IsOther = To->Of.size() <= O->Of.size();
  for (size_t I = 0; I < O->Of.size(); ++I) {
    const Hold<T> &Theirs = O->Of[I];
    bool Has = I < To->Of.size() && To->Of[I];
    if (Has ? To->Of[I] == Theirs : !Theirs)
      continue;
    // What has other owners stays as it is until something new turns up.
    ++Rows;
    bool Alone = To.alone();
    Hold<T> Both;
    if (Has)
      Both = Alone ? std::move(To.own().Of[I]) : To->Of[I];
    Joined J = join(Both, Theirs);
    Changed |= J.Changed;
    IsOther &= J.IsOther;
    if (!Alone && !J.Changed)
      continue;
    ViewTable<T> &Mine = To.own();
    if (Mine.Of.size() <= I)
      Mine.Of.resize(O->Of.size());
    Mine.Of[I] = std::move(Both);
  }
  if (IsOther)
    To = O;
  return {Changed, IsOther};
}

} // namespace gevo::gpu

uint64_t BlockView::coarse(uint32_t Warp) const {
  return Warp < Warps.size() ? std::max(All, Warps[Warp]) : All;
}

uint64_t BlockView::time(uint32_t Thread) const {
  uint64_t Time = coarse(Thread / 32);
  return Thread < Threads.size() ? std::max(Time, Threads[Thread]) : Time;
}

void BlockView::prune() {
  if (std::all_of(Warps.begin(), Warps.end(),
                  [&](uint64_t T) { return T <= All; }))
    Warps.clear();
  for (uint32_t Warp = 0; Warp * 32 < Threads.size(); ++Warp) {
    const uint64_t *Row = &Threads[Warp * 32];
    if (std::any_of(Row, Row + 32,
                    [Time = coarse(Warp)](uint64_t T) { return T > Time; }))
      return;
  }
  Threads.clear();
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
  if (Thread >= Threads.size())
    Threads.resize((Thread / 32 + 1) * 32);
  Threads[Thread] = std::max(Threads[Thread], Time);
}

/// A warp whose coarse time is behind is said to know less, which may be wrong:
/// they are joined then, and nothing is lost.
BlockView::Difference BlockView::compare(const BlockView &O) const {
  static constexpr uint64_t None[32] = {};
  Difference D;
  D.Mine = All > O.All;
  D.Theirs = All < O.All;
  size_t Fine = std::max(Threads.size(), O.Threads.size()) / 32;
  size_t Count = std::max({Fine, Warps.size(), O.Warps.size()});
  for (size_t W = 0; W < Count && !(D.Mine && D.Theirs); ++W) {
    ++Rows;
    uint64_t MyTime = coarse(uint32_t(W)), Time = O.coarse(uint32_t(W));
    D.Mine |= MyTime > Time;
    D.Theirs |= MyTime < Time;
    const uint64_t *Mine = W * 32 < Threads.size() ? &Threads[W * 32] : None;
    const uint64_t *Row = W * 32 < O.Threads.size() ? &O.Threads[W * 32] : None;
    if (Mine == Row)
      continue;
    bool More = false, Less = false;
    for (unsigned L = 0; L < 32; ++L) {
      uint64_t A = std::max(Mine[L], MyTime), B = std::max(Row[L], Time);
      More |= A > B;
      Less |= A < B;
    }
    D.Mine |= More;
    D.Theirs |= Less;
  }
  return D;
}

void BlockView::learn(const BlockView &O) {
  bool Coarse = O.All > All || !O.Warps.empty();
  All = std::max(All, O.All);
  auto Raise = [](std::vector<uint64_t> &To, const std::vector<uint64_t> &By) {
    if (To.size() < By.size())
      To.resize(By.size());
    for (size_t I = 0; I < By.size(); ++I)
      To[I] = std::max(To[I], By[I]);
  };
  Raise(Warps, O.Warps);
  Raise(Threads, O.Threads);
  if (Coarse)
    prune();
}

const Hold<BlockView> *RaceClock::slot(uint32_t Block) const {
  if (!Blocks || Block / TableSize >= Blocks->Of.size())
    return nullptr;
  const Hold<Table> &T = Blocks->Of[Block / TableSize];
  return T && Block % TableSize < T->Of.size() ? &T->Of[Block % TableSize]
                                               : nullptr;
}

uint64_t RaceClock::time(uint32_t Block, uint32_t Thread) const {
  const Hold<BlockView> *View = slot(Block);
  return View && *View ? (*View)->time(Thread) : 0;
}

template <typename T>
static Hold<T> &ownPlace(Hold<ViewTable<T>> &Table, uint32_t Number) {
  std::vector<Hold<T>> &Of = Table.own().Of;
  if (Number >= Of.size())
    Of.resize(Number + 1);
  return Of[Number];
}

Hold<BlockView> &RaceClock::ownSlot(uint32_t Block) {
  return ownPlace(ownPlace(Blocks, Block / TableSize), Block % TableSize);
}

void RaceClock::raiseThread(uint32_t Block, uint32_t Thread, uint64_t Time) {
  if (Time > time(Block, Thread))
    of(Block).raiseThread(Thread, Time);
}

void RaceClock::join(const RaceClock &O) { gevo::gpu::join(Blocks, O.Blocks); }

void RaceClock::joinBlock(uint32_t Block, const RaceClock &O) {
  if (const Hold<BlockView> *View = O.slot(Block))
    gevo::gpu::join(ownSlot(Block), *View);
}
