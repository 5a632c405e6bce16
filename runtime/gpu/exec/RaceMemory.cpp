//===- RaceMemory.cpp - What a word remembers of its accesses -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of Race.h by which accesses are forgotten, none of which hides a
// racing word.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Race.h"

#include <algorithm>

using namespace gevo::gpu;

/// Is V.Now not needed beside what is in Scratch? \p Forever: nor would any
/// other such access be, of any block. See the rules in the file comment.
bool RaceDetector::stoodFor(const Visit &V, bool &Forever) const {
  const BlockOrder &B = V.B.Order;
  const AccessRecord *Mine = nullptr, *Live = nullptr, *Other = nullptr;
  bool Two = false;
  for (const AccessRecord &R : Scratch) {
    if (!R.Lanes || !R.covers(V.Now))
      continue;
    if (Order.unreachable(R, B))
      return Forever = true;
    if (Order.Fine)
      continue;
    if (R.Block != B.Block) {
      if (Other && Other->Block != R.Block)
        return Forever = true;
      Other = &R;
      continue;
    }
    Mine = &R;
    if (R.Time <= B.LastBarrier)
      continue;
    uint32_t Lanes = R.Lanes | (Live && Live->Warp == R.Warp ? Live->Lanes : 0);
    Two |= (Live && Live->Warp != R.Warp) ||
           (Order.Independent && (Lanes & (Lanes - 1)));
    Live = &R;
  }
  Forever = Mine && Other;
  return Forever || Two;
}

/// Adds V.Now to Scratch and drops what need not be remembered.
void RaceDetector::remember(Visit &V, uint32_t &Mark) {
  const BlockOrder &B = V.B.Order;
  AccessRecord &Now = V.Now;
  for (AccessRecord &Old : Scratch)
    if (Now.covers(Old))
      for (uint32_t M = Now.Lanes; M && Old.Lanes; M &= M - 1)
        Old.Lanes =
            Order.unordered(Old, B, V.W.Index, unsigned(__builtin_ctz(M)));
  bool Forever = false;
  if (!stoodFor(V, Forever)) {
    auto Same = std::find_if(
        Scratch.begin(), Scratch.end(), [&](const AccessRecord &R) {
          return R.Block == Now.Block && R.Warp == Now.Warp &&
                 R.Place == Now.Place && R.Kind == Now.Kind &&
                 R.Bytes == Now.Bytes &&
                 (R.Time == Now.Time || R.Time > Order.lastSync(B));
        });
    if (Same != Scratch.end())
      Same->Lanes |= Now.Lanes;
    else
      Scratch.push_back(Now);
    if (Scratch.size() > 2)
      thin(V);
  }
  Scratch.erase(std::remove_if(Scratch.begin(), Scratch.end(),
                               [](const AccessRecord &R) { return !R.Lanes; }),
                Scratch.end());
  Mark = MarkNone;
  if (!Now.markable() || !stoodFor(V, Forever))
    return;
  // Nothing that is remembered may race with such an access.
  for (const AccessRecord &R : Scratch)
    if (conflict(V, R) &&
        (Forever || R.Block != B.Block || R.Time > B.LastBarrier))
      return;
  Mark = (Forever ? uint32_t(MarkAlways) : B.Epoch) | Now.markClass();
}

/// Drops what an access of another block stands for, with V.Now or alone.
void RaceDetector::thin(const Visit &V) {
  for (const AccessRecord &D : Scratch) {
    if (!D.Lanes || D.Block == V.Now.Block)
      continue;
    bool Alone = Order.unreachable(D, V.B.Order);
    if (!Alone && Order.Fine)
      continue;
    for (AccessRecord &X : Scratch)
      if (&X != &D && X.Time != V.Now.Time && D.covers(X) &&
          (Alone || V.Now.covers(X)))
        X.Lanes = 0;
  }
}
