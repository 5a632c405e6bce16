//===- SlowAccess.cpp - Memory accesses off the fast path -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/SlowAccess.h"
#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Recorder.h"
#include "runtime/gpu/exec/Touch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace gevo::gpu;

namespace {
std::string hex(uint64_t V) {
  char Buffer[32];
  std::snprintf(Buffer, sizeof Buffer, "0x%llx", (unsigned long long)V);
  return Buffer;
}

const char *verb(AccessKind K) {
  return K == AccessKind::Load    ? "read"
         : K == AccessKind::Store ? "write"
                                  : "atomic access";
}

std::string describe(const char *Space, AccessKind K, uint32_t Bytes,
                     uint64_t Address) {
  return std::string(Space) + " " + verb(K) + " of " + std::to_string(Bytes) +
         " bytes at " + hex(Address);
}

/// " is 4 bytes past the end of variable 's' of 128 bytes".
std::string beside(int64_t Distance, bool Inside, const std::string &What,
                   uint64_t Bytes) {
  uint64_t Far = uint64_t(Distance < 0 ? -Distance : Distance);
  return (Distance < 0 ? " is " + std::to_string(Far) + " bytes before "
          : Inside     ? " runs over the end of "
                   : " is " + std::to_string(Far) + " bytes past the end of ") +
         What + " of " + std::to_string(Bytes) + " bytes";
}

/// The same of the nearest of some variables; empty if there is none.
std::string besideNearest(const std::vector<NamedRange> &All, uint64_t Base,
                          uint64_t Offset) {
  const NamedRange *Best = nullptr;
  int64_t Distance = 0;
  for (const NamedRange &R : All) {
    // Addresses below 0 wrap around, in 32 or 64 bits.
    int64_t D = Offset >> 32 ? int64_t(Offset - Base - R.Begin)
                             : int32_t(uint32_t(Offset - Base - R.Begin));
    if (D >= 0)
      D = std::max<int64_t>(0, D - int64_t(R.Bytes));
    if (Best && std::llabs(D) >= std::llabs(Distance))
      continue;
    Best = &R;
    Distance = D;
  }
  if (!Best)
    return {};
  bool Inside = Offset - Base - Best->Begin < Best->Bytes;
  return " and" +
         beside(Distance, Inside, "variable '" + Best->Name + "'", Best->Bytes);
}

/// The local variables of all frames of the current path.
std::vector<NamedRange> variablesOf(const Warp &W) {
  std::vector<NamedRange> All;
  for (const Frame *F = W.Current; F; F = F->Caller)
    for (NamedRange R : F->Fn->Variables) {
      R.Begin += F->LocalBase;
      All.push_back(std::move(R));
    }
  return All;
}

std::string besideConstant(const Neighbour &N, uint64_t Address) {
  if (!N.Where)
    return {};
  return " and" + beside(N.Distance, N.Where->contains(Address, 1),
                         N.Where->Name.empty()
                             ? "the allocation"
                             : "variable '" + N.Where->Name + "'",
                         N.Where->Bytes);
}

/// What a stray read gives. The widest access has 32 bytes.
alignas(64) constexpr char Zeros[64] = {};
/// Memory of a GPU is mapped in pages of 2 MiB.
constexpr int64_t PageBytes = int64_t(2) << 20;

/// The access is in no allocation. Returns the host pointer of what is read
/// instead if the launch may go on, else 0.
uint64_t faultGlobal(Warp &W, unsigned Lane, uint64_t Address, uint32_t Bytes,
                     AccessKind Kind) {
  const GlobalMemory &M = W.Owner.G.Memory;
  std::string Text = describe("global", Kind, Bytes, Address);
  if (const Allocation *A = M.findFreed(Address)) {
    W.fault(FindingKind::UseAfterFree, Lane,
            Text + " is inside an allocation of " + std::to_string(A->Bytes) +
                " bytes at " + hex(A->Base) + " that was freed",
            Address, Bytes);
    return 0;
  }
  Neighbour N = M.nearest(Address);
  if (N.Where) {
    Text += beside(N.Distance, N.Where->contains(Address, 1),
                   N.Where->Name.empty() ? "the allocation"
                                         : "variable '" + N.Where->Name + "'",
                   N.Where->Bytes) +
            " at " + hex(N.Where->Base);
  } else {
    Text += ", but nothing is allocated";
  }
  if (W.Owner.G.Options.GoOnAfterStrayReads && Kind == AccessKind::Load &&
      N.Where && std::llabs(N.Distance) < PageBytes) {
    W.report(FindingKind::OutOfBoundsGlobal, Lane, Text, Address, Bytes);
    return reinterpret_cast<uint64_t>(Zeros);
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
  case ptx::Space::Const: {
    Space = TraceSpace::Const;
    const Allocation *A = B.G.Memory.find(Address, Bytes);
    if (Kind == AccessKind::Load && A && A->Kind == MemoryKind::ModuleConst)
      return Address;
    W.fault(Kind == AccessKind::Load ? FindingKind::OutOfBoundsConst
                                     : FindingKind::WriteToReadOnly,
            Lane,
            describe("constant", Kind, Bytes, Address) +
                " is outside of the module's constants" +
                besideConstant(B.G.Memory.nearest(Address), Address),
            Address, Bytes);
    return 0;
  }
  case ptx::Space::Global:
  case ptx::Space::Generic:
    break;
  }
  Space = TraceSpace::Global;
  return resolveGlobal(W, Lane, Address, Bytes, Kind, Space);
}

/// Whether one of \p Bytes bytes, a power of two, lies in no variable.
bool isBeyond(const uint8_t *Shadow, uint32_t Bytes) {
  constexpr uint64_t Live = 0x0101010101010101ull * ShadowLive;
  uint64_t Marks = Live;
  for (uint32_t Done = 0; Done < Bytes; Done += 8) {
    uint64_t Some = Live;
    std::memcpy(&Some, Shadow + Done, std::min(Bytes - Done, 8u));
    Marks &= Some;
  }
  return (Marks & Live) != Live;
}

/// The same of all lanes of \p Mask with accesses as wide as T. Most are fine,
/// which takes no branch to find out.
template <typename T>
bool isAnyBeyond(const uint8_t *Shadow, const uint64_t (&A)[WarpSize],
                 uint64_t Memory, uint32_t Mask) {
  constexpr T Live = T(0x0101010101010101ull * ShadowLive);
  T Marks = Live;
  for (; Mask; Mask &= Mask - 1) {
    T Some;
    std::memcpy(&Some, Shadow + (A[__builtin_ctz(Mask)] - Memory), sizeof(T));
    Marks &= Some;
  }
  return (Marks & Live) != Live;
}

/// How many of \p Bytes bytes, a power of two, are marked as written.
uint32_t written(const uint8_t *Shadow, uint32_t Bytes) {
  uint32_t N = 0;
  for (uint32_t Done = 0; Done < Bytes; Done += 8) {
    uint64_t Marks = 0;
    std::memcpy(&Marks, Shadow + Done, std::min(Bytes - Done, 8u));
    N += unsigned(__builtin_popcountll(Marks & 0x0101010101010101ull));
  }
  return N;
}

/// Shared and local bytes that are read before they were written.
void checkInitialised(Warp &W, uint32_t Mask, const uint64_t (&A)[WarpSize],
                      uint32_t Bytes, AccessKind Kind, TraceSpace Space) {
  bool Shared = Space == TraceSpace::Shared;
  uint8_t *Shadow = Shared ? W.Owner.SharedShadow.data() : W.LocalShadow;
  const char *Memory = Shared ? W.Owner.Shared : W.LocalMemory;
  if (!Shadow || (Shared && !W.Owner.SharedUnwritten))
    return;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    uint64_t Offset = A[L] - reinterpret_cast<uint64_t>(Memory);
    if (!Shared && isBeyond(Shadow + Offset, Bytes))
      continue; // checkStack() told.
    uint32_t Missing = Bytes - written(Shadow + Offset, Bytes);
    if (!Missing)
      continue;
    // Copies of structures take along what was never set.
    if (Kind == AccessKind::Load && !Shared &&
        W.Owner.G.copies(W.Current->Function, W.Pc))
      continue;
    if (Kind != AccessKind::Store) {
      uint64_t Where = Shared ? Offset : Offset - L * W.LocalStride;
      W.report(Shared ? FindingKind::UninitShared : FindingKind::UninitLocal, L,
               describe(Shared ? "shared" : "local", Kind, Bytes, Where) +
                   " reads what was never written",
               Where, Bytes);
    }
    if (Kind == AccessKind::Load)
      continue;
    std::memset(Shadow + Offset, Shared ? 1 : ShadowWritten, Bytes);
    if (Shared)
      W.Owner.SharedUnwritten -= Missing;
  }
}
} // namespace

void gevo::gpu::checkStack(Warp &W, uint32_t Mask,
                           const uint64_t (&A)[WarpSize], uint32_t Bytes,
                           AccessKind Kind) {
  uint64_t Memory = reinterpret_cast<uint64_t>(W.LocalMemory);
  if ((Bytes == 4 && !isAnyBeyond<uint32_t>(W.LocalShadow, A, Memory, Mask)) ||
      (Bytes == 8 && !isAnyBeyond<uint64_t>(W.LocalShadow, A, Memory, Mask)))
    return;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    uint64_t Offset = A[L] - Memory;
    const uint8_t *Marks = W.LocalShadow + Offset;
    if (!isBeyond(Marks, Bytes))
      continue;
    uint64_t Where = Offset - L * W.LocalStride;
    std::string Text = describe("local", Kind, Bytes, Where);
    if (std::count(Marks, Marks + Bytes, ShadowReturned))
      W.report(FindingKind::UseAfterFree, L,
               Text + " is in the stack of a call that has returned", Where,
               Bytes);
    else
      W.report(FindingKind::OutOfBoundsLocal, L,
               Text + " is outside of the thread's variables" +
                   besideNearest(variablesOf(W), 0, Where),
               Where, Bytes);
  }
}

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
                  " bytes at " + hex(A[L]) + " is misaligned",
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
  bool Recorded = !W.Trace;
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
