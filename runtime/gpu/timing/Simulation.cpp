//===- Simulation.cpp - The clock of a launch -----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Simulation.h"
#include "runtime/gpu/timing/Sampler.h"
#include "runtime/gpu/timing/Sm.h"
#include "runtime/gpu/timing/TimedLaunch.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <tuple>
#include <type_traits>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

const char *gevo::gpu::timing::stallName(Stall S) {
  static const char *const Names[] = {
#define STALL(Name, Key) Key,
#include "runtime/gpu/timing/Stalls.def"
      "none"};
  return Names[unsigned(S)];
}

uint64_t InstructionProfile::stallCycles() const {
  uint64_t Sum = 0;
  for (uint64_t S : Stalls)
    Sum += S;
  return Sum;
}

static_assert(std::is_trivially_copyable_v<InstructionProfile> &&
                  sizeof(InstructionProfile) % sizeof(uint64_t) == 0,
              "a profile is nothing but numbers");

std::vector<uint64_t> InstructionProfile::counters() const {
  std::vector<uint64_t> Counters(sizeof(*this) / sizeof(uint64_t));
  std::memcpy(Counters.data(), this, sizeof(*this));
  return Counters;
}

InstructionProfile
InstructionProfile::of(const std::vector<uint64_t> &Counters) {
  InstructionProfile P;
  if (Counters.size() == sizeof(P) / sizeof(uint64_t))
    std::memcpy(&P, Counters.data(), sizeof(P));
  return P;
}

void InstructionProfile::add(const InstructionProfile &Other) {
  Issues += Other.Issues;
  Lanes += Other.Lanes;
  for (unsigned K = 0; K < NumStalls; ++K)
    Stalls[K] += Other.Stalls[K];
  Requests += Other.Requests;
  Sectors += Other.Sectors;
  L1Hits += Other.L1Hits;
  L2Hits += Other.L2Hits;
  BankConflicts += Other.BankConflicts;
}

namespace {

uint64_t roundUp(uint64_t V, uint64_t To) { return (V + To - 1) / To * To; }

/// What is left of the memory of an SM for L1 when blocks take their share.
uint64_t l1Bytes(const Profile &P, const Occupancy &Full,
                 const LaunchShape &Shape) {
  if (!P.L1Unified)
    return P.L1Pool;
  uint64_t Shared = roundUp(
      Full.BlocksPerSM * (uint64_t(Shape.SharedBytes) + P.SharedReserved),
      8192);
  return std::max(P.L1Min, P.L1Pool - std::min(P.L1Pool, Shared));
}

/// One launch.
class Launch {
public:
  Launch(const Profile &P, const CostProgram &Code, const LaunchShape &Shape,
         MemorySystem &Memory, const BlockSource &NextBlock,
         const BlockSkip &Skip, const BlockMore &More);
  LaunchTiming run();

private:
  bool fill(Sm &S, uint64_t Time);
  void firstWave();
  void inform(const Sm &S, const MemoryRequest &R, uint64_t Time);
  uint64_t mailReady();
  void runWindow(uint64_t End);
  void sortRequests();
  uint64_t serveRequests();
  std::unique_ptr<BlockTrace> idleTrace();
  bool isUnlikeResident() const;
  void sample(uint64_t Now);

  const Profile &P;
  MemorySystem &Memory;
  const BlockSource &NextBlock;
  const BlockSkip &Skip;
  LaunchTiming T;
  std::vector<std::unique_ptr<Sm>> SMs;
  std::vector<std::unique_ptr<BlockTrace>> Idle;
  bool NoMore = false;
  uint64_t AllStarted = 0;  ///< Since when.
  uint64_t AllFinished = 0; ///< When the last block so far has.
  const uint64_t CycleLimit;
  uint64_t Started = 0;               ///< Blocks, skipped ones included.
  Sampler::Progress Finished;         ///< Of those that are timed.
  std::unique_ptr<Sampler> Gaps;      ///< Null: every block is timed.
  std::unique_ptr<BlockTrace> Unlike; ///< Ended a gap, and is started next.
  std::vector<const MemoryRequest *> Merged;
  std::vector<uint32_t> Places; ///< Of sortRequests, by time.
  /// What L2 told an SM and the SM does not know yet.
  struct Mail {
    std::vector<Sm::Answer> Answers;
    uint64_t Written = 0; ///< When the last of its writes is done.
  };
  void deliver(Mail &M, Sm &To);
  std::vector<Mail> Mails; ///< By SM.
  Waits Events;
};

Launch::Launch(const Profile &P, const CostProgram &Code,
               const LaunchShape &Shape, MemorySystem &Memory,
               const BlockSource &NextBlock, const BlockSkip &Skip,
               const BlockMore &More)
    : P(P), Memory(Memory), NextBlock(NextBlock), Skip(Skip),
      CycleLimit(Shape.CycleLimit ? Shape.CycleLimit : Never) {
  T.Blocks = Shape.Blocks;
  T.Full = occupancy(P, Shape, Code.RegistersPerThread);
  T.RegistersPerThread = Code.RegistersPerThread;
  T.Source = Code.Source;
  T.WhyRules = Code.WhyRules;
  T.RulesCause = Code.RulesCause;
  T.UnknownOpcodes = Code.UnknownOpcodes;
  for (const CostFunction &F : Code.Functions)
    T.Profile.emplace_back(F.RegionAt.size());
  uint64_t Bytes = l1Bytes(P, T.Full, Shape);
  // An SM that never gets a block need not exist.
  uint64_t Used = std::min<uint64_t>(P.SMs, std::max<uint64_t>(1, T.Blocks));
  uint64_t Resident = std::min<uint64_t>(T.Full.BlocksPerSM, T.Blocks);
  uint64_t Warps = Resident * (T.Full.WarpsPerSM / T.Full.BlocksPerSM);
  for (uint32_t K = 0; K < Used; ++K)
    SMs.push_back(std::make_unique<Sm>(P, Code, K, Bytes, Resident, Warps,
                                       T.Profile, Events, More));
  Mails.resize(Used);
  if (Skip)
    Gaps =
        std::make_unique<Sampler>(Used * T.Full.BlocksPerSM, Memory.l2Lines());
}

std::unique_ptr<BlockTrace> Launch::idleTrace() {
  if (Idle.empty())
    return std::make_unique<BlockTrace>();
  std::unique_ptr<BlockTrace> B = std::move(Idle.back());
  Idle.pop_back();
  return B;
}

/// Gives \p S one more block; false if there is none.
bool Launch::fill(Sm &S, uint64_t Time) {
  if (NoMore)
    return false;
  std::unique_ptr<BlockTrace> B = std::move(Unlike);
  if (!B) {
    B = idleTrace();
    if (!NextBlock(*B)) {
      NoMore = true;
      AllStarted = Time;
      return false;
    }
  }
  ++T.BlocksTimed;
  ++Started;
  S.launch(std::move(B), Time);
  return true;
}

/// The hardware deals blocks out to the SMs one by one.
void Launch::firstWave() {
  for (unsigned Round = 0; Round < T.Full.BlocksPerSM; ++Round)
    for (auto &S : SMs)
      if (!fill(*S, P.BlockLaunch))
        return;
}

void Launch::deliver(Mail &M, Sm &To) {
  // A launch has ended when its last write and atomic operation is done.
  To.written(M.Written);
  constexpr size_t Soon = 4;
  for (size_t K = 0; K < M.Answers.size(); ++K) {
    if (K + 2 * Soon < M.Answers.size())
      To.prefetchLists(M.Answers[K + 2 * Soon]);
    if (K + Soon < M.Answers.size())
      To.prefetchLine(M.Answers[K + Soon]);
    To.reply(M.Answers[K]);
  }
  M.Answers.clear();
}

/// Brings each SM up to date with what L2 answered and runs it to \p End.
void Launch::runWindow(uint64_t End) {
  for (size_t K = 0; K < SMs.size(); ++K) {
    Sm &S = *SMs[K];
    if (K + 1 < SMs.size()) {
      SMs[K + 1]->prefetch();
      for (const Sm::Answer &A : Mails[K + 1].Answers)
        SMs[K + 1]->prefetchFetch(A);
    }
    deliver(Mails[K], S);
    while (S.run(End)) {
      while (std::unique_ptr<BlockTrace> B = S.takeFinished()) {
        ++Finished.Blocks;
        Finished.Times += S.finishedAt();
        AllFinished = std::max(AllFinished, S.finishedAt());
        if (Gaps) {
          uint64_t Work = B->instructions();
          Finished.Work += Work;
          Finished.Accesses.add(B->Accesses);
          Gaps->finished(Work, B->Accesses);
        }
        Idle.push_back(std::move(B));
      }
      fill(S, S.finishedAt() + P.BlockLaunch);
    }
  }
}

/// Merges the requests of all SMs in order of time; equal times go by SM and
/// order of issue, which is how they lie. Most are of one window, so that
/// counting how many there are of each time is quicker than comparing them.
void Launch::sortRequests() {
  uint64_t First = Never, Last = 0, Count = 0;
  for (auto &S : SMs) {
    First = std::min(First, S->requestTimes().first);
    Last = std::max(Last, S->requestTimes().second);
    Count += S->requests().size();
  }
  Merged.resize(Count);
  constexpr uint64_t FewTimes = 1 << 14;
  if (Count && Last - First < FewTimes) {
    Places.assign(Last - First + 2, 0);
    for (auto &S : SMs)
      for (const MemoryRequest &R : S->requests())
        ++Places[R.Time - First + 1];
    for (size_t K = 1; K < Places.size(); ++K)
      Places[K] += Places[K - 1];
    for (auto &S : SMs)
      for (const MemoryRequest &R : S->requests())
        Merged[Places[R.Time - First]++] = &R;
    return;
  }
  Count = 0;
  for (auto &S : SMs)
    for (const MemoryRequest &R : S->requests())
      Merged[Count++] = &R;
  std::sort(Merged.begin(), Merged.end(),
            [](const MemoryRequest *A, const MemoryRequest *B) {
              return std::tie(A->Time, A->SM, A->FirstLine) <
                     std::tie(B->Time, B->SM, B->FirstLine);
            });
}

/// Request \p R of \p S is done at \p Time: others may wait for that.
void Launch::inform(const Sm &S, const MemoryRequest &R, uint64_t Time) {
  uint32_t Number = uint32_t(&R - S.requests().data());
  for (const OrderedAccess &A : S.orders())
    if (A.Request == Number)
      Events.done(A, Time);
}

/// Tells SMs of their polls that are through; returns when the first one is.
uint64_t Launch::mailReady() {
  uint64_t First = Never;
  for (const Waits::Ready &R : Events.ready()) {
    Mails[R.SM].Answers.push_back({R.Time, R.Fetch, 0, 0});
    First = std::min(First, R.Time);
  }
  Events.ready().clear();
  return First;
}

/// Lets L2 serve what the SMs asked for; returns when the first answer is
/// there.
uint64_t Launch::serveRequests() {
  sortRequests();
  uint64_t First = Never;
  // Neither the requests nor the sets of L2 lie in an order that the host
  // could foresee.
  constexpr size_t Soon = 4, Later = 12;
  auto LinesOf = [&](size_t K) {
    return SMs[Merged[K]->SM]->lines() + Merged[K]->FirstLine;
  };
  for (size_t K = 0; K < Merged.size(); ++K) {
    if (K + Later < Merged.size())
      __builtin_prefetch(Merged[K + Later]);
    if (K + 2 * Soon < Merged.size())
      __builtin_prefetch(LinesOf(K + 2 * Soon));
    if (K + Soon < Merged.size())
      Memory.prefetch(*LinesOf(K + Soon));
    const MemoryRequest &R = *Merged[K];
    MemoryReply Reply = Memory.serve(R, LinesOf(K));
    Mail &To = Mails[R.SM];
    if (!SMs[R.SM]->orders().empty())
      inform(*SMs[R.SM], R, Reply.Time);
    if (R.Fetch == NoIndex) {
      To.Written = std::max(To.Written, Reply.Time);
      continue;
    }
    First = std::min(First, Reply.Time);
    To.Answers.push_back({Reply.Time, R.Fetch, Reply.L2Hits,
                          R.Kind == RequestKind::Read ? R.NumLines : 0});
  }
  for (auto &S : SMs)
    S->clearRequests();
  return std::min(First, mailReady());
}

/// While a block of another length runs, what others take is not added to the
/// time of the launch.
bool Launch::isUnlikeResident() const {
  return std::any_of(SMs.begin(), SMs.end(), [&](const auto &S) {
    return S->longestTrace() > Gaps->most();
  });
}

/// Leaves out blocks if the last rounds say that they can be.
void Launch::sample(uint64_t Now) {
  // Writes that L2 still has to take are part of what the blocks cost.
  Finished.Owed = Memory.busyUntil(Now) - Now;
  uint64_t Count =
      Gaps->skip(Finished, T.Blocks - Started, T, Memory.counters());
  if (!Count || isUnlikeResident())
    return;
  std::unique_ptr<BlockTrace> Trace = idleTrace();
  SkippedBlocks Gap;
  bool Alike = true;
  while (Alike && Gap.Blocks < Count) {
    uint64_t Size = std::min(Count - Gap.Blocks, Gaps->round());
    SkippedBlocks Round;
    while (Alike && Round.Blocks < Size) {
      uint64_t Few = std::min(Size - Round.Blocks, Gaps->part());
      SkippedBlocks Part = Skip(Few, Gaps->most(), *Trace);
      Round.add(Part);
      if (Part.Unlike)
        Unlike = std::move(Trace);
      Alike = Part.Blocks == Few && Gaps->isInRange(Part);
    }
    Gap.add(Round);
    Alike = Alike && Gaps->isLike(Round);
  }
  Started += Gap.Blocks;
  if (Gap.Blocks)
    Gaps->skipped(Gap, Alike);
}

LaunchTiming Launch::run() {
  Memory.restart();
  T.WarmL2 = Memory.warm();
  firstWave();
  uint64_t FirstAnswer = Never;
  while (true) {
    uint64_t Next = FirstAnswer;
    for (auto &S : SMs)
      Next = std::min(Next, S->nextEvent());
    if (Next == Never) {
      bool Released = false;
      uint64_t Latest = 0;
      for (auto &S : SMs) {
        Latest = std::max(Latest, S->lastTime());
        Released |= S->releaseBarriers(S->lastTime());
      }
      if (!Released && !Events.giveUp(Latest))
        break;
      FirstAnswer = mailReady();
      continue;
    }
    if (Next + (Gaps ? Gaps->extra() : 0) > CycleLimit) {
      T.OverLimit = true;
      T.Cycles = Next;
      break;
    }
    runWindow(Next + P.L2Latency);
    FirstAnswer = serveRequests();
    if (Gaps && !NoMore)
      sample(Next + P.L2Latency);
  }
  for (size_t K = 0; K < SMs.size(); ++K)
    deliver(Mails[K], *SMs[K]);
  for (auto &S : SMs) {
    assert((T.OverLimit || !S->residentBlocks()) &&
           "a warp waits for what never comes");
    T.Cycles = std::max(T.Cycles, S->lastTime());
    T.Uops += S->uops();
  }
  T.Memory = Memory.counters();
  if (Gaps)
    Gaps->finish(
        T, NoMore && AllFinished > AllStarted ? AllFinished - AllStarted : 0);
  T.Nanoseconds = P.LaunchNs + T.Cycles * 1000000 / P.ClockKHz;
  return std::move(T);
}

} // namespace

Occupancy gevo::gpu::timing::occupancy(const Profile &P,
                                       const LaunchShape &Shape,
                                       uint32_t RegistersPerThread) {
  Occupancy O =
      occupancyOf(deviceConfig(P), {Shape.ThreadsPerBlock, Shape.SharedBytes,
                                    RegistersPerThread});
  // A launch that the driver let through runs, one block at a time.
  if (!O.BlocksPerSM) {
    O.BlocksPerSM = 1;
    O.WarpsPerSM = std::max(1u, (Shape.ThreadsPerBlock + 31) / 32);
  }
  return O;
}

LaunchTiming
gevo::gpu::timing::simulate(const Profile &P, const CostProgram &Code,
                            const LaunchShape &Shape, MemorySystem &Memory,
                            const BlockSource &NextBlock, const BlockSkip &Skip,
                            const BlockMore &More) {
  return Launch(P, Code, Shape, Memory, NextBlock, Skip, More).run();
}
