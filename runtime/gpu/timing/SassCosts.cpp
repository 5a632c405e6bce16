//===- SassCosts.cpp - When machine code is issued ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Execution is that of PTX, so each machine instruction is issued with some
// stretch of PTX. Both codes are cut into stretches without branches and
// barriers. The lines of a stretch of machine code vote for the stretch of PTX
// that it came from, and what the assembler moved in from elsewhere is issued
// there. Accesses to memory and branches are issued
// with the PTX instruction of their own line, because the trace has what they
// did.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/timing/Rules.h"
#include "runtime/gpu/timing/Sass.h"
#include "runtime/gpu/timing/SassKinds.h"

#include <algorithm>
#include <map>
#include <set>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Matches the machine code of one function with its PTX.
class Matching {
public:
  Matching(const Profile &P, const ptx::Function &F, const SassListing &L)
      : P(P), F(F), Listing(L) {
    followCopies(F, Listing);
  }
  SassFunction run();

private:
  void cutPtx();
  void cutSass();
  void findWaits();
  void vote();
  void findCopies();
  void choose();
  SassOp opOf(uint32_t Index, Unit Pipe) const;
  bool choosesPath(uint32_t Index) const;
  SassPipe kindOf(uint32_t Index) const {
    uint32_t Own = instructionOf(Index);
    return kindIn(P, F, Own == NoIndex ? nullptr : &F.Code[Own],
                  Listing.Code[Index]);
  }
  uint32_t targetOf(uint32_t Index) const;
  void placeOwn(uint32_t Index, const SassPipe &C, SassFunction &Out);
  SassOp plainOp(uint32_t Index, const SassPipe &C, uint32_t *Holder) const;
  void placePlain(uint32_t Index, const SassPipe &C, SassFunction &Out);
  SassPlace placeOf(uint32_t Index) const;
  void placeCall(uint32_t Index, const SassPipe &C, SassFunction &Out);
  void placeChoice(uint32_t Index, const SassPipe &C, SassFunction &Out);
  void placeJump(uint32_t Index, SassFunction &Out);
  /// The first PTX instruction of the line of machine instruction \p Index.
  uint32_t instructionOf(uint32_t Index) const {
    auto It = OfLine.find(Listing.Code[Index].Line);
    return It == OfLine.end() ? NoIndex : It->second.front();
  }
  /// The same where the line says something: what marks where lanes meet has
  /// that of any jump.
  uint32_t originOf(uint32_t Index) const {
    return marksMeeting(Listing.Code[Index].Opcode) ? NoIndex
                                                    : instructionOf(Index);
  }

  const Profile &P;
  const ptx::Function &F;
  SassListing Listing;
  std::vector<std::vector<uint16_t>> Awaited;       ///< By machine instruction.
  std::map<uint32_t, std::vector<uint32_t>> OfLine; ///< PTX, by line.
  std::vector<uint32_t> Stretch;                    ///< By PTX instruction.
  std::vector<uint32_t> FirstOf;                    ///< By stretch of PTX.
  std::vector<uint32_t> SassStretch;                ///< By machine instruction.
  std::vector<uint32_t> Target; ///< By stretch of machine code, of PTX.
  /// By stretch of machine code: stretches of PTX whose memory or control it
  /// has.
  std::vector<std::set<uint32_t>> Present;
  std::vector<unsigned> Copies; ///< By stretch of PTX: how often it is
                                ///< there in machine code.
  std::vector<uint32_t> To;     ///< By machine instruction, stretch of PTX.
  std::vector<bool> Chosen;     ///< By machine instruction: see chooseCopies.
  std::set<std::pair<SassClass, uint32_t>> LinesChosen; ///< And what they are.
  std::vector<std::vector<uint32_t>> PlacesOf;          ///< By stretch of PTX.
  /// By stretch of PTX and line: machine instructions seen and to be issued.
  std::map<std::pair<uint32_t, uint32_t>, unsigned> Seen, Total;
  std::vector<unsigned> Taken; ///< By PTX instruction: its own ones placed.
};

/// Stretches of PTX end with blocks and behind what ends regions.
void Matching::cutPtx() {
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

void Matching::cutSass() {
  uint32_t Current = 0;
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    if (Listing.Code[K].Label && K)
      ++Current;
    SassStretch.push_back(Current);
    Current += kindOf(K).Class == SassClass::Control;
  }
}

void Matching::findWaits() {
  std::vector<bool> Free(Listing.Code.size());
  for (uint32_t K = 0; K < Listing.Code.size(); ++K)
    Free[K] = kindOf(K).Class == SassClass::Nothing;
  Awaited = awaitedRegisters(Listing, Free);
}

void Matching::vote() {
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

/// The stretch of PTX with which arithmetic is issued: its own if that has
/// memory or control in this stretch of machine code, otherwise the one that
/// won the vote.
uint32_t Matching::targetOf(uint32_t Index) const {
  uint32_t Own = originOf(Index), Here = SassStretch[Index];
  return Own != NoIndex && Present[Here].count(Stretch[Own]) ? Stretch[Own]
                                                             : Target[Here];
}

/// Leaves one of several copies that branches divide.
void Matching::choose() {
  To.assign(Listing.Code.size(), NoIndex);
  PlacesOf.resize(FirstOf.size());
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    SassPipe C = kindOf(K);
    uint32_t Own = originOf(K);
    if (Listing.Code[K].Slow)
      continue;
    if (C.Class == SassClass::Pipe || C.Class == SassClass::Nothing)
      To[K] = targetOf(K);
    else if (Own != NoIndex && !jumpsAlways(Listing.Code[K]))
      To[K] = Stretch[Own];
    if (To[K] != NoIndex)
      PlacesOf[To[K]].push_back(K);
  }
  Chosen = chooseCopies(Listing, SassStretch, To);
  for (uint32_t K = 0; K < Listing.Code.size(); ++K)
    if (Chosen[K])
      LinesChosen.insert({kindOf(K).Class, Listing.Code[K].Line});
}

/// How often a stretch of PTX is there in what was chosen: the median over its
/// lines that would be one instruction each. Some have more in any case (a
/// comparison that needs two), so the most frequent one would make the others
/// look removed. Memory and float lines decide if there are any: of a loop's
/// own counting the assembler leaves one copy.
void Matching::findCopies() {
  std::map<uint32_t, unsigned> Memory, PerPipe[NumUnits];
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    if (!Chosen[K])
      continue;
    const SassInstruction &I = Listing.Code[K];
    SassPipe C = kindOf(K);
    if (C.Class == SassClass::Memory)
      ++Memory[I.Line];
    if (C.Class != SassClass::Pipe)
      continue;
    uint32_t To = targetOf(K), Own = originOf(K);
    ++Total[{To, lineKey(I)}];
    // What was moved elsewhere tells nothing about where it came from.
    if (Own != NoIndex && Stretch[Own] == To)
      ++PerPipe[unsigned(C.Pipe)][I.Line];
  }
  // What one copy of a line would have: of memory, and of each pipe.
  std::map<uint32_t, unsigned> OneMemory, OnePipe[NumUnits];
  for (const ptx::Instruction &I : F.Code)
    if (tracesAccess(I))
      ++OneMemory[I.Line];
    else if (Unit U = simplePipe(P, F, I); U != Unit::None)
      ++OnePipe[unsigned(U)][I.Line];
  std::vector<std::vector<unsigned>> Work(FirstOf.size()), All(FirstOf.size());
  for (uint32_t K = 0; K < F.Code.size(); ++K) {
    const ptx::Instruction &I = F.Code[K];
    bool Accesses = tracesAccess(I);
    Unit U = Accesses ? Unit::None : simplePipe(P, F, I);
    unsigned Count = 0;
    if (Accesses)
      Count = Memory[I.Line] / OneMemory[I.Line];
    else if (U != Unit::None)
      Count = PerPipe[unsigned(U)][I.Line] / OnePipe[unsigned(U)][I.Line];
    if (!Count)
      continue;
    All[Stretch[K]].push_back(Count);
    if (Accesses || U != Unit::Int)
      Work[Stretch[K]].push_back(Count);
  }
  for (size_t S = 0; S < FirstOf.size(); ++S) {
    std::vector<unsigned> &Counts = Work[S].empty() ? All[S] : Work[S];
    std::sort(Counts.begin(), Counts.end());
    Copies.push_back(Counts.empty() ? 1 : Counts[Counts.size() / 2]);
  }
}

SassOp Matching::opOf(uint32_t Index, Unit Pipe) const {
  const SassInstruction &I = Listing.Code[Index];
  SassOp Op;
  Op.Pipe = Pipe;
  // How long what a comparison guards has to wait is in its stall count.
  if (Pipe != Unit::None)
    Op.Latency = uint16_t(P.pipe(Pipe).Latency);
  Op.Stall = I.Stall;
  Op.Place = Index;
  Op.Sources = I.Sources;
  Op.Sources.insert(Op.Sources.end(), Awaited[Index].begin(),
                    Awaited[Index].end());
  Op.Results = I.Results;
  return Op;
}

/// Memory and control: one for each PTX instruction of the line.
void Matching::placeOwn(uint32_t Index, const SassPipe &C, SassFunction &Out) {
  auto It = OfLine.find(Listing.Code[Index].Line);
  SassOp Op = opOf(Index, C.Pipe);
  if (It != OfLine.end())
    for (uint32_t K : It->second) {
      // A branch and a jump behind it are one branch, of the jump's line; a
      // jump alone is none.
      if (jumps(F.Code[K]) && K && F.Code[K - 1].Op == ptx::Opcode::Bra)
        --K;
      bool Fits =
          C.Class == SassClass::Memory
              ? tracesAccess(F.Code[K]) && !isConstantOperand(F, F.Code[K])
              : endsRegion(F.Code[K]) && !jumps(F.Code[K]);
      if (!Fits || Taken[K])
        continue;
      ++Taken[K];
      Op.What = C.Class == SassClass::Memory ? SassOp::Access : SassOp::Control;
      Op.Instruction = K;
      if (ptx::opcodeInfo(F.Code[K].Op).Unit == ptx::Pipe::Atomic &&
          combinesLanes(Listing, Index))
        Op.Flags |= FlagOneLane;
      Out[K].push_back(std::move(Op));
      return;
    }
  // Further copies of an unrolled access are the same instruction again, and
  // the trace has it each time; others are in L1.
  bool Copy = It != OfLine.end() && Taken[It->second.front()];
  if (C.Class == SassClass::Control || Copy)
    return;
  Op.Latency = uint16_t(P.L1Latency);
  Op.Instruction = instructionOf(Index);
  uint32_t To = FirstOf[Target[SassStretch[Index]]];
  if (Op.Instruction == NoIndex)
    Op.Instruction = To;
  Out[To].push_back(std::move(Op));
}

/// Arithmetic: issued with the stretch that its own stretch came from.
void Matching::placePlain(uint32_t Index, const SassPipe &C,
                          SassFunction &Out) {
  uint32_t To = targetOf(Index);
  if (C.Class == SassClass::Pipe) {
    std::pair<uint32_t, uint32_t> Key = {To, lineKey(Listing.Code[Index])};
    unsigned Wanted = (2 * Total[Key] + Copies[To]) / (2 * Copies[To]);
    if (Seen[Key]++ >= Wanted)
      return;
  } else if (Listing.Code[Index].Results.empty()) {
    return;
  }
  uint32_t Holder = 0;
  SassOp Op = plainOp(Index, C, &Holder);
  Out[Holder].push_back(std::move(Op));
}

/// Arithmetic, and with which PTX instruction it is issued.
SassOp Matching::plainOp(uint32_t Index, const SassPipe &C,
                         uint32_t *Holder) const {
  SassOp Op = opOf(Index, C.Pipe);
  uint32_t Own = originOf(Index), To = targetOf(Index);
  // What has the line of a branch is still issued in its place before that.
  bool Here = Own != NoIndex && Stretch[Own] == To && !endsRegion(F.Code[Own]);
  *Holder = Here ? Own : FirstOf[To];
  Op.Instruction = Own == NoIndex ? *Holder : Own;
  if (readsTable(Listing.Code[Index]))
    Op.Latency = uint16_t(P.ConstLatency);
  if (Listing.Code[Index].Spill) {
    Op.What = SassOp::Spill;
    Op.Latency = uint16_t(accessBytes(Listing.Code[Index].Opcode));
  }
  return Op;
}

/// A jump that is always taken: where the assembler put it, PTX may have none,
/// and the other way round. The warp waits for what it jumps to.
void Matching::placeJump(uint32_t Index, SassFunction &Out) {
  // What nobody comes to, behind the last exit, has no PTX.
  uint32_t Here = SassStretch[Index];
  if (Present[Here].empty() && (!Index || SassStretch[Index - 1] != Here))
    return;
  SassOp Op = opOf(Index, Unit::Branch);
  Op.Stall = uint8_t(std::min<uint64_t>(255, P.pipe(Unit::Branch).Latency));
  Op.Instruction = FirstOf[Target[Here]];
  Out[Op.Instruction].push_back(std::move(Op));
}

/// Is it a branch that chooses a path of an expansion, which PTX does not have?
bool Matching::choosesPath(uint32_t Index) const {
  const SassInstruction &I = Listing.Code[Index];
  auto It = OfLine.find(I.Line);
  return I.Chooses &&
         (It == OfLine.end() ||
          std::none_of(It->second.begin(), It->second.end(),
                       [&](uint32_t K) { return endsRegion(F.Code[K]); }));
}

void Matching::placeChoice(uint32_t Index, const SassPipe &C,
                           SassFunction &Out) {
  uint32_t Holder = 0;
  SassOp Op = plainOp(Index, C, &Holder);
  // Where it jumps over the slow path, the warp waits for what it jumps to.
  if (Index + 1 < Listing.Code.size() && Listing.Code[Index + 1].Slow)
    Op.Stall = uint8_t(std::min<uint64_t>(255, P.pipe(Unit::Branch).Latency));
  Out[Holder].push_back(std::move(Op));
}

/// A function of the assembler's own that does all of a PTX instruction, once
/// for each of these.
void Matching::placeCall(uint32_t Index, const SassPipe &C, SassFunction &Out) {
  uint32_t Holder = 0, Own = instructionOf(Index);
  SassOp Call = plainOp(Index, C, &Holder);
  std::vector<SassOp> Chain;
  if (Own != NoIndex)
    Chain = chainByRules(P, F, Call);
  if (Chain.empty())
    return placePlain(Index, C, Out);
  if (Taken[Own]++)
    return;
  for (SassOp &Op : Chain)
    Out[Holder].push_back(std::move(Op));
}

/// Machine instruction \p Index as part of a whole stretch.
SassPlace Matching::placeOf(uint32_t Index) const {
  const SassInstruction &I = Listing.Code[Index];
  SassPipe C = kindOf(Index);
  uint32_t Holder = 0;
  return {C, To[Index], I.Helper || I.Chooses,
          C.Class == SassClass::Pipe || C.Class == SassClass::Nothing
              ? plainOp(Index, C, &Holder)
              : opOf(Index, C.Pipe)};
}

SassFunction Matching::run() {
  SassFunction Out(F.Code.size());
  Taken.assign(F.Code.size(), 0);
  cutPtx();
  findSpills(F, Listing);
  cutSass();
  findSlowPaths(Listing, SassStretch);
  findWaits();
  vote();
  choose();
  findCopies();
  if (F.Code.empty())
    return Out;
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    SassPipe C = kindOf(K);
    if (!Chosen[K] && (Listing.Code[K].Spill ||
                       LinesChosen.count({C.Class, Listing.Code[K].Line})))
      continue;
    if (Listing.Code[K].Helper)
      placeCall(K, C, Out);
    else if (choosesPath(K))
      placeChoice(K, C, Out);
    else if (C.Class == SassClass::Pipe || C.Class == SassClass::Nothing)
      placePlain(K, C, Out);
    else if (jumpsAlways(Listing.Code[K]))
      placeJump(K, Out);
    else
      placeOwn(K, C, Out);
  }
  findInverted(F, Stretch, PlacesOf, Out);
  findMerged(F, Listing, Out);
  std::vector<SassPlace> Places;
  for (uint32_t K = 0; K < Listing.Code.size(); ++K)
    Places.push_back(placeOf(K));
  findLoops({P, F, Listing, Stretch, SassStretch}, Places, Out);
  return Out;
}

} // namespace

SassFunction gevo::gpu::timing::costsFromSass(const Profile &P,
                                              const ptx::Function &F,
                                              const SassListing &Listing) {
  return Matching(P, F, Listing).run();
}
