//===- Sampler.cpp - Which blocks of a large grid are timed ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sampler.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace gevo::gpu::timing;

namespace {

/// Pairs of rounds whose rates differ by less than this agree.
constexpr double Tolerance = 0.015;
/// Marks that are looked at. The first round has the start, or the end of a
/// gap; of the others two pairs are compared, because caches that fill slowly
/// change the rate by little from one round to the next.
constexpr size_t Start = 1, Middle = 3, Last = 5;
/// The instructions of a block may differ so much between rounds,
constexpr double Departure = 0.03;
/// and be so many more than the average: a block that runs for longer than the
/// rounds that are compared is no part of any of them.
constexpr double Spread = 2.5;
/// Rounds in the first gap; each further one is twice as long.
constexpr uint64_t FirstGap = 16;
/// How much of the time of blocks that run on when the others have ended is in
/// doubt: it depends on how their warps meet, and that on what came before.
constexpr double LoneDoubt = 1.0 / 3;
/// The share of the resident blocks that is kept for the end of the grid.
constexpr uint64_t LastShare = 8;

uint64_t scaled(uint64_t Delta, double Factor) {
  return uint64_t(double(Delta) * Factor + 0.5);
}

/// Adds \p Factor times what happened between \p From and \p To to \p Sum.
void addScaled(InstructionProfile &Sum, const InstructionProfile &From,
               const InstructionProfile &To, double Factor) {
  auto Add = [&](uint64_t InstructionProfile::*Field) {
    Sum.*Field += scaled(To.*Field - From.*Field, Factor);
  };
  Add(&InstructionProfile::Issues);
  Add(&InstructionProfile::Lanes);
  Add(&InstructionProfile::Requests);
  Add(&InstructionProfile::Sectors);
  Add(&InstructionProfile::L1Hits);
  Add(&InstructionProfile::L2Hits);
  Add(&InstructionProfile::BankConflicts);
  for (unsigned K = 0; K < NumStalls; ++K)
    Sum.Stalls[K] += scaled(To.Stalls[K] - From.Stalls[K], Factor);
}

constexpr uint64_t MemoryCounters::*MemoryFields[] = {
    &MemoryCounters::L2Reads,   &MemoryCounters::L2ReadHits,
    &MemoryCounters::L2Writes,  &MemoryCounters::L2Atomics,
    &MemoryCounters::DramReads, &MemoryCounters::DramWrites,
    &MemoryCounters::L2Replaced};

} // namespace

double Sampler::cycles(const Mark &From, const Mark &To, uint64_t Work) {
  assert(To.Middle > From.Middle && "a round executes something");
  return (To.Time - From.Time) * double(Work) / (To.Middle - From.Middle);
}

void Sampler::mark(const Progress &Now, const LaunchTiming &T,
                   const MemoryCounters &Counters) {
  double Mean =
      double(Now.Times - Seen.Times) / double(Now.Blocks - Seen.Blocks);
  Rounds.push_back({Mean + double(Now.Owed),
                    (double(Seen.Work) + double(Now.Work)) / 2, Now.Blocks,
                    Now.Work, Largest, Squares, Counters, T.Profile,
                    Now.Accesses, OfBlocks});
  Seen = Now;
  Largest = 0;
  OfBlocks = {};
}

double Sampler::mean(const Mark &From, const Mark &To) {
  return double(To.Work - From.Work) / double(To.Blocks - From.Blocks);
}

/// What chance does to the rate of a pair of rounds, as a fraction, with a
/// confidence of two standard deviations: at either end there is a round of
/// blocks of which some are longer than others. All rounds together are no
/// surer, as they were waited for until they agreed.
double Sampler::chance() const {
  const Mark &From = Rounds[Start], &To = Rounds[Last];
  double Mean = mean(From, To);
  double Variance =
      (To.Squares - From.Squares) / double(To.Blocks - From.Blocks) -
      Mean * Mean;
  return 2 * std::sqrt(std::max(0.0, Variance) * 2 * double(Resident)) /
         (Mean * double(To.Blocks - Rounds[Middle].Blocks));
}

uint64_t Sampler::largest() const {
  uint64_t Most = 0;
  for (size_t K = Start + 1; K <= Last; ++K)
    Most = std::max(Most, Rounds[K].Largest);
  return Most;
}

uint64_t Sampler::most() const {
  return uint64_t(double(largest()) * (1 + Departure));
}

/// An SM issues four instructions while it serves one sector or one turn; some
/// GPUs issue 64 while one of doubles is executed.
const std::array<Sampler::Kind, Sampler::NumKinds> Sampler::Kinds = {
    {{&AccessCounts::Sectors, 4},
     {&AccessCounts::Turns, 4},
     {&AccessCounts::Doubles, 64},
     {&AccessCounts::Specials, 16}}};

/// By which fraction what \p B took, by kinds, is more or less than what as
/// many timed blocks did. A few beside many instructions take no time.
double Sampler::departure(const SkippedBlocks &B) const {
  const Mark &From = Rounds[Start], &To = Rounds[Last];
  double Share = double(B.Blocks) / double(To.Blocks - From.Blocks), Most = 0;
  for (const Kind &K : Kinds) {
    double Timed =
        double(To.Accesses.*K.Field - From.Accesses.*K.Field) * Share;
    double Least = double(To.Work - From.Work) * Share / K.Beside;
    Most = std::max(Most, std::abs(double(B.Accesses.*K.Field) - Timed) /
                              std::max(Timed, Least));
  }
  return Most;
}

bool Sampler::isLike(const SkippedBlocks &B) const {
  double Timed = mean(Rounds[Start], Rounds[Last]) * double(B.Blocks);
  return std::abs(double(B.Work) - Timed) <= Departure * Timed &&
         departure(B) <= Departure;
}

bool Sampler::isInRange(const SkippedBlocks &Part) const {
  if (!Part.Blocks)
    return true;
  for (size_t At = 0; At < NumKinds; ++At) {
    Range R;
    for (size_t K = Start + 1; K <= Last; ++K) {
      R.include(Rounds[K].OfBlocks[At].Least);
      R.include(Rounds[K].OfBlocks[At].Most);
    }
    double Slack =
        Departure * mean(Rounds[Start], Rounds[Last]) / Kinds[At].Beside;
    double Mean = double(Part.Accesses.*Kinds[At].Field) / double(Part.Blocks);
    if (Mean < (1 - Departure) * double(R.Least) - Slack ||
        Mean > (1 + Departure) * double(R.Most) + Slack)
      return false;
  }
  return true;
}

/// True if the blocks of the rounds do not differ much among each other.
bool Sampler::blocksAlike() const {
  const Mark &Between = Rounds[Middle], &To = Rounds[Last];
  return double(largest()) <= Spread * mean(Rounds[Start], To) &&
         isLike({To.Blocks - Between.Blocks, To.Work - Between.Work,
                 To.Accesses.since(Between.Accesses)});
}

uint64_t Sampler::skip(const Progress &Now, uint64_t Remaining,
                       const LaunchTiming &T, const MemoryCounters &Counters) {
  if (Rounds.empty() && Now.Blocks != Seen.Blocks)
    mark(Now, T, Counters);
  if (Rounds.empty() || Now.Blocks - Seen.Blocks < Resident ||
      Now.Work == Seen.Work || Remaining < 2 * Resident)
    return 0;
  mark(Now, T, Counters);
  if (Rounds.size() <= Last)
    return 0;
  if (Rounds.size() > Last + 1)
    Rounds.pop_front();
  constexpr uint64_t Unit = 1 << 20;
  double Before = cycles(Rounds[Start], Rounds[Middle], Unit);
  double After = cycles(Rounds[Middle], Rounds[Last], Unit);
  if (std::abs(Before - After) > Tolerance * std::max(Before, After) ||
      !l2Settled(Remaining) || !blocksAlike())
    return 0;
  uint64_t Next = Gap ? 2 * Gap : FirstGap * Resident;
  return std::min(Next, Remaining - (Resident + LastShare - 1) / LastShare);
}

/// True if L2 had been replaced once when the rounds began, or will not be in
/// this launch.
bool Sampler::l2Settled(uint64_t Remaining) const {
  const Mark &From = Rounds[Start], &To = Rounds[Last];
  double PerBlock = double(To.Memory.L2Replaced - From.Memory.L2Replaced) /
                    double(To.Blocks - From.Blocks);
  double AtEnd =
      double(To.Memory.L2Replaced) + PerBlock * double(Remaining + Resident);
  return From.Memory.L2Replaced >= L2Lines || AtEnd < double(L2Lines);
}

/// What follows a gap says as much about it as what came before, if it is like
/// both, and more if it is like that alone.
void Sampler::correct() {
  if (LastGap.Blocks && isLike(LastGap)) {
    double After = cycles(Rounds[Start], Rounds[Last], LastGap.Work);
    double Change = After - LastCycles;
    Doubt += LikeBefore ? std::abs(Change) / 2 : -LastDeparture;
    Extra += LikeBefore ? Change / 2 : Change;
  }
  LastGap = {};
}

void Sampler::skipped(const SkippedBlocks &All, bool Whole) {
  const uint64_t Blocks = All.Blocks, Work = All.Work;
  correct();
  Gap = Whole ? Gap ? 2 * Gap : FirstGap * Resident : 0;
  const Mark &From = Rounds[Start], &To = Rounds[Last];
  LastGap = All;
  LikeBefore = isLike(All);
  LastCycles = cycles(From, To, Work);
  LastDeparture = departure(All) * LastCycles;
  Extra += LastCycles;
  // Rounds may agree by chance: no gap is known better than what counts as
  // agreement. Nor is it known whether time goes by instructions or by blocks.
  double Apart = std::abs(cycles(From, Rounds[Middle], Work) -
                          cycles(Rounds[Middle], To, Work));
  double ByBlocks = cycles(From, To, uint64_t(mean(From, To) * double(Blocks)));
  Doubt += std::max(Apart / 2, Tolerance * LastCycles) +
           std::abs(LastCycles - ByBlocks) + chance() * LastCycles +
           LastDeparture;
  // While one round runs, all of its blocks do.
  Longest = (To.Time - From.Time) * double(Resident) /
            double(To.Blocks - From.Blocks) * double(largest()) /
            mean(From, To);
  extrapolate(From, To, Work);
  Rounds.clear();
}

/// Statistics grow as time does.
void Sampler::extrapolate(const Mark &From, const Mark &To, uint64_t Work) {
  double Factor = double(Work) / double(To.Work - From.Work);
  for (auto Field : MemoryFields)
    Memory.*Field += scaled(To.Memory.*Field - From.Memory.*Field, Factor);
  Profile.resize(To.Profile.size());
  for (size_t F = 0; F < To.Profile.size(); ++F) {
    Profile[F].resize(To.Profile[F].size());
    for (size_t I = 0; I < To.Profile[F].size(); ++I)
      addScaled(Profile[F][I], From.Profile[F][I], To.Profile[F][I], Factor);
  }
}

void Sampler::finish(LaunchTiming &T, uint64_t Emptying) {
  if (Longest > 0)
    Doubt += LoneDoubt * std::max(0.0, double(Emptying) - Longest);
  T.ExtrapolatedCycles = uint64_t(std::max(0.0, Extra) + 0.5);
  T.Cycles += T.ExtrapolatedCycles;
  T.ErrorEstimate = T.Cycles ? Doubt / double(T.Cycles) : 0;
  for (auto Field : MemoryFields)
    T.Memory.*Field += Memory.*Field;
  for (size_t F = 0; F < Profile.size(); ++F)
    for (size_t I = 0; I < Profile[F].size(); ++I)
      T.Profile[F][I].add(Profile[F][I]);
}
