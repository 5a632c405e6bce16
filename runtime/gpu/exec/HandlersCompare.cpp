//===- HandlersCompare.cpp - set, setp, selp, slct ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Float.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

/// The ordered comparisons; "Un" variants also hold if an operand is NaN.
enum class Cmp {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};

template <Cmp C, typename T> inline bool holds(T A, T B) {
  bool Unordered = A != A || B != B;
  switch (C) {
  case Cmp::Eq:
    return A == B;
  case Cmp::Ne:
    return A != B && !Unordered;
  case Cmp::Lt:
    return A < B;
  case Cmp::Le:
    return A <= B;
  case Cmp::Gt:
    return A > B;
  case Cmp::Ge:
    return A >= B;
  case Cmp::Equ:
    return A == B || Unordered;
  case Cmp::Neu:
    return A != B;
  case Cmp::Ltu:
    return !(A >= B);
  case Cmp::Leu:
    return !(A > B);
  case Cmp::Gtu:
    return !(A <= B);
  case Cmp::Geu:
    return !(A < B);
  case Cmp::Num:
    return !Unordered;
  case Cmp::Nan:
    return Unordered;
  }
  return false;
}

/// A source lane as a comparable value; halves compare as floats.
template <typename T> struct Source {
  using Row = Lane<T>;
  using Value = T;
  static T of(Row V, bool Ftz) {
    T X = get<T>(V);
    if constexpr (std::is_same_v<T, float>)
      return Ftz ? flush(X) : X;
    return X;
  }
};
template <> struct Source<Half> {
  using Row = uint32_t;
  using Value = float;
  static float of(Row V, bool Ftz) {
    uint16_t B = uint16_t(V);
    return toF32(Half{Ftz && !(B & 0x7c00) ? uint16_t(B & 0x8000) : B});
  }
};
template <> struct Source<BHalf> {
  using Row = uint32_t;
  using Value = float;
  static float of(Row V, bool) { return toF32(BHalf{uint16_t(V)}); }
};

template <typename T, Cmp C>
inline uint32_t compareLanes(Warp &W, const Inst &I) {
  using S = Source<T>;
  using R = typename S::Row;
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  bool Ftz = I.Imm & ArithFtz;
  return ballot([=](unsigned L) {
    return holds<C, typename S::Value>(S::of(A[L], Ftz), S::of(B[L], Ftz));
  });
}

/// Combines with the third operand: Sub is 0 (nothing), or and/or/xor.
inline uint32_t combine(Warp &W, const Inst &I, uint32_t Bits) {
  if (I.Sub == 0)
    return Bits;
  uint32_t C = W.pred(I.C) ^ (I.Flags & FlagNegateC ? FullMask : 0);
  return I.Sub == 1 ? Bits & C : I.Sub == 2 ? Bits | C : Bits ^ C;
}

template <typename T, Cmp C> void setp(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t Bits = compareLanes<T, C>(W, I);
  uint32_t P = combine(W, I, Bits), Q = combine(W, I, ~Bits);
  if (I.D != NoSlot)
    blend(W.pred(I.D), P, Mask);
  if (I.D2 != NoSlot)
    blend(W.pred(I.D2), Q, Mask);
}

/// Packed halves compare each half into its own predicate.
template <typename H, Cmp C>
void setpPacked(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  bool Ftz = I.Imm & ArithFtz;
  uint32_t Lo = ballot([=](unsigned L) {
    return holds<C, float>(Source<H>::of(A[L], Ftz), Source<H>::of(B[L], Ftz));
  });
  uint32_t Hi = ballot([=](unsigned L) {
    return holds<C, float>(Source<H>::of(A[L] >> 16, Ftz),
                           Source<H>::of(B[L] >> 16, Ftz));
  });
  uint32_t P = combine(W, I, Lo), Q = combine(W, I, Hi);
  if (I.D != NoSlot)
    blend(W.pred(I.D), P, Mask);
  if (I.D2 != NoSlot)
    blend(W.pred(I.D2), Q, Mask);
}

/// set writes what Target holds (all ones, or 1.0 of the type) or zero; a
/// packed target gets it in each half.
template <typename T, Cmp C> void set(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t Bits = combine(W, I, compareLanes<T, C>(W, I));
  uint32_t True = I.Target;
  dense(Mask, W.row<uint32_t>(I.D),
        [=](unsigned L) { return Bits & LaneBit[L] ? True : 0u; });
}
template <typename H, Cmp C>
void setPacked(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  bool Ftz = I.Imm & ArithFtz;
  uint32_t Lo = combine(W, I, ballot([=](unsigned L) {
                          return holds<C, float>(Source<H>::of(A[L], Ftz),
                                                 Source<H>::of(B[L], Ftz));
                        }));
  uint32_t Hi =
      combine(W, I, ballot([=](unsigned L) {
                return holds<C, float>(Source<H>::of(A[L] >> 16, Ftz),
                                       Source<H>::of(B[L] >> 16, Ftz));
              }));
  uint32_t True = I.Target;
  dense(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    return (Lo & LaneBit[L] ? True & 0xffff : 0u) |
           (Hi & LaneBit[L] ? True << 16 : 0u);
  });
}

template <typename R> void selp(Warp &W, const Inst &I, uint32_t Mask) {
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  uint32_t P = W.pred(I.C) ^ (I.Flags & FlagNegateC ? FullMask : 0);
  dense(Mask, W.row<R>(I.D),
        [=](unsigned L) { return P & LaneBit[L] ? A[L] : B[L]; });
}

template <typename R, bool Float>
void slct(Warp &W, const Inst &I, uint32_t Mask) {
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  const uint32_t *C = W.row<uint32_t>(I.C);
  bool Ftz = I.Imm & ArithFtz;
  dense(Mask, W.row<R>(I.D), [=](unsigned L) {
    float F = get<float>(C[L]);
    if (Ftz)
      F = flush(F);
    bool First = Float ? F >= 0 : int32_t(C[L]) >= 0;
    return First ? A[L] : B[L];
  });
}

enum class Form { Setp, Set };

template <typename T, Cmp C, Form F> Handler one() {
  return F == Form::Setp ? setp<T, C> : set<T, C>;
}

template <typename T, Form F> Handler pickOrdered(Mod C) {
  switch (C) {
  case Mod::Eq:
    return one<T, Cmp::Eq, F>();
  case Mod::Ne:
    return one<T, std::is_integral_v<T> ? Cmp::Neu : Cmp::Ne, F>();
  case Mod::Lt:
    return one<T, Cmp::Lt, F>();
  case Mod::Le:
    return one<T, Cmp::Le, F>();
  case Mod::Gt:
    return one<T, Cmp::Gt, F>();
  case Mod::Ge:
    return one<T, Cmp::Ge, F>();
  default:
    return nullptr;
  }
}

template <typename T, Form F> Handler pickFloat(Mod C) {
  if (Handler H = pickOrdered<T, F>(C))
    return H;
  switch (C) {
  case Mod::Equ:
    return one<T, Cmp::Equ, F>();
  case Mod::Neu:
    return one<T, Cmp::Neu, F>();
  case Mod::Ltu:
    return one<T, Cmp::Ltu, F>();
  case Mod::Leu:
    return one<T, Cmp::Leu, F>();
  case Mod::Gtu:
    return one<T, Cmp::Gtu, F>();
  case Mod::Geu:
    return one<T, Cmp::Geu, F>();
  case Mod::Num:
    return one<T, Cmp::Num, F>();
  case Mod::Nan:
    return one<T, Cmp::Nan, F>();
  default:
    return nullptr;
  }
}

template <typename H, Cmp C, Form F> Handler onePacked() {
  return F == Form::Setp ? setpPacked<H, C> : setPacked<H, C>;
}

template <typename H, Form F> Handler pickPacked(Mod C) {
  switch (C) {
#define GEVO_CMP(Name)                                                         \
  case Mod::Name:                                                              \
    return onePacked<H, Cmp::Name, F>();
    GEVO_CMP(Eq)
    GEVO_CMP(Ne)
    GEVO_CMP(Lt)
    GEVO_CMP(Le)
    GEVO_CMP(Gt)
    GEVO_CMP(Ge)
    GEVO_CMP(Equ)
    GEVO_CMP(Neu)
    GEVO_CMP(Ltu)
    GEVO_CMP(Leu)
    GEVO_CMP(Gtu)
    GEVO_CMP(Geu)
    GEVO_CMP(Num)
    GEVO_CMP(Nan)
#undef GEVO_CMP
  default:
    return nullptr;
  }
}

/// lo, ls, hi, hs are lt, le, gt, ge on unsigned types.
Mod plainCompare(Mod C) {
  switch (C) {
  case Mod::Lo:
    return Mod::Lt;
  case Mod::Ls:
    return Mod::Le;
  case Mod::Hi:
    return Mod::Gt;
  case Mod::Hs:
    return Mod::Ge;
  default:
    return C;
  }
}

template <Form F> Handler pickByType(Mod Type, Mod C) {
  switch (Type) {
  case Mod::F32:
    return pickFloat<float, F>(C);
  case Mod::F64:
    return pickFloat<double, F>(C);
  case Mod::F16:
    return pickFloat<Half, F>(C);
  case Mod::BF16:
    return pickFloat<BHalf, F>(C);
  case Mod::F16X2:
    return pickPacked<Half, F>(C);
  case Mod::BF16X2:
    return pickPacked<BHalf, F>(C);
  default:
    break;
  }
  Mod Plain = plainCompare(C);
  if (Plain != C && ptx::isSignedType(Type))
    return nullptr;
  Handler H = nullptr;
  withInteger(Type, [&](auto *P) {
    using T = std::remove_pointer_t<decltype(P)>;
    if constexpr (sizeof(T) > 1)
      H = pickOrdered<T, F>(Plain);
  });
  return H;
}

} // namespace

Handler pickCompare(const OpDesc &D) {
  bool Wide = ptx::typeBits(D.Type) == 64;
  switch (D.Op) {
  case Opcode::Setp:
    return pickByType<Form::Setp>(D.Type, D.Compare);
  case Opcode::Set:
    return pickByType<Form::Set>(D.Type2, D.Compare);
  case Opcode::Selp:
    return Wide ? selp<uint64_t> : selp<uint32_t>;
  case Opcode::Slct:
    if (D.Type2 == Mod::S32)
      return Wide ? slct<uint64_t, false> : slct<uint32_t, false>;
    if (D.Type2 == Mod::F32)
      return Wide ? slct<uint64_t, true> : slct<uint32_t, true>;
    return nullptr;
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
