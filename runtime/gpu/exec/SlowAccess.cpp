//===- SlowAccess.cpp - Memory accesses off the fast path -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/SlowAccess.h"
#include "runtime/gpu/exec/AccessText.h"
#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Recorder.h"
#include "runtime/gpu/exec/Shadow.h"
#include "runtime/gpu/exec/Touch.h"

#include <algorithm>
#include <cstring>

using namespace gevo::gpu;

namespace {
/// Memory of a GPU is mapped in pages of 2 MiB.
constexpr int64_t PageBytes = int64_t(2) << 20;
/// Below this an address is a null pointer with an index or a member's offset.
constexpr uint64_t NullBytes = 65536;

/// The access is in no allocation. Returns the host pointer of what is read or
/// written instead if the launch may go on, else 0.
uint64_t faultGlobal(Warp &W, unsigned Lane, uint64_t Address, uint32_t Bytes,
                     AccessKind Kind) {
  GlobalMemory &M = W.Owner.G.Memory;
  std::string Text = describe("global", Kind, Bytes, Address);
  if (const Allocation *A = M.findFreed(Address)) {
    W.fault(FindingKind::UseAfterFree, Lane,
            Text + " is inside an allocation of " + std::to_string(A->Bytes) +
                " bytes at " + hexText(A->Base) + " that was freed",
            Address, Bytes);
    return 0;
  }
  Neighbour N = M.nearest(Address);
  if (Address < NullBytes) {
    Text += " goes through a null pointer";
  } else if (N.Where) {
    Text += beside(N.Distance, N.Where->contains(Address, 1),
                   N.Where->Name.empty() ? "the allocation"
                                         : "variable '" + N.Where->Name + "'",
                   N.Where->Bytes) +
            " at " + hexText(N.Where->Base);
  } else {
    Text += ", but nothing is allocated";
  }
  if (W.Owner.G.Options.GoOnAfterStrays && N.Where &&
      std::llabs(N.Distance) < PageBytes) {
    W.report(FindingKind::OutOfBoundsGlobal, Lane, Text, Address, Bytes);
    std::memset(W.Stray, 0, sizeof(W.Stray));
    return reinterpret_cast<uint64_t>(W.Stray);
  }
  W.fault(FindingKind::OutOfBoundsGlobal, Lane, Text, Address, Bytes);
  return 0;
}

} // namespace

bool gevo::gpu::hitAnother(Warp &W, uint64_t Address) {
  GlobalMemory &M = W.Owner.G.Memory;
  if (W.LastGeneration != M.generation()) {
    for (Warp::Hit &H : W.Hits)
      H = Warp::Hit();
    W.LastGeneration = M.generation();
    W.LastLo = W.LastHi = 0;
  }
  if (Address - W.LastLo < W.LastHi - W.LastLo)
    return false;
  const Warp::Hit *Found = nullptr;
  for (const Warp::Hit &H : W.Hits)
    if (Address - H.Lo < H.Hi - H.Lo)
      Found = &H;
  if (!Found) {
    const Allocation *A = M.find(Address);
    if (!A)
      return false;
    Warp::Hit &H = W.Hits[W.NextHit++ % std::size(W.Hits)];
    H = {A->Base, A->end(), A->Kind != MemoryKind::ModuleConst};
    Found = &H;
  }
  W.LastLo = Found->Lo;
  W.LastHi = Found->Hi;
  W.LastWritable = Found->Writable;
  return true;
}

namespace {
/// One lane in the global space: the host pointer, or 0 after a fault.
uint64_t resolveGlobal(Warp &W, unsigned Lane, uint64_t Address, uint32_t Bytes,
                       AccessKind Kind, TraceSpace &Space) {
  GlobalMemory &M = W.Owner.G.Memory;
  const Allocation *A = M.find(Address, Bytes);
  if (!A) {
    // What is no memory is neither traced nor watched.
    Space = TraceSpace::None;
    return faultGlobal(W, Lane, Address, Bytes, Kind);
  }
  bool Writable = A->Kind != MemoryKind::ModuleConst;
  if (Kind != AccessKind::Load && !Writable) {
    W.fault(FindingKind::WriteToReadOnly, Lane,
            describe("global", Kind, Bytes, Address) +
                " goes to the constant '" + A->Name + "'",
            Address, Bytes);
    return 0;
  }
  W.LastLo = A->Base;
  W.LastHi = A->end();
  W.LastWritable = Writable;
  W.LastGeneration = M.generation();
  return Address;
}

/// The constants of a module lie together in a bank of this size, all of which
/// a GPU reads without complaint.
constexpr uint64_t ConstBankBytes = 64 * 1024;

/// Do bytes that are not all in one variable lie in the bank of the constant
/// nearest to them? What is there between variables is memory of nobody.
bool isInBank(GlobalMemory &M, const Neighbour &N, uint64_t Address,
              uint32_t Bytes) {
  auto ofBank = [&](uint64_t At) {
    const Allocation *A = M.find(At);
    return M.isInArena(At) && (!A || A->Kind == MemoryKind::ModuleConst);
  };
  return N.Where && N.Where->Kind == MemoryKind::ModuleConst &&
         Address - N.Where->Base < ConstBankBytes - Bytes && ofBank(Address) &&
         ofBank(Address + Bytes - 1);
}

/// One lane in the space of constants.
uint64_t resolveConst(Warp &W, unsigned Lane, uint64_t Address, uint32_t Bytes,
                      AccessKind Kind) {
  GlobalMemory &M = W.Owner.G.Memory;
  const Allocation *A = M.find(Address, Bytes);
  bool Loads = Kind == AccessKind::Load;
  if (Loads && A && A->Kind == MemoryKind::ModuleConst)
    return Address;
  Neighbour N = M.nearest(Address);
  std::string Text = describe("constant", Kind, Bytes, Address) +
                     " is outside of the module's constants" +
                     besideConstant(N, Address);
  if (Loads && isInBank(M, N, Address, Bytes)) {
    W.report(FindingKind::OutOfBoundsConst, Lane, std::move(Text), Address,
             Bytes);
    return Address;
  }
  W.fault(Loads ? FindingKind::OutOfBoundsConst : FindingKind::WriteToReadOnly,
          Lane, std::move(Text), Address, Bytes);
  return 0;
}

/// One lane in any space; \p Space is what the address turned out to be in.
uint64_t resolveLane(Warp &W, const Inst &I, unsigned Lane, uint64_t Address,
                     uint32_t Bytes, AccessKind Kind, TraceSpace &Space) {
  Block &B = W.Owner;
  ptx::Space Where = I.Where;
  uint64_t Offset = Address;
  if (Where == ptx::Space::Generic) {
    Where = ptx::Space::Global;
    Offset = Address & ~WindowMask;
    switch (Address & WindowMask) {
    case SharedWindow:
      Where = ptx::Space::Shared;
      break;
    case LocalWindow:
      Where = ptx::Space::Local;
      break;
    case ParamWindow:
      Where = ptx::Space::Param;
      break;
    default:
      Offset = Address;
      break;
    }
  } else if (Where == ptx::Space::Shared || Where == ptx::Space::Local) {
    // Addresses in these spaces have 32 bits; a wider register is truncated.
    Offset = uint32_t(Address);
  }
  switch (Where) {
  case ptx::Space::Shared:
    Space = TraceSpace::Shared;
    if (char *P = B.shared(Offset, Bytes))
      return reinterpret_cast<uint64_t>(P);
    W.fault(FindingKind::OutOfBoundsShared, Lane,
            describe("shared", Kind, Bytes, Offset) +
                " is outside of the block's " +
                std::to_string(B.G.SharedBytes) + " bytes of shared memory" +
                besideNearest(B.G.Code.SharedVariables, 0, Offset),
            Offset, Bytes);
    return 0;
  case ptx::Space::Local:
    Space = TraceSpace::Local;
    if (char *P = W.local(Lane, Offset, Bytes))
      return reinterpret_cast<uint64_t>(P);
    W.fault(FindingKind::OutOfBoundsLocal, Lane,
            describe("local", Kind, Bytes, Offset) +
                " is outside of the thread's " + std::to_string(W.LocalLimit) +
                " bytes of local memory" +
                besideNearest(variablesOf(W), 0, Offset),
            Offset, Bytes);
    return 0;
  case ptx::Space::Param: {
    Space = TraceSpace::Param;
    std::vector<char> &P = B.G.Params;
    if (Kind == AccessKind::Load && Offset <= P.size() &&
        Bytes <= P.size() - Offset)
      return reinterpret_cast<uint64_t>(P.data()) + Offset;
    W.fault(Kind == AccessKind::Load ? FindingKind::OutOfBoundsParam
                                     : FindingKind::WriteToReadOnly,
            Lane,
            describe("parameter", Kind, Bytes, Offset) +
                " does not fit the kernel's " + std::to_string(P.size()) +
                " bytes of parameters",
            Offset, Bytes);
    return 0;
  }
  case ptx::Space::Const:
    Space = TraceSpace::Const;
    return resolveConst(W, Lane, Address, Bytes, Kind);
  case ptx::Space::Global:
  case ptx::Space::Generic:
    break;
  }
  Space = TraceSpace::Global;
  return resolveGlobal(W, Lane, Address, Bytes, Kind, Space);
}

} // namespace

bool gevo::gpu::watchAccess(Warp &W, const Inst &I, uint32_t Mask,
                            const uint64_t (&A)[WarpSize], uint32_t Bytes,
                            AccessKind Kind, TraceSpace Space) {
  if (W.Owner.G.CheckUninit &&
      (Space == TraceSpace::Shared || Space == TraceSpace::Local))
    checkInitialised(W, Mask, A, Bytes, Kind, Space);
  if (W.Owner.G.Races &&
      (Space == TraceSpace::Shared || Space == TraceSpace::Global))
    W.Owner.G.Races->access(W, I, Mask, A, Bytes, Kind, Space);
  if (W.Owner.G.Options.Touches &&
      (Space == TraceSpace::Global || Space == TraceSpace::Const))
    W.Owner.G.Options.Touches->access(
        W, Mask, A, Bytes, Kind != AccessKind::Store, Kind != AccessKind::Load);
  return true;
}

bool gevo::gpu::resolveSlowly(Warp &W, const Inst &I, uint32_t Mask,
                              uint64_t (&A)[WarpSize], uint32_t Bytes,
                              AccessKind Kind) {
  TraceSpace Spaces[WarpSize] = {};
  uint32_t Of[6] = {};
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    if (A[L] & (Bytes - 1)) {
      W.fault(FindingKind::Misaligned, L,
              std::string(verb(Kind)) + " of " + std::to_string(Bytes) +
                  " bytes at " + hexText(A[L]) + " is misaligned",
              A[L], Bytes);
      return false;
    }
    A[L] = resolveLane(W, I, L, A[L], Bytes, Kind, Spaces[L]);
    if (W.Faulted)
      return false;
    if (Kind == AccessKind::Atomic && Spaces[L] == TraceSpace::Local &&
        W.Owner.G.checks(CheckFamily::Atomic))
      W.report(FindingKind::InvalidAtomic, L, "atomic access to local memory",
               A[L], Bytes);
    Of[unsigned(Spaces[L])] |= 1u << L;
  }
  if (uint32_t Locals = Of[unsigned(TraceSpace::Local)];
      Locals && W.LocalShadow)
    checkStack(W, Locals, A, Bytes, Kind);
  if (!W.Watched)
    return true;
  // A trace has one record per instruction: that of the first space present.
  bool Recorded = !W.Counted;
  for (unsigned S = 1; S < 6; ++S)
    if (Of[S]) {
      if (!Recorded)
        recordAccess(W, W.Owner.G.Traces->memo(W.Current->Function, W.Pc),
                     Of[S], A, Bytes, Kind, TraceSpace(S));
      Recorded = true;
      watchAccess(W, I, Of[S], A, Bytes, Kind, TraceSpace(S));
    }
  if (!Recorded)
    recordNothing(W);
  return true;
}
