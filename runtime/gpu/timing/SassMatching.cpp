//===- SassMatching.cpp - Where machine code came from --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/SassMatching.h"
#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/timing/Rules.h"

#include <algorithm>
#include <numeric>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

SassMatching::SassMatching(const Profile &P, const ptx::Function &F,
                           const SassListing &L)
    : Listing(L), P(P), F(F) {
  followCopies(F, Listing);
  cutPtx();
  findSpills(F, Listing);
  cutSass();
  findSlowPaths(Listing, SassStretch);
  findWaits();
  vote();
  findTargets();
  choose();
  findCopies();
}

/// Stretches of PTX end with blocks and behind what ends regions.
void SassMatching::cutPtx() {
  ptx::Cfg Graph = ptx::Cfg::build(F);
  Stretch.assign(F.Code.size(), 0);
  for (uint32_t K = 0; K < F.Code.size(); ++K) {
    OfLine[F.Code[K].Line].push_back(K);
    if (F.Code[K].JumpLine != ptx::None)
      OfLine[F.Code[K].JumpLine].push_back(K);
    bool Starts = K == 0 || endsRegion(F.Code[K - 1]) ||
                  Graph.BlockOf[K] != Graph.BlockOf[K - 1];
    if (Starts)
      FirstOf.push_back(K);
    Stretch[K] = uint32_t(FirstOf.size() - 1);
  }
}

void SassMatching::cutSass() {
  uint32_t Current = 0;
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    if (Listing.Code[K].Label && K)
      ++Current;
    SassStretch.push_back(Current);
    Current += kindOf(K).Class == SassClass::Control;
  }
}

void SassMatching::findWaits() {
  std::vector<bool> Free(Listing.Code.size());
  for (uint32_t K = 0; K < Listing.Code.size(); ++K)
    Free[K] = kindOf(K).Class == SassClass::Nothing;
  giveCounters(Listing);
  Awaited = awaitedRegisters(Listing, Free);
}

void SassMatching::vote() {
  uint32_t Count = SassStretch.empty() ? 0 : SassStretch.back() + 1;
  // In the order of the machine code, so that the place of a block in PTX does
  // not decide between equals.
  std::vector<std::vector<std::pair<uint32_t, unsigned>>> Votes(Count);
  Present.resize(Count);
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    uint32_t Instruction = originOf(K);
    // PTX need not have a jump where machine code has one.
    if (Instruction == NoIndex || jumpsAlways(Listing.Code[K]))
      continue;
    // The assembler keeps memory where it was, more or less; constants and
    // special registers it makes anywhere.
    SassPipe C = kindOf(K);
    unsigned Weight = C.Class == SassClass::Memory    ? 16
                      : C.Class == SassClass::Control ? 8
                      : C.Class == SassClass::Pipe    ? 2
                                                      : 0;
    auto &Own = Votes[SassStretch[K]];
    auto It = std::find_if(Own.begin(), Own.end(), [&](const auto &V) {
      return V.first == Stretch[Instruction];
    });
    if (Weight && It == Own.end())
      Own.push_back({Stretch[Instruction], Weight});
    else if (Weight)
      It->second += Weight;
    if (C.Class == SassClass::Memory || C.Class == SassClass::Control)
      Present[SassStretch[K]].insert(Stretch[Instruction]);
  }
  uint32_t Last = 0;
  for (auto &V : Votes) {
    unsigned Most = 0;
    for (auto [To, Weight] : V)
      if (Weight > Most) {
        Most = Weight;
        Last = To;
      }
    // A stretch that nobody knows belongs to what is before it.
    Target.push_back(Last);
  }
}

/// In passes over the whole code: a stretch may have thousands of moves and
/// nothing that they could go with.
void SassMatching::findTargets() {
  const uint32_t Count = uint32_t(Listing.Code.size());
  std::vector<uint32_t> Own(Count, NoIndex);
  std::vector<bool> Moves(Count);
  for (uint32_t K = 0; K < Count; ++K) {
    const std::set<uint32_t> &Here = Present[SassStretch[K]];
    if (Here.empty())
      continue;
    uint32_t Origin = originOf(K);
    if (Origin != NoIndex && Here.count(Stretch[Origin]))
      Own[K] = Stretch[Origin];
    Moves[K] = onlyMoves(Listing.Code[K]);
  }
  TargetOf = Own;
  uint32_t Near = NoIndex;
  auto Pass = [&](uint32_t K, bool First) {
    if (First)
      Near = NoIndex;
    if (Own[K] != NoIndex)
      Near = Own[K];
    else if (Moves[K] && TargetOf[K] == NoIndex)
      TargetOf[K] = Near;
  };
  for (uint32_t K = Count; K--;)
    Pass(K, K + 1 == Count || SassStretch[K] != SassStretch[K + 1]);
  for (uint32_t K = 0; K < Count; ++K)
    Pass(K, K == 0 || SassStretch[K] != SassStretch[K - 1]);
  for (uint32_t K = 0; K < Count; ++K)
    if (TargetOf[K] == NoIndex)
      TargetOf[K] = Target[SassStretch[K]];
}

/// Leaves one of several copies that branches divide.
void SassMatching::choose() {
  To.assign(Listing.Code.size(), NoIndex);
  PlacesOf.resize(FirstOf.size());
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    SassPipe C = kindOf(K);
    uint32_t Own = originOf(K);
    if (Listing.Code[K].Slow)
      continue;
    if (C.Class == SassClass::Pipe || C.Class == SassClass::Nothing)
      To[K] = TargetOf[K];
    else if (Own != NoIndex && !jumpsAlways(Listing.Code[K]))
      To[K] = Stretch[Own];
    if (To[K] != NoIndex)
      PlacesOf[To[K]].push_back(K);
  }
  Chosen = chooseCopies(Listing, SassStretch, To);
  for (uint32_t K = 0; K < Listing.Code.size(); ++K)
    if (Chosen[K])
      LinesChosen.insert({kindOf(K).Class, lineKey(Listing.Code[K])});
}

/// The median of what lines say, each by itself.
static unsigned medianOf(std::vector<unsigned> Counts) {
  std::sort(Counts.begin(), Counts.end());
  return Counts.empty() ? 1 : Counts[Counts.size() / 2];
}

/// The same where lines say as much as they have instructions: most of a loop
/// that was unrolled are its copies. One line alone may have as many as
/// \p Several in any case.
static unsigned copiesBy(std::vector<unsigned> Counts) {
  constexpr unsigned Several = 3;
  std::vector<unsigned> Instructions;
  for (unsigned Count : Counts)
    Instructions.insert(Instructions.end(), Count, Count);
  unsigned Copies = medianOf(std::move(Instructions));
  bool Alone = std::count(Counts.begin(), Counts.end(), Copies) == 1;
  return Alone && Copies <= Several ? medianOf(std::move(Counts)) : Copies;
}

/// How often a stretch of PTX is there in what was chosen, by its lines that
/// would be one instruction each. Some have more in any case (a comparison that
/// needs two), so the most frequent one would make the others look removed.
/// Memory and float lines decide if they are half of the work: of a loop's own
/// counting the assembler leaves one copy, but so it does of what it moved out
/// of a loop.
void SassMatching::findCopies() {
  std::map<uint32_t, unsigned> Memory, PerPipe[NumUnits], AnyPipe;
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    if (!Chosen[K])
      continue;
    const SassInstruction &I = Listing.Code[K];
    SassPipe C = kindOf(K);
    if (C.Class == SassClass::Memory)
      ++Memory[I.Line];
    if (C.Class != SassClass::Pipe)
      continue;
    uint32_t To = TargetOf[K], Own = originOf(K);
    ++Total[{To, lineKey(I)}];
    // What was moved elsewhere tells nothing about where it came from.
    if (Own == NoIndex || Stretch[Own] != To)
      continue;
    ++PerPipe[unsigned(C.Pipe)][I.Line];
    AnyPipe[I.Line] += !I.Spill;
  }
  // What one copy of a line would have: of memory, and of each pipe.
  std::map<uint32_t, unsigned> OneMemory, OnePipe[NumUnits], OneAny;
  std::set<uint32_t> Expanded; // Lines that have more than one of something.
  for (const ptx::Instruction &I : F.Code)
    if (tracesAccess(I))
      ++OneMemory[I.Line];
    else if (Unit U = simplePipe(P, F, I); U != Unit::None)
      ++OnePipe[unsigned(U)][I.Line], ++OneAny[I.Line];
    else if (!endsRegion(I) && !arithmeticSteps(P, F, I).empty())
      Expanded.insert(I.Line);
  std::vector<std::vector<unsigned>> Work(FirstOf.size()), All(FirstOf.size());
  for (uint32_t K = 0; K < F.Code.size(); ++K) {
    const ptx::Instruction &I = F.Code[K];
    bool Accesses = tracesAccess(I);
    Unit U = Accesses ? Unit::None : simplePipe(P, F, I);
    unsigned Count = 0;
    if (Accesses)
      Count = Memory[I.Line] / OneMemory[I.Line];
    else if (U != Unit::None && !Expanded.count(I.Line))
      // An addition behind a product may become that, on its pipe.
      Count =
          std::max(PerPipe[unsigned(U)][I.Line] / OnePipe[unsigned(U)][I.Line],
                   AnyPipe[I.Line] / OneAny[I.Line]);
    if (!Count)
      continue;
    All[Stretch[K]].push_back(Count);
    if (Accesses || U != Unit::Int)
      Work[Stretch[K]].push_back(Count);
  }
  auto Sum = [](const std::vector<unsigned> &Counts) {
    return std::accumulate(Counts.begin(), Counts.end(), 0u);
  };
  for (size_t S = 0; S < FirstOf.size(); ++S) {
    bool AllDecide = 2 * Sum(Work[S]) < Sum(All[S]);
    Copies.push_back(AllDecide ? copiesBy(All[S]) : medianOf(Work[S]));
  }
}

bool SassMatching::isOfAnotherCopy(uint32_t Index) const {
  const SassInstruction &I = Listing.Code[Index];
  return !Chosen[Index] &&
         (I.Spill || LinesChosen.count({kindOf(Index).Class, lineKey(I)}));
}
