//===- HandlersMemory.cpp - ld and st -------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Access.h"

#include <cstring>

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

void countLoad(Warp &W, const Inst &I) {
  LaunchCounters &C = W.Owner.G.Result.Counters;
  if (I.Where == ptx::Space::Shared)
    ++C.SharedLoads;
  else if (I.Where == ptx::Space::Global || I.Where == ptx::Space::Generic)
    ++C.GlobalLoads;
}
void countStore(Warp &W, const Inst &I) {
  LaunchCounters &C = W.Owner.G.Result.Counters;
  if (I.Where == ptx::Space::Shared)
    ++C.SharedStores;
  else if (I.Where == ptx::Space::Global || I.Where == ptx::Space::Generic)
    ++C.GlobalStores;
}

/// Lanes next to each other: the row is one piece of memory.
template <unsigned Size> bool contiguous(const uint64_t (&A)[WarpSize]) {
  uint64_t Off = 0;
  for (unsigned L = 0; L < WarpSize; ++L)
    Off |= A[L] ^ (A[0] + L * Size);
  return Off == 0;
}

/// E is the element in memory, R the lane of the register; signed elements
/// are extended to the register's width.
template <typename E, typename R> inline R widen(E V) {
  if constexpr (std::is_signed_v<E>)
    return R(std::make_signed_t<R>(V));
  else
    return R(V);
}

template <typename E, typename R>
void load(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  countLoad(W, I);
  if (!resolve(W, I, Mask, A, sizeof(E), AccessKind::Load))
    return;
  R *D = W.row<R>(I.D);
  if (Mask == FullMask) {
    if constexpr (sizeof(E) == sizeof(R))
      if (contiguous<sizeof(E)>(A)) {
        std::memcpy(D, reinterpret_cast<const void *>(A[0]),
                    WarpSize * sizeof(R));
        return;
      }
    for (unsigned L = 0; L < WarpSize; ++L) {
      E V;
      std::memcpy(&V, reinterpret_cast<const void *>(A[L]), sizeof(E));
      D[L] = widen<E, R>(V);
    }
    return;
  }
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    E V;
    std::memcpy(&V, reinterpret_cast<const void *>(A[L]), sizeof(E));
    D[L] = widen<E, R>(V);
  }
}

/// ld.v2 and ld.v4; a sink element has no slot.
template <typename E, typename R>
void loadVector(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  countLoad(W, I);
  if (!resolve(W, I, Mask, A, uint32_t(sizeof(E) * I.Count), AccessKind::Load))
    return;
  const uint32_t *Slots = W.code().VectorSlots.data() + I.D;
  for (unsigned K = 0; K < I.Count; ++K) {
    if (Slots[K] == NoSlot)
      continue;
    R *D = W.row<R>(Slots[K]);
    for (uint32_t M = Mask; M; M &= M - 1) {
      unsigned L = unsigned(__builtin_ctz(M));
      E V;
      std::memcpy(&V, reinterpret_cast<const char *>(A[L]) + K * sizeof(E),
                  sizeof(E));
      D[L] = widen<E, R>(V);
    }
  }
}

/// 128-bit registers, and elements of vectors of them.
void load128(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  countLoad(W, I);
  if (!resolve(W, I, Mask, A, 16, AccessKind::Load))
    return;
  uint64_t *D = W.row<uint64_t>(I.D);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    std::memcpy(&D[L], reinterpret_cast<const char *>(A[L]), 8);
    std::memcpy(&D[WarpSize + L], reinterpret_cast<const char *>(A[L]) + 8, 8);
  }
}

/// The same parameter for all lanes.
template <typename E, typename R>
void loadParam(Warp &W, const Inst &I, uint32_t Mask) {
  const std::vector<char> &P = W.Owner.G.Params;
  uint64_t Offset = uint64_t(I.Imm);
  if (Offset > P.size() || sizeof(E) > P.size() - Offset || Offset % sizeof(E))
    return load<E, R>(W, I, Mask);
  if (W.Trace)
    recordNothing(W); // A constant operand of machine code.
  E V;
  std::memcpy(&V, P.data() + Offset, sizeof(E));
  R X = widen<E, R>(V);
  dense(Mask, W.row<R>(I.D), [=](unsigned) { return X; });
}

template <typename E, typename R>
void store(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  countStore(W, I);
  if (!resolve(W, I, Mask, A, sizeof(E), AccessKind::Store))
    return;
  const R *B = W.row<R>(I.B);
  if (Mask == FullMask) {
    if constexpr (sizeof(E) == sizeof(R))
      if (contiguous<sizeof(E)>(A)) {
        std::memcpy(reinterpret_cast<void *>(A[0]), B, WarpSize * sizeof(R));
        return;
      }
    for (unsigned L = 0; L < WarpSize; ++L) {
      E V = E(B[L]);
      std::memcpy(reinterpret_cast<void *>(A[L]), &V, sizeof(E));
    }
    return;
  }
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    E V = E(B[L]);
    std::memcpy(reinterpret_cast<void *>(A[L]), &V, sizeof(E));
  }
}

template <typename E, typename R>
void storeVector(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  countStore(W, I);
  if (!resolve(W, I, Mask, A, uint32_t(sizeof(E) * I.Count), AccessKind::Store))
    return;
  const uint32_t *Slots = W.code().VectorSlots.data() + I.B;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    for (unsigned K = 0; K < I.Count; ++K) {
      E V = E(W.row<R>(Slots[K])[L]);
      std::memcpy(reinterpret_cast<char *>(A[L]) + K * sizeof(E), &V,
                  sizeof(E));
    }
  }
}

void store128(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  countStore(W, I);
  if (!resolve(W, I, Mask, A, 16, AccessKind::Store))
    return;
  const uint64_t *B = W.row<uint64_t>(I.B);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    std::memcpy(reinterpret_cast<char *>(A[L]), &B[L], 8);
    std::memcpy(reinterpret_cast<char *>(A[L]) + 8, &B[WarpSize + L], 8);
  }
}

template <typename E, typename R> Handler pickFor(const OpDesc &D) {
  if (D.Op == Opcode::St)
    return D.Vector ? storeVector<E, R> : store<E, R>;
  if (D.Word == Mod::Param)
    return loadParam<E, R>;
  return D.Vector ? loadVector<E, R> : load<E, R>;
}

template <typename E> Handler pickRow(const OpDesc &D) {
  unsigned Row = D.Op == Opcode::St ? D.SrcRow : D.DstRow;
  if (Row == 8)
    return pickFor<E, uint64_t>(D);
  if constexpr (sizeof(E) <= 4)
    return pickFor<E, uint32_t>(D);
  return nullptr;
}

} // namespace

Handler pickMemory(const OpDesc &D) {
  if (D.Type == Mod::B128)
    return D.Vector ? nullptr : D.Op == Opcode::St ? store128 : load128;
  // Floats are moved as bits.
  unsigned Bits = ptx::typeBits(D.Type);
  bool Signed = ptx::isSignedType(D.Type) && D.Op != Opcode::St;
  switch (Bits) {
  case 8:
    return Signed ? pickRow<int8_t>(D) : pickRow<uint8_t>(D);
  case 16:
    return Signed ? pickRow<int16_t>(D) : pickRow<uint16_t>(D);
  case 32:
    return Signed ? pickRow<int32_t>(D) : pickRow<uint32_t>(D);
  case 64:
    return pickRow<uint64_t>(D);
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
