//===- HandlersVideo.cpp - Arithmetic on packed halves and bytes ----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The packed video instructions (vadd2, vabsdiff4, ...), which CUDA's SIMD
// intrinsics use. Imm has the signs of result and operands, saturation and
// accumulation; Sub the comparison of vset.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Lanes.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

enum class Op { Add, Sub, Average, AbsDiff, Min, Max, Set };

bool holds(Mod C, int32_t A, int32_t B) {
  switch (C) {
  case Mod::Eq:
    return A == B;
  case Mod::Ne:
    return A != B;
  case Mod::Lt:
    return A < B;
  case Mod::Le:
    return A <= B;
  case Mod::Gt:
    return A > B;
  default:
    return A >= B;
  }
}

template <Op O> int32_t apply(int32_t A, int32_t B, Mod Compare) {
  switch (O) {
  case Op::Add:
    return A + B;
  case Op::Sub:
    return A - B;
  case Op::Average:
    return (A + B + (A + B >= 0)) >> 1;
  case Op::AbsDiff:
    return A < B ? B - A : A - B;
  case Op::Min:
    return A < B ? A : B;
  case Op::Max:
    return A > B ? A : B;
  case Op::Set:
    return holds(Compare, A, B);
  }
  return 0;
}

template <Op O, unsigned Parts>
void video(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr unsigned Bits = 32 / Parts;
  constexpr uint32_t Low = (1u << Bits) - 1;
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  bool SignedD = I.Imm & 1, SignedA = I.Imm & 2, SignedB = I.Imm & 4;
  bool Sat = I.Imm & 8, Sum = I.Imm & 16;
  Mod Compare = Mod(I.Sub);
  int32_t Hi = SignedD ? int32_t(Low >> 1) : int32_t(Low);
  int32_t Lo = SignedD ? -Hi - 1 : 0;
  auto Part = [=](uint32_t V, unsigned K, bool Signed) {
    uint32_t X = V >> (K * Bits) & Low;
    return Signed ? int32_t(X << (32 - Bits)) >> (32 - Bits) : int32_t(X);
  };
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    uint32_t Packed = 0, Total = C[L];
    for (unsigned K = 0; K < Parts; ++K) {
      int32_t V =
          apply<O>(Part(A[L], K, SignedA), Part(B[L], K, SignedB), Compare);
      if (Sat)
        V = V > Hi ? Hi : V < Lo ? Lo : V;
      Packed |= (uint32_t(V) & Low) << (K * Bits);
      Total += uint32_t(V);
    }
    return Sum ? Total : Packed;
  });
}

} // namespace

Handler pickVideo(const OpDesc &D) {
  switch (D.Op) {
#define GEVO_VIDEO(Name, Kind)                                                 \
  case Opcode::Name##2:                                                        \
    return video<Op::Kind, 2>;                                                 \
  case Opcode::Name##4:                                                        \
    return video<Op::Kind, 4>;
    GEVO_VIDEO(Vadd, Add)
    GEVO_VIDEO(Vsub, Sub)
    GEVO_VIDEO(Vavrg, Average)
    GEVO_VIDEO(Vabsdiff, AbsDiff)
    GEVO_VIDEO(Vmin, Min)
    GEVO_VIDEO(Vmax, Max)
    GEVO_VIDEO(Vset, Set)
#undef GEVO_VIDEO
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
