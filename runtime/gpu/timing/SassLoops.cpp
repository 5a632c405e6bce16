//===- SassLoops.cpp - Loops whose copies are mixed -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembler unrolls a loop without branches in its body and mixes the
// copies, so that the loads of all are on their way together:
//
//   L: ld.global.f32 %f2, [%rd1];          LDG R4, [R2]
//      fma.rn.f32 %f1, %f2, %f2, %f1;      LDG R5, [R2+0x80]
//      add.s64 %rd1, %rd1, 128;       ->   FFMA R6, R4, R4, R6
//      ...                                 FFMA R6, R5, R5, R6
//      @%p1 bra L;                         ... @P0 BRA L
//
// One copy per iteration would wait for each load, or for none. So the stretch
// is kept as it is, and where the trace has as many iterations in a row it is
// issued once for all of them: the accesses of its copies are those of the
// iterations, in their order. There may be several such stretches of one loop,
// as a remainder has fewer copies, or one. What is left over, because lanes
// have left the loop in between or because there is no such stretch, is issued
// as one copy of each line.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/timing/Rules.h"
#include "runtime/gpu/timing/SassKinds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

constexpr unsigned MaxCopies = 255; ///< Uop::Copy has eight bits.

/// How many instructions of a line go to a pipe.
using PerPipe = std::map<std::pair<uint32_t, Unit>, unsigned>;

/// A loop of PTX that is one block.
struct Body {
  uint32_t Begin = 0, Branch = 0;
  /// What becomes one instruction each, but for those on integers: of what a
  /// loop counts with, the assembler leaves one copy or makes something else.
  PerPipe Work;
  /// Its accesses by line and by whether they store.
  std::map<std::pair<uint32_t, bool>, std::vector<uint32_t>> Accesses;
};

bool loadsOrStores(const ptx::Instruction &I) {
  return I.Op == ptx::Opcode::Ld || I.Op == ptx::Opcode::St;
}

/// By stretch of PTX.
std::map<uint32_t, Body> findBodies(const SassMatch &M) {
  const ptx::Function &F = M.F;
  std::map<uint32_t, Body> Bodies;
  ptx::Cfg Graph = ptx::Cfg::build(F);
  for (const ptx::BasicBlock &B : Graph.Blocks) {
    if (B.Begin == B.End)
      continue;
    Body New;
    New.Begin = B.Begin;
    New.Branch = B.End - 1;
    const ptx::Instruction &Last = F.Code[New.Branch];
    if (Last.Op != ptx::Opcode::Bra || Last.Guard == ptx::None ||
        F.operands(Last)[0].Kind != ptx::OperandKind::Label ||
        F.operands(Last)[0].Index != B.Begin)
      continue;
    bool Plain = M.Stretch[New.Begin] == M.Stretch[New.Branch];
    for (uint32_t K = New.Begin; K < New.Branch; ++K) {
      const ptx::Instruction &I = F.Code[K];
      Unit Pipe = tracesAccess(I) ? Unit::None : simplePipe(M.P, F, I);
      if (Pipe != Unit::None && Pipe != Unit::Int && Pipe != Unit::Mul)
        ++New.Work[{I.Line, Pipe}];
      if (!tracesAccess(I) || isConstantOperand(F, I))
        continue;
      Plain &= loadsOrStores(I);
      New.Accesses[{I.Line, I.Op == ptx::Opcode::St}].push_back(K);
    }
    if (Plain)
      Bodies[M.Stretch[New.Begin]] = std::move(New);
  }
  return Bodies;
}

/// Is what one iteration issues of \p B the same accesses as \p Seen, each as
/// PTX has it?
bool sameAccesses(const Body &B, const SassFunction &One,
                  const std::map<std::pair<uint32_t, bool>, unsigned> &Seen) {
  for (const auto &[Key, Instructions] : B.Accesses)
    for (uint32_t K : Instructions) {
      bool Issued = false, Merged = false;
      for (const SassOp &Op : One[K])
        if (Op.What == SassOp::Access) {
          Issued = true;
          Merged |= Op.Bytes != 0;
        }
      if (Merged || Issued != (Seen.count(Key) != 0))
        return false;
    }
  return true;
}

/// How many copies of \p B most lines of the arithmetic \p Counts have; 0 if
/// there is no such number.
unsigned copiesBy(const Body &B, const PerPipe &Counts) {
  std::map<unsigned, unsigned> Lines; // By copies.
  unsigned All = 0;
  for (const auto &[Key, One] : B.Work)
    if (auto It = Counts.find(Key); It != Counts.end()) {
      ++Lines[It->second / One];
      ++All;
    }
  for (auto [Copies, Number] : Lines)
    if (2 * Number > All)
      return Copies;
  return 0;
}

/// The stretch \p Part of machine code as copies of \p B, if it is that.
std::optional<SassLoop> copiesOf(const SassMatch &M, const Body &B,
                                 const std::vector<const SassPlace *> &Part,
                                 const SassFunction &One) {
  SassLoop Loop;
  Loop.Begin = B.Begin;
  Loop.End = B.Branch + 1;
  std::map<std::pair<uint32_t, bool>, unsigned> Seen;
  PerPipe Counts;
  bool Branches = false;
  for (const SassPlace *P : Part) {
    SassOp Op = P->Op;
    const SassInstruction &I = M.L.Code[Op.Place];
    if (P->Kind.Class == SassClass::Memory) {
      auto It = B.Accesses.find({I.Line, I.Opcode.compare(0, 2, "ST") == 0});
      if (It == B.Accesses.end())
        return std::nullopt;
      size_t Same = It->second.size(), Before = Seen[It->first]++;
      Op.What = SassOp::Access;
      Op.Instruction = It->second[Before % Same];
      if (Before / Same >= MaxCopies ||
          accessBytes(I.Opcode) != bytesOf(M.F, M.F.Code[Op.Instruction]))
        return std::nullopt;
      Op.Copy = uint8_t(Before / Same);
    } else if (P->Kind.Class == SassClass::Control) {
      Branches = true;
      Op.What = SassOp::Control;
      Op.Instruction = B.Branch;
    } else if (P->Kind.Class == SassClass::Nothing && Op.Results.empty()) {
      continue;
    } else {
      ++Counts[{lineKey(I), P->Kind.Pipe}];
    }
    Loop.Ops.push_back(std::move(Op));
  }
  // Arithmetic alone is a loop only if it is repeated.
  if (Seen.empty() && Branches)
    Loop.Copies = copiesBy(B, Counts);
  for (const auto &[Key, Count] : Seen) {
    size_t Same = B.Accesses.at(Key).size();
    if (Count % Same || (Loop.Copies && Loop.Copies != Count / Same))
      return std::nullopt;
    Loop.Copies = unsigned(Count / Same);
  }
  if (!Loop.Copies || Loop.Copies > MaxCopies || !sameAccesses(B, One, Seen))
    return std::nullopt;
  if (Branches)
    Loop.Ops.back().Copy = uint8_t(Loop.Copies - 1);
  return Loop;
}

/// The micro-operation of \p Op, an access or a branch, as one iteration has
/// it.
const Uop *uopOf(const CostFunction &F, const SassOp &Op) {
  for (uint32_t K = F.FirstUop[Op.Instruction];
       K < F.FirstUop[Op.Instruction + 1]; ++K) {
    UopKind Kind = F.Uops[K].Kind;
    if (Op.What == SassOp::Access
            ? Kind == UopKind::Load || Kind == UopKind::Store
            : Kind == UopKind::Branch)
      return &F.Uops[K];
  }
  return nullptr;
}

} // namespace

void gevo::gpu::timing::findLoops(const SassMatch &M,
                                  const std::vector<SassPlace> &Code,
                                  SassFunction &Out) {
  std::map<uint32_t, Body> Bodies = findBodies(M);
  // Branches of its own divide what the assembler makes of a division.
  for (const SassPlace &At : Code)
    if (At.Expands)
      Bodies.erase(At.To);
  if (Bodies.empty())
    return;
  // By stretch of PTX and of machine code.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<const SassPlace *>> Parts;
  for (const SassPlace &At : Code)
    if (Bodies.count(At.To))
      Parts[{At.To, M.SassStretch[At.Op.Place]}].push_back(&At);
  std::map<uint32_t, unsigned> Most; // Copies, by first instruction.
  for (const auto &[Key, Part] : Parts)
    if (auto Loop = copiesOf(M, Bodies[Key.first], Part, Out)) {
      unsigned &Copies = Most[Loop->Begin];
      Copies = std::max(Copies, Loop->Copies);
      Out.Loops.push_back(std::move(*Loop));
    }
  // What stands there once is no remainder of a loop that was unrolled.
  Out.Loops.erase(
      std::remove_if(Out.Loops.begin(), Out.Loops.end(),
                     [&](const SassLoop &L) { return Most[L.Begin] < 2; }),
      Out.Loops.end());
  // Of equal ones the first counts.
  auto Key = [](const SassLoop &L) {
    return std::make_tuple(L.Begin, MaxCopies - L.Copies, L.Ops.front().Place);
  };
  std::sort(
      Out.Loops.begin(), Out.Loops.end(),
      [&](const SassLoop &A, const SassLoop &B) { return Key(A) < Key(B); });
}

void gevo::gpu::timing::addLoops(const SassFunction &Code, CostFunction &Out) {
  for (const SassLoop &L : Code.Loops) {
    uint32_t Index = Out.RegionAt[L.Begin];
    if (Index == NoIndex || Out.Regions[Index].End + 1 != L.End)
      continue;
    uint32_t First = uint32_t(Out.Uops.size());
    for (const SassOp &Op : L.Ops) {
      Uop U;
      if (Op.What == SassOp::Access || Op.What == SassOp::Control) {
        const Uop *Like = uopOf(Out, Op);
        if (!Like)
          continue;
        U = *Like;
      } else {
        U.Pipe = Op.Pipe;
        U.Latency = Op.Latency;
        U.Kind = Op.What == SassOp::Spill ? UopKind::Spill
                 : Op.Pipe == Unit::None  ? UopKind::Free
                                          : UopKind::Alu;
        U.Instruction = Op.Instruction;
      }
      U.Stall = Op.Stall;
      U.Copy = Op.Copy;
      Out.add(U, Op.Sources, Op.Results);
    }
    if (First == Out.Uops.size())
      continue;
    Region &R = Out.Regions[Index];
    if (!R.NumLoops++)
      R.FirstLoop = uint32_t(Out.Loops.size());
    Out.Loops.push_back(
        {L.Begin, L.End, L.Copies, First, uint32_t(Out.Uops.size()) - First});
  }
}
