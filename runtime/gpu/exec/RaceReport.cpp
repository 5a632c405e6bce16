//===- RaceReport.cpp - What the race detector says -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Race.h"

#include <algorithm>
#include <cstdio>

using namespace gevo::gpu;

namespace {
const char *verb(const AccessRecord &R) {
  return R.Kind & AccessRecord::Atomic ? "atomic access"
         : R.writes()                  ? "write"
                                       : "read";
}

/// The rest of a report's sentence.
const char *why(FindingKind K) {
  switch (K) {
  case FindingKind::RaceSameValue:
    return "; both leave the same value";
  case FindingKind::RaceNoAcquire:
    return "; what said that it was done was read without an acquire or a "
           "fence "
           "(__threadfence) after it";
  default:
    return "";
  }
}

std::string hex(uint64_t V) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "0x%llx", (unsigned long long)V);
  return Text;
}
} // namespace

void RaceDetector::report(const Visit &V, unsigned Lane,
                          const AccessRecord &Old, unsigned OldLane,
                          uint64_t Address, FindingKind Kind) {
  const AccessRecord &Now = V.Now;
  bool Shared = V.Space == TraceSpace::Shared;
  Finding F;
  F.Kind = Kind;
  // A racing loop reports the same pair again and again.
  if (G.countFinding(F.Kind, Now.Place, uint64_t(Old.Place) + 1))
    return;
  if (Shared)
    Address -= reinterpret_cast<uint64_t>(V.W.Owner.Shared);
  F.Message = std::string(verb(Now)) + " of " + (Shared ? "shared" : "global") +
              " memory at " + hex(Address) + " races with " +
              (Old.Kind & AccessRecord::Atomic ? "an " : "a ") + verb(Old) +
              " by " +
              (Old.Block != Now.Block ? "another block"
               : Old.Warp != Now.Warp ? "another warp of the block"
                                      : "another lane of the warp") +
              why(Kind);
  F.Kernel = G.What.name();
  F.Address = Address;
  F.AccessBytes = V.Bytes;
  F.Memory = Shared ? G.sharedName(Address) : G.globalName(Address);
  const Block &B = V.W.Owner;
  F.Who.Block = B.Where;
  F.Who.Thread = B.threadAt(V.W.Index, Lane);
  F.Who.Place = G.place(V.W.Current->Function, V.W.Pc);
  ThreadPlace Other;
  Other.Block = G.blockAt(Old.Block);
  Other.Thread = B.threadAt(Old.Warp, OldLane);
  uint32_t Function =
      uint32_t(std::upper_bound(PlaceBase.begin(), PlaceBase.end(), Old.Place) -
               PlaceBase.begin() - 1);
  Other.Place = G.place(Function, Old.Place - PlaceBase[Function]);
  F.Other = Other;
  G.addFinding(std::move(F), Now.Place, uint64_t(Old.Place) + 1);
}

void RaceDetector::reportUnwatched(const Visit &V, unsigned Lane,
                                   uint64_t Address, bool AllOfIt) {
  Stopped |= AllOfIt;
  if (G.countFinding(FindingKind::RaceUnchecked, 0, 0))
    return;
  Finding F;
  F.Kind = FindingKind::RaceUnchecked;
  F.Message =
      AllOfIt
          ? "too many words synchronise threads; races are no longer looked for"
          : "the race check has used up its " +
                std::to_string(G.Options.RaceBytes) +
                " bytes; memory touched first from here on is not watched";
  F.Kernel = G.What.name();
  F.Address = Address;
  F.AccessBytes = V.Bytes;
  F.Who.Block = V.W.Owner.Where;
  F.Who.Thread = V.W.Owner.threadAt(V.W.Index, Lane);
  F.Who.Place = G.place(V.W.Current->Function, V.W.Pc);
  G.addFinding(std::move(F), 0);
}
