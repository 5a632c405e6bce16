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
/// Rounds in the first gap; each further one is twice as long.
constexpr uint64_t FirstGap = 16;
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
                    Now.Work, Counters, T.Profile});
  Seen = Now;
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
      !l2Settled(Remaining))
    return 0;
  correct();
  Gap = Gap ? 2 * Gap : FirstGap * Resident;
  return std::min(Gap, Remaining - (Resident + LastShare - 1) / LastShare);
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

/// What follows a gap says as much about it as what came before.
void Sampler::correct() {
  if (!LastWork)
    return;
  double After = cycles(Rounds[Start], Rounds[Last], LastWork);
  Doubt += std::abs(After - LastCycles) / 2;
  Extra += (After - LastCycles) / 2;
  LastWork = 0;
}

void Sampler::skipped(uint64_t Work) {
  const Mark &From = Rounds[Start], &To = Rounds[Last];
  LastWork = Work;
  LastCycles = cycles(From, To, Work);
  Extra += LastCycles;
  // Rounds may agree by chance: no gap is known better than what counts as
  // agreement.
  double Apart = std::abs(cycles(From, Rounds[Middle], Work) -
                          cycles(Rounds[Middle], To, Work));
  Doubt += std::max(Apart / 2, Tolerance * LastCycles);
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

void Sampler::finish(LaunchTiming &T) {
  T.ExtrapolatedCycles = uint64_t(std::max(0.0, Extra) + 0.5);
  T.Cycles += T.ExtrapolatedCycles;
  T.ErrorEstimate = T.Cycles ? Doubt / double(T.Cycles) : 0;
  for (auto Field : MemoryFields)
    T.Memory.*Field += Memory.*Field;
  for (size_t F = 0; F < Profile.size(); ++F)
    for (size_t I = 0; I < Profile[F].size(); ++I)
      T.Profile[F][I].add(Profile[F][I]);
}
