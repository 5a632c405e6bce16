//===- HandlersVideo.cpp - Video instructions -----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vadd and its kin on a part of a register, and the packed ones (vadd2,
// vabsdiff4, ...) that CUDA's SIMD intrinsics use. See VideoFlags for Imm; Sub
// is the comparison of vset.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Lanes.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

enum class Op { Add, Sub, Average, AbsDiff, Min, Max, Set, Shl, Shr };

bool holds(Mod C, int64_t A, int64_t B) {
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

/// Operands have up to 33 bits, shifts move them by up to 32.
template <Op O> __int128 apply(int64_t A, int64_t B, const Inst &I) {
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
    return holds(Mod(I.Sub), A, B);
  case Op::Shl:
  case Op::Shr: {
    int64_t N = I.Imm & VideoWrap ? B & 31 : B > 32 ? 32 : B;
    return O == Op::Shl ? __int128(A) * (__int128(1) << N) : __int128(A >> N);
  }
  }
  return 0;
}

/// \p Bits low bits of \p V with their sign or without.
int64_t extend(uint32_t V, unsigned Bits, bool Signed) {
  return Signed ? int64_t(int32_t(V << (32 - Bits)) >> (32 - Bits))
                : int64_t(V << (32 - Bits) >> (32 - Bits));
}

struct Part {
  unsigned Shift, Bits;
};
Part partOf(int64_t Imm, unsigned At) {
  unsigned P = unsigned(Imm >> At & 15);
  return P & VideoWhole  ? Part{0, 32}
         : P & VideoHalf ? Part{16 * (P & 1), 16}
                         : Part{8 * P, 8};
}

__int128 clamp(__int128 V, bool Signed, unsigned Bits) {
  __int128 Hi = (__int128(1) << (Bits - (Signed ? 1 : 0))) - 1;
  __int128 Lo = Signed ? -Hi - 1 : 0;
  return V > Hi ? Hi : V < Lo ? Lo : V;
}

/// What op2 makes of a result and the third operand.
uint32_t secondary(int64_t Imm, uint32_t V, uint32_t C) {
  if (Imm & VideoAdd)
    return V + C;
  bool Less = Imm & VideoSignedD ? int32_t(V) < int32_t(C) : V < C;
  return Imm & VideoMin ? (Less ? V : C) : (Less ? C : V);
}

template <Op O> void scalar(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  const uint32_t *C = I.C == NoSlot ? A : W.row<uint32_t>(I.C);
  Part PA = partOf(I.Imm, VideoPartA), PB = partOf(I.Imm, VideoPartB),
       PD = partOf(I.Imm, VideoPartD);
  sparse(Mask, W.row<uint32_t>(I.D), [=, &I](unsigned L) {
    __int128 V =
        apply<O>(extend(A[L] >> PA.Shift, PA.Bits, I.Imm & VideoSignedA),
                 extend(B[L] >> PB.Shift, PB.Bits, I.Imm & VideoSignedB), I);
    if (I.Imm & VideoSat)
      V = clamp(V, I.Imm & VideoSignedD, PD.Bits);
    uint32_t R = uint32_t(V);
    if (I.Imm & (VideoAdd | VideoMin | VideoMax))
      return secondary(I.Imm, R, C[L]);
    if (PD.Bits == 32)
      return R;
    uint32_t Place = ((1u << PD.Bits) - 1) << PD.Shift;
    return (R << PD.Shift & Place) | (C[L] & ~Place);
  });
}

/// a * b + c, perhaps of the contrary sign, plus one, scaled.
void vmad(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  Part PA = partOf(I.Imm, VideoPartA), PB = partOf(I.Imm, VideoPartB);
  bool Signed = I.Imm & (VideoSignedA | VideoSignedB | VideoNegAB | VideoNegC);
  sparse(Mask, W.row<uint32_t>(I.D), [=, &I](unsigned L) {
    __int128 V =
        __int128(extend(A[L] >> PA.Shift, PA.Bits, I.Imm & VideoSignedA)) *
        extend(B[L] >> PB.Shift, PB.Bits, I.Imm & VideoSignedB);
    __int128 Third = extend(C[L], 32, Signed);
    V = I.Imm & VideoNegAB ? -V : V;
    V += I.Imm & VideoNegC ? -Third : Third;
    V += I.Imm & VideoPlusOne ? 1 : 0;
    V >>= I.Imm & VideoShr7 ? 7 : I.Imm & VideoShr15 ? 15 : 0;
    return uint32_t(I.Imm & VideoSat ? clamp(V, Signed, 32) : V);
  });
}

template <Op O, unsigned Parts>
void packed(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr unsigned Bits = 32 / Parts;
  constexpr uint32_t Low = (1u << Bits) - 1;
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  unsigned Chosen = unsigned(I.Imm >> VideoPartD & 15);
  auto Lane = [=, &I](uint64_t Both, unsigned At, unsigned K, bool Signed) {
    unsigned Digit = unsigned(uint64_t(I.Imm) >> (At + 4 * K)) & 15;
    return extend(uint32_t(Both >> (Digit * Bits)), Bits, Signed);
  };
  sparse(Mask, W.row<uint32_t>(I.D), [=, &I](unsigned L) {
    uint64_t Both = uint64_t(B[L]) << 32 | A[L];
    uint32_t Merged = C[L], Total = C[L];
    for (unsigned K = 0; K < Parts; ++K) {
      if (!(Chosen >> K & 1))
        continue;
      __int128 V = apply<O>(Lane(Both, VideoPartA, K, I.Imm & VideoSignedA),
                            Lane(Both, VideoPartB, K, I.Imm & VideoSignedB), I);
      if (I.Imm & VideoSat)
        V = clamp(V, I.Imm & VideoSignedD, Bits);
      Merged &= ~(Low << (K * Bits));
      Merged |= (uint32_t(V) & Low) << (K * Bits);
      Total += uint32_t(V);
    }
    return I.Imm & VideoAdd ? Total : Merged;
  });
}

} // namespace

Handler pickVideo(const OpDesc &D) {
  switch (D.Op) {
#define GEVO_SCALAR(Name, Kind)                                                \
  case Opcode::Name:                                                           \
    return scalar<Op::Kind>;
#define GEVO_PACKED(Name, Kind)                                                \
  case Opcode::Name##2:                                                        \
    return packed<Op::Kind, 2>;                                                \
  case Opcode::Name##4:                                                        \
    return packed<Op::Kind, 4>;
    GEVO_SCALAR(Vadd, Add)
    GEVO_SCALAR(Vsub, Sub)
    GEVO_SCALAR(Vabsdiff, AbsDiff)
    GEVO_SCALAR(Vmin, Min)
    GEVO_SCALAR(Vmax, Max)
    GEVO_SCALAR(Vset, Set)
    GEVO_SCALAR(Vshl, Shl)
    GEVO_SCALAR(Vshr, Shr)
    GEVO_PACKED(Vadd, Add)
    GEVO_PACKED(Vsub, Sub)
    GEVO_PACKED(Vavrg, Average)
    GEVO_PACKED(Vabsdiff, AbsDiff)
    GEVO_PACKED(Vmin, Min)
    GEVO_PACKED(Vmax, Max)
    GEVO_PACKED(Vset, Set)
#undef GEVO_SCALAR
#undef GEVO_PACKED
  case Opcode::Vmad:
    return vmad;
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
