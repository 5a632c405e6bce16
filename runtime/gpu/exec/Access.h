//===- Access.h - Checked access to the memories of a warp ------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The addresses of a memory instruction, checked and turned into host pointers.
// The usual case, all lanes inside the allocation that was hit last, is decided
// by one loop without branches. Compiled once per instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_ACCESS_H
#define GEVO_RUNTIME_GPU_EXEC_ACCESS_H

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Lanes.h"
#include "runtime/gpu/exec/Recorder.h"
#include "runtime/gpu/exec/Shadow.h"
#include "runtime/gpu/exec/SlowAccess.h"

namespace gevo::gpu::GEVO_ISA {

/// Addresses in the instruction's space, all lanes (inactive ones garbage).
inline void addresses(Warp &W, const Inst &I, uint64_t (&A)[WarpSize]) {
  uint64_t Imm = uint64_t(I.Imm);
  switch (I.Base) {
  case BaseKind::Row64: {
    const uint64_t *R = W.row<uint64_t>(I.A);
    for (unsigned L = 0; L < WarpSize; ++L)
      A[L] = R[L] + Imm;
    return;
  }
  case BaseKind::Row32: {
    const uint32_t *R = W.row<uint32_t>(I.A);
    for (unsigned L = 0; L < WarpSize; ++L)
      A[L] = uint32_t(R[L] + uint32_t(Imm));
    return;
  }
  case BaseKind::Frame:
    Imm += W.Current->LocalBase;
    [[fallthrough]];
  case BaseKind::Uniform:
    for (unsigned L = 0; L < WarpSize; ++L)
      A[L] = Imm;
    return;
  }
}

/// True if no active lane of \p A is outside [Lo, Lo + Span] or misaligned.
inline bool allInside(const uint64_t (&A)[WarpSize], uint32_t Mask, uint64_t Lo,
                      uint64_t Span, uint64_t AlignMask) {
  uint64_t Bad = 0;
  if (Mask == FullMask) {
    for (unsigned L = 0; L < WarpSize; ++L)
      Bad |= uint64_t(A[L] - Lo > Span) | (A[L] & AlignMask);
  } else {
    for (unsigned L = 0; L < WarpSize; ++L)
      Bad |= (Mask & LaneBit[L])
                 ? uint64_t(A[L] - Lo > Span) | (A[L] & AlignMask)
                 : 0;
  }
  return Bad == 0;
}

/// True if the lanes of \p Mask stand to each other as \p M remembers. \p Base
/// is what makes host pointers of \p A.
inline bool isAgain(const AccessMemo &M, const uint64_t (&A)[WarpSize],
                    uint64_t Base, uint32_t Mask, TraceSpace Space) {
  uint64_t Lead = A[M.Lead];
  if (M.Mask != Mask || M.Access.Space != Space ||
      ((Lead + Base) & M.AlignMask) != M.Align)
    return false;
  uint64_t Other = 0;
  if (Mask == FullMask) {
    for (unsigned L = 0; L < WarpSize; ++L)
      Other |= (A[L] - Lead) ^ M.Delta[L];
  } else {
    for (unsigned L = 0; L < WarpSize; ++L)
      Other |= (Mask & LaneBit[L]) ? (A[L] - Lead) ^ M.Delta[L] : 0;
  }
  return Other == 0;
}

/// Tells traces and checks about an access whose host pointers are in \p A and
/// which touched one space only. Always true.
inline bool watch(Warp &W, const Inst &I, uint32_t Mask,
                  const uint64_t (&A)[WarpSize], uint32_t Bytes,
                  AccessKind Kind, TraceSpace Space) {
  if (W.Counted) {
    AccessMemo &M = W.Owner.G.Traces->memo(W.Current->Function, W.Pc);
    if (isAgain(M, A, 0, Mask, Space))
      recordAgain(W, M, A[M.Lead]);
    else
      recordAccess(W, M, Mask, A, Bytes, Kind, Space);
  }
  return !W.Checked || watchAccess(W, I, Mask, A, Bytes, Kind, Space);
}

/// The same as allInside() and then watch() for a traced warp without checks
/// whose lanes stand to each other as the last time: then the outermost lanes
/// say for all whether they are inside. False if it takes the two.
inline bool isInsideAgain(Warp &W, uint32_t Mask, const uint64_t (&A)[WarpSize],
                          uint64_t Base, uint64_t Lo, uint64_t Span,
                          uint64_t AlignMask, TraceSpace Space) {
  if (!W.Counted || W.Checked)
    return false;
  AccessMemo &M = W.Owner.G.Traces->memo(W.Current->Function, W.Pc);
  uint64_t Lead = A[M.Lead];
  if (Lead + M.Least - Lo > Span || Lead + M.Most - Lo > Span ||
      ((Lead | M.DeltaBits) & AlignMask) || !isAgain(M, A, Base, Mask, Space))
    return false;
  recordAgain(W, M, Lead + Base);
  return true;
}

/// Turns addresses into host pointers, in place; false after a fault.
/// \p Bytes is the size of the whole access of one lane.
inline bool resolve(Warp &W, const Inst &I, uint32_t Mask,
                    uint64_t (&A)[WarpSize], uint32_t Bytes, AccessKind Kind) {
  uint64_t AlignMask = Bytes - 1;
  Block &B = W.Owner;
  switch (I.Where) {
  case ptx::Space::Global:
  case ptx::Space::Generic:
    // Windows lie above every allocation, so this also sorts them out. Lanes
    // mostly stay in one allocation, if not in the last one.
    do
      if (W.LastGeneration == B.G.Memory.generation() &&
          (Kind == AccessKind::Load || W.LastWritable) &&
          W.LastHi - W.LastLo >= Bytes) {
        uint64_t Span = W.LastHi - W.LastLo - Bytes;
        if (isInsideAgain(W, Mask, A, 0, W.LastLo, Span, AlignMask,
                          TraceSpace::Global))
          return true;
        if (allInside(A, Mask, W.LastLo, Span, AlignMask))
          return !W.Watched ||
                 watch(W, I, Mask, A, Bytes, Kind, TraceSpace::Global);
      }
    while (hitAnother(W, A[__builtin_ctz(Mask)]));
    break;
  case ptx::Space::Shared:
    if (B.G.SharedBytes >= Bytes) {
      uint64_t Base = reinterpret_cast<uint64_t>(B.Shared);
      uint64_t Span = B.G.SharedBytes - Bytes;
      bool Known = isInsideAgain(W, Mask, A, Base, 0, Span, AlignMask,
                                 TraceSpace::Shared);
      if (!Known && !allInside(A, Mask, 0, Span, AlignMask))
        break;
      for (unsigned L = 0; L < WarpSize; ++L)
        A[L] += Base;
      return Known || !W.Watched ||
             watch(W, I, Mask, A, Bytes, Kind, TraceSpace::Shared);
    }
    break;
  case ptx::Space::Local:
    if (W.LocalLimit >= Bytes &&
        allInside(A, Mask, 0, W.LocalLimit - Bytes, AlignMask)) {
      for (unsigned L = 0; L < WarpSize; ++L)
        A[L] += reinterpret_cast<uint64_t>(W.LocalMemory) + L * W.LocalStride;
      if (W.LocalShadow)
        checkStack(W, Mask, A, Bytes, Kind);
      if (W.Watched)
        return watch(W, I, Mask, A, Bytes, Kind, TraceSpace::Local);
      return true;
    }
    break;
  default:
    break;
  }
  return resolveSlowly(W, I, Mask, A, Bytes, Kind);
}

} // namespace gevo::gpu::GEVO_ISA

#endif // GEVO_RUNTIME_GPU_EXEC_ACCESS_H
