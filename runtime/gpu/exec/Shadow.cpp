//===- Shadow.cpp - Checks by marks, one for each byte --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Shadow.h"
#include "runtime/gpu/exec/AccessText.h"
#include "runtime/gpu/exec/Block.h"

#include <algorithm>
#include <cstring>

using namespace gevo::gpu;

namespace {
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

/// Whether all that the lanes of \p Mask access, each as much as T has, is
/// marked so. Mostly it is, which takes no branch to find out.
template <typename T>
bool areMarked(const uint8_t *Shadow, const uint64_t (&A)[WarpSize],
               uint64_t Memory, uint32_t Mask, uint8_t Mark) {
  const T Wanted = T(0x0101010101010101ull * Mark);
  T Marks = Wanted;
  for (; Mask; Mask &= Mask - 1) {
    T Some;
    std::memcpy(&Some, Shadow + (A[__builtin_ctz(Mask)] - Memory), sizeof(T));
    Marks &= Some;
  }
  return (Marks & Wanted) == Wanted;
}

/// The same by width; of other widths nothing is known.
bool areMarked(const uint8_t *Shadow, const uint64_t (&A)[WarpSize],
               uint64_t Memory, uint32_t Mask, uint32_t Bytes, uint8_t Mark) {
  switch (Bytes) {
  case 1:
    return areMarked<uint8_t>(Shadow, A, Memory, Mask, Mark);
  case 2:
    return areMarked<uint16_t>(Shadow, A, Memory, Mask, Mark);
  case 4:
    return areMarked<uint32_t>(Shadow, A, Memory, Mask, Mark);
  case 8:
    return areMarked<uint64_t>(Shadow, A, Memory, Mask, Mark);
  default:
    return false;
  }
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

} // namespace

void gevo::gpu::checkInitialised(Warp &W, uint32_t Mask,
                                 const uint64_t (&A)[WarpSize], uint32_t Bytes,
                                 AccessKind Kind, TraceSpace Space) {
  bool Shared = Space == TraceSpace::Shared;
  uint8_t *Shadow = Shared ? W.Owner.SharedShadow.data() : W.LocalShadow;
  uint64_t Memory =
      reinterpret_cast<uint64_t>(Shared ? W.Owner.Shared : W.LocalMemory);
  if (!Shadow || (Shared && !W.Owner.SharedUnwritten) ||
      areMarked(Shadow, A, Memory, Mask, Bytes, /*Mark=*/1))
    return;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    uint64_t Offset = A[L] - Memory;
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

void gevo::gpu::forgetShared(Warp &W, uint32_t Mask,
                             const uint64_t (&A)[WarpSize], uint32_t Bytes) {
  std::vector<uint8_t> &Shadow = W.Owner.SharedShadow;
  for (uint32_t M = Mask; M; M &= M - 1) {
    uint64_t Offset =
        A[__builtin_ctz(M)] - reinterpret_cast<uint64_t>(W.Owner.Shared);
    if (Shadow.size() < Bytes || Offset > Shadow.size() - Bytes)
      continue; // Not checked, or a generic address of other memory.
    W.Owner.SharedUnwritten += written(&Shadow[Offset], Bytes);
    std::memset(&Shadow[Offset], 0, Bytes);
  }
}

void gevo::gpu::checkStack(Warp &W, uint32_t Mask,
                           const uint64_t (&A)[WarpSize], uint32_t Bytes,
                           AccessKind Kind) {
  uint64_t Memory = reinterpret_cast<uint64_t>(W.LocalMemory);
  if (areMarked(W.LocalShadow, A, Memory, Mask, Bytes, ShadowLive))
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
