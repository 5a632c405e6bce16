//===- SassCosts.cpp - When machine code is issued ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic is issued with the stretch of PTX that its own stretch of machine
// code belongs to (SassMatching.h), wherever its line is. Accesses to memory
// and branches are issued with the PTX instruction of their own line, because
// the trace has what they did.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/Rules.h"
#include "runtime/gpu/timing/SassMatching.h"

#include <algorithm>
#include <map>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Places the instructions of a listing that was matched with its PTX.
class Placing {
public:
  Placing(const Profile &P, const ptx::Function &F, const SassMatching &M)
      : P(P), F(F), M(M), Listing(M.Listing), Taken(F.Code.size()) {}
  SassFunction run();

private:
  SassOp opOf(uint32_t Index, Unit Pipe) const;
  bool choosesPath(uint32_t Index) const;
  void placeOwn(uint32_t Index, const SassPipe &C, SassFunction &Out);
  SassOp plainOp(uint32_t Index, const SassPipe &C, uint32_t *Holder) const;
  void placePlain(uint32_t Index, const SassPipe &C, SassFunction &Out);
  SassPlace placeOf(uint32_t Index) const;
  void placeCall(uint32_t Index, const SassPipe &C, SassFunction &Out);
  void placeChoice(uint32_t Index, const SassPipe &C, SassFunction &Out);
  void placeJump(uint32_t Index, SassFunction &Out);

  const Profile &P;
  const ptx::Function &F;
  const SassMatching &M;
  const SassListing &Listing;
  /// By stretch of PTX and line: what was issued of M.Total.
  std::map<std::pair<uint32_t, uint32_t>, unsigned> Seen;
  std::vector<unsigned> Taken; ///< By PTX instruction: its own ones placed.
};

SassOp Placing::opOf(uint32_t Index, Unit Pipe) const {
  const SassInstruction &I = Listing.Code[Index];
  SassOp Op;
  Op.Pipe = Pipe;
  // How long what a comparison guards has to wait is in its stall count.
  if (Pipe != Unit::None)
    Op.Latency = uint16_t(P.pipe(Pipe).Latency);
  Op.Stall = I.Stall;
  Op.Place = Index;
  Op.Sources = I.Sources;
  Op.Sources.insert(Op.Sources.end(), M.Awaited[Index].begin(),
                    M.Awaited[Index].end());
  Op.Results = I.Results;
  return Op;
}

/// Memory and control: one for each PTX instruction of the line.
void Placing::placeOwn(uint32_t Index, const SassPipe &C, SassFunction &Out) {
  auto It = M.OfLine.find(Listing.Code[Index].Line);
  SassOp Op = opOf(Index, C.Pipe);
  if (It != M.OfLine.end())
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
  bool Copy = It != M.OfLine.end() && Taken[It->second.front()];
  if (C.Class == SassClass::Control || Copy)
    return;
  Op.Latency = uint16_t(P.L1Latency);
  Op.Instruction = M.instructionOf(Index);
  uint32_t To = M.FirstOf[M.Target[M.SassStretch[Index]]];
  if (Op.Instruction == NoIndex)
    Op.Instruction = To;
  Out[To].push_back(std::move(Op));
}

/// Arithmetic: issued with the stretch that its own stretch came from.
void Placing::placePlain(uint32_t Index, const SassPipe &C, SassFunction &Out) {
  uint32_t To = M.TargetOf[Index];
  if (C.Class == SassClass::Pipe) {
    std::pair<uint32_t, uint32_t> Key = {To, lineKey(Listing.Code[Index])};
    auto It = M.Total.find(Key);
    unsigned All = It == M.Total.end() ? 0 : It->second;
    unsigned Wanted = (2 * All + M.Copies[To]) / (2 * M.Copies[To]);
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
SassOp Placing::plainOp(uint32_t Index, const SassPipe &C,
                        uint32_t *Holder) const {
  SassOp Op = opOf(Index, C.Pipe);
  uint32_t Own = M.originOf(Index), To = M.TargetOf[Index];
  // What has the line of a branch is still issued in its place before that.
  bool Here =
      Own != NoIndex && M.Stretch[Own] == To && !endsRegion(F.Code[Own]);
  *Holder = Here ? Own : M.FirstOf[To];
  Op.Instruction = Own == NoIndex ? *Holder : Own;
  if (onlyMoves(Listing.Code[Index]) && M.instructionOf(Index) != NoIndex)
    Op.Instruction = M.instructionOf(Index); // Of whose profile it is.
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
void Placing::placeJump(uint32_t Index, SassFunction &Out) {
  // What nobody comes to, behind the last exit, has no PTX.
  uint32_t Here = M.SassStretch[Index];
  if (M.Present[Here].empty() && (!Index || M.SassStretch[Index - 1] != Here))
    return;
  SassOp Op = opOf(Index, Unit::Branch);
  Op.Stall = uint8_t(std::min<uint64_t>(255, P.pipe(Unit::Branch).Latency));
  Op.Instruction = M.FirstOf[M.Target[Here]];
  Out[Op.Instruction].push_back(std::move(Op));
}

/// Is it a branch that chooses a path of an expansion, which PTX does not have?
bool Placing::choosesPath(uint32_t Index) const {
  const SassInstruction &I = Listing.Code[Index];
  auto It = M.OfLine.find(I.Line);
  return I.Chooses &&
         (It == M.OfLine.end() ||
          std::none_of(It->second.begin(), It->second.end(),
                       [&](uint32_t K) { return endsRegion(F.Code[K]); }));
}

void Placing::placeChoice(uint32_t Index, const SassPipe &C,
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
void Placing::placeCall(uint32_t Index, const SassPipe &C, SassFunction &Out) {
  uint32_t Holder = 0, Own = M.instructionOf(Index);
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
SassPlace Placing::placeOf(uint32_t Index) const {
  const SassInstruction &I = Listing.Code[Index];
  SassPipe C = M.kindOf(Index);
  uint32_t Holder = 0;
  return {C, M.To[Index], I.Helper || I.Chooses,
          C.Class == SassClass::Pipe || C.Class == SassClass::Nothing
              ? plainOp(Index, C, &Holder)
              : opOf(Index, C.Pipe)};
}

SassFunction Placing::run() {
  SassFunction Out(F.Code.size());
  if (F.Code.empty())
    return Out;
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    SassPipe C = M.kindOf(K);
    if (M.isOfAnotherCopy(K))
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
  findInverted(F, M.Stretch, M.PlacesOf, Out);
  findMerged(F, Listing, Out);
  std::vector<SassPlace> Places;
  for (uint32_t K = 0; K < Listing.Code.size(); ++K)
    Places.push_back(placeOf(K));
  findLoops({P, F, Listing, M.Stretch, M.SassStretch}, Places, Out);
  return Out;
}

} // namespace

SassFunction gevo::gpu::timing::costsFromSass(const Profile &P,
                                              const ptx::Function &F,
                                              const SassListing &Listing) {
  SassMatching M(P, F, Listing);
  return Placing(P, F, M).run();
}
