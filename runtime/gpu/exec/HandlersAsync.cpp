//===- HandlersAsync.cpp - cp.async and mbarrier --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier object is one word: how many arrivals a phase takes, how many are
// pending, how many bytes are awaited, and the parity of the phase. A phase is
// complete when nothing is pending or awaited; the next one starts at once.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Access.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Shadow.h"

#include <cstring>

using namespace gevo::gpu;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

/// The word taken apart.
struct Phase {
  static constexpr uint32_t CountMask = (1u << 20) - 1;
  uint32_t Pending, Expected, Parity;
  int32_t Bytes; ///< Awaited; 21 bits.

  explicit Phase(uint64_t W)
      : Pending(uint32_t(W) & CountMask), Expected(W >> 20 & CountMask),
        Parity(W >> 61 & 1), Bytes(int32_t(W >> 40 << 11) >> 11) {}
  uint64_t word() const {
    return uint64_t(Pending & CountMask) |
           uint64_t(Expected & CountMask) << 20 |
           uint64_t(uint32_t(Bytes) & 0x1fffff) << 40 | uint64_t(Parity) << 61;
  }
  void settle() {
    if (Pending == 0 && Bytes == 0) {
      Parity ^= 1;
      Pending = Expected;
    }
  }
};

template <Opcode Op> uint64_t change(uint64_t Word, const Inst &I, uint32_t N) {
  Phase P(Word);
  switch (Op) {
  case Opcode::MbarrierInit:
    P = Phase(uint64_t(N & Phase::CountMask) * ((1u << 20) + 1));
    return P.word();
  case Opcode::MbarrierInval:
    return 0;
  case Opcode::MbarrierExpectTx:
    P.Bytes += int32_t(N);
    return P.word();
  case Opcode::MbarrierCompleteTx:
    P.Bytes -= int32_t(N);
    break;
  case Opcode::CpAsyncArrive:
    // Without .noinc the arrival was added before it is taken away.
    P.Pending -= I.Sub == 2;
    break;
  default:
    if (I.Sub == 1) { // .expect_tx: the count is of bytes.
      P.Bytes += int32_t(N);
      N = 1;
    }
    if (Op == Opcode::MbarrierArriveDrop)
      P.Expected -= N;
    P.Pending -= N;
    break;
  }
  P.settle();
  return P.word();
}

template <Opcode Op> void barrier(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr bool Begins = Op == Opcode::MbarrierInit;
  constexpr bool Ends = Op == Opcode::MbarrierInval;
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  if (!Begins && !Ends)
    ++W.Owner.G.Result.Counters.Atomics;
  if (!resolve(W, I, Mask, A, 8,
               Begins ? AccessKind::Store : AccessKind::Atomic))
    return;
  const uint32_t *N = W.row<uint32_t>(I.B);
  uint64_t *D = I.D == NoSlot ? nullptr : W.row<uint64_t>(I.D);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    uint64_t Old, New;
    std::memcpy(&Old, reinterpret_cast<const void *>(A[L]), 8);
    New = change<Op>(Old, I, N[L]);
    std::memcpy(reinterpret_cast<void *>(A[L]), &New, 8);
    if (D)
      D[L] = Old;
  }
  if (Ends)
    forgetShared(W, Mask, A, 8);
}

/// True for lanes whose phase is over: the current one has another parity.
void wait(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  ++W.Owner.G.Result.Counters.Atomics;
  if (!resolve(W, I, Mask, A, 8, AccessKind::Atomic))
    return;
  uint32_t Over = 0;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    uint64_t Word;
    std::memcpy(&Word, reinterpret_cast<const void *>(A[L]), 8);
    uint32_t Asked = I.Sub ? W.row<uint32_t>(I.B)[L] & 1
                           : Phase(W.row<uint64_t>(I.B)[L]).Parity;
    Over |= uint32_t(Phase(Word).Parity != Asked) << L;
  }
  blend(W.pred(I.D), Over, Mask);
  W.GivesWay = Over != Mask;
  // Lanes that went through have met.
  if (W.Owner.G.Races && Over)
    W.Owner.G.Races->warpSync(W.Owner, W.Index, Over);
}

void pendingCount(Warp &W, const Inst &I, uint32_t Mask) {
  const uint64_t *A = W.row<uint64_t>(I.A);
  sparse(Mask, W.row<uint32_t>(I.D),
         [=](unsigned L) { return Phase(A[L]).Pending; });
}

/// How many bytes a lane reads; the rest of the copy is zeros.
uint32_t sourceBytes(Warp &W, const Inst &I, unsigned L) {
  if (I.Sub == 2) {
    uint32_t P = W.pred(I.C) ^ (I.Flags & FlagNegateC ? FullMask : 0);
    return P >> L & 1 ? 0 : I.Bytes;
  }
  if (I.Sub == 0)
    return I.Bytes;
  uint32_t N = W.row<uint32_t>(I.C)[L];
  return N < I.Bytes ? N : I.Bytes;
}

/// Reads what the lanes of \p Mask copy into \p Data. A size that is no power
/// of two is read in pieces that are.
bool readSource(Warp &W, const Inst &I, uint32_t Mask,
                char (&Data)[WarpSize][16]) {
  const Inst &From = W.code().Sources[I.Reconverge];
  alignas(64) uint64_t Src[WarpSize], Piece[WarpSize];
  uint32_t Bytes[WarpSize] = {};
  addresses(W, From, Src);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    Bytes[L] = sourceBytes(W, I, L);
    if (Src[L] & (I.Bytes - 1u)) {
      W.fault(FindingKind::Misaligned, L,
              "the source of a copy of " + std::to_string(I.Bytes) +
                  " bytes is misaligned",
              Src[L], I.Bytes);
      return false;
    }
  }
  for (uint32_t Size = 16; Size; Size /= 2) {
    uint32_t Now = 0;
    for (uint32_t M = Mask; M; M &= M - 1) {
      unsigned L = unsigned(__builtin_ctz(M));
      Now |= Bytes[L] & Size ? 1u << L : 0;
      Piece[L] = Src[L] + (Bytes[L] & ~(2 * Size - 1));
    }
    if (!Now)
      continue;
    if (!resolve(W, From, Now, Piece, Size, AccessKind::Load))
      return false;
    // A trace has one record per instruction.
    W.Trace = nullptr;
    W.Counted = false;
    for (uint32_t M = Now; M; M &= M - 1) {
      unsigned L = unsigned(__builtin_ctz(M));
      std::memcpy(Data[L] + (Bytes[L] & ~(2 * Size - 1)),
                  reinterpret_cast<const void *>(Piece[L]), Size);
    }
  }
  return true;
}

void copy(Warp &W, const Inst &I, uint32_t Mask) {
  char Data[WarpSize][16] = {};
  ++W.Owner.G.Result.Counters.GlobalLoads;
  ++W.Owner.G.Result.Counters.SharedStores;
  WarpTrace *Trace = W.Trace;
  bool Counted = W.Counted;
  bool Ok = readSource(W, I, Mask, Data);
  uint64_t *Row = W.row<uint64_t>(I.B);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    std::memcpy(&Row[L], Data[L], 8);
    std::memcpy(&Row[WarpSize + L], Data[L] + 8, 8);
  }
  alignas(64) uint64_t Dst[WarpSize];
  addresses(W, I, Dst);
  Ok = Ok && resolve(W, I, Mask, Dst, I.Bytes, AccessKind::Store);
  W.Trace = Trace;
  W.Counted = Counted;
  for (uint32_t M = Ok ? Mask : 0; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    std::memcpy(reinterpret_cast<void *>(Dst[L]), Data[L], I.Bytes);
  }
}

} // namespace

Handler pickAsync(const OpDesc &D) {
  switch (D.Op) {
#define GEVO_BARRIER(Name)                                                     \
  case Opcode::Name:                                                           \
    return barrier<Opcode::Name>;
    GEVO_BARRIER(MbarrierInit)
    GEVO_BARRIER(MbarrierInval)
    GEVO_BARRIER(MbarrierExpectTx)
    GEVO_BARRIER(MbarrierCompleteTx)
    GEVO_BARRIER(MbarrierArrive)
    GEVO_BARRIER(MbarrierArriveDrop)
    GEVO_BARRIER(CpAsyncArrive)
#undef GEVO_BARRIER
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTryWait:
    return wait;
  case Opcode::MbarrierPending:
    return pendingCount;
  case Opcode::CpAsync:
    return copy;
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
