//===- HandlersArith.cpp - add to max, integer and float ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic that exists for integers and for floats. Rounding to nearest runs
// vectorised; the other directions, which programs use rarely, go lane by lane
// with the host's rounding mode set.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Float.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

/// \name Integers
/// @{
template <typename T> using Unsigned = std::make_unsigned_t<T>;

// Products of types narrower than int are computed in unsigned to keep clear
// of signed overflow.
template <typename T> struct AddI {
  static T of(T A, T B) { return T(Unsigned<T>(A) + Unsigned<T>(B)); }
};
template <typename T> struct SubI {
  static T of(T A, T B) { return T(Unsigned<T>(A) - Unsigned<T>(B)); }
};
template <typename T> struct MulLoI {
  static T of(T A, T B) {
    if constexpr (sizeof(T) < 4)
      return T(uint32_t(A) * uint32_t(B));
    else
      return T(Unsigned<T>(A) * Unsigned<T>(B));
  }
};
template <typename T> struct MulHiI {
  static T of(T A, T B) {
    if constexpr (sizeof(T) == 8) {
      using W =
          std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
      return T(W(A) * W(B) >> 64);
    } else {
      using W = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      return T(W(A) * W(B) >> (8 * sizeof(T)));
    }
  }
};
template <typename T> struct MinI {
  static T of(T A, T B) { return A < B ? A : B; }
};
template <typename T> struct MaxI {
  static T of(T A, T B) { return A > B ? A : B; }
};
template <typename T> struct DivI {
  static T of(T A, T B) {
    if (B == 0)
      return T(-1);
    if constexpr (std::is_signed_v<T>)
      if (B == T(-1))
        return T(0 - Unsigned<T>(A));
    return T(A / B);
  }
};
template <typename T> struct RemI {
  static T of(T A, T B) {
    if (B == 0)
      return T(-1); // As the code that ptxas makes of it.
    if constexpr (std::is_signed_v<T>)
      if (B == T(-1))
        return 0;
    return T(A % B);
  }
};
/// add.sat and sub.sat, s32 only.
struct AddSatS32 {
  static int32_t of(int32_t A, int32_t B) {
    int64_t S = int64_t(A) + B;
    return int32_t(S > INT32_MAX ? INT32_MAX : S < INT32_MIN ? INT32_MIN : S);
  }
};
struct SubSatS32 {
  static int32_t of(int32_t A, int32_t B) {
    int64_t S = int64_t(A) - B;
    return int32_t(S > INT32_MAX ? INT32_MAX : S < INT32_MIN ? INT32_MIN : S);
  }
};

template <typename T, typename Op>
void binaryI(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  dense(Mask, D,
        [=](unsigned L) { return put<T>(Op::of(get<T>(A[L]), get<T>(B[L]))); });
}

/// Division traps on the host for inactive garbage too, so only active lanes.
template <typename T, typename Op>
void divideI(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  sparse(Mask, D, [=](unsigned L) {
    return put<T>(Op::of(get<T>(A[L]), get<T>(B[L])));
  });
}

template <typename T> void negI(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A);
  dense(Mask, D,
        [=](unsigned L) { return put<T>(SubI<T>::of(0, get<T>(A[L]))); });
}

template <typename T> void absI(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A);
  dense(Mask, D, [=](unsigned L) {
    T V = get<T>(A[L]);
    return put<T>(V < 0 ? SubI<T>::of(0, V) : V);
  });
}

/// The type of twice the size.
template <typename T> struct WideOf;
template <> struct WideOf<uint16_t> {
  using Type = uint32_t;
};
template <> struct WideOf<int16_t> {
  using Type = int32_t;
};
template <> struct WideOf<uint32_t> {
  using Type = uint64_t;
};
template <> struct WideOf<int32_t> {
  using Type = int64_t;
};

template <typename T, bool HasAddend>
void mulWide(Warp &W, const Inst &I, uint32_t Mask) {
  using X = typename WideOf<T>::Type;
  using R = Lane<X>;
  R *D = W.row<R>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  const R *C = HasAddend ? W.row<R>(I.C) : nullptr;
  dense(Mask, D, [=](unsigned L) {
    // The product fits; the addition may wrap.
    Unsigned<X> P = Unsigned<X>(X(get<T>(A[L])) * X(get<T>(B[L])));
    if constexpr (HasAddend)
      P += Unsigned<X>(get<X>(C[L]));
    return put<X>(X(P));
  });
}

template <typename T, bool Hi>
void madI(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B), *C = W.row<R>(I.C);
  dense(Mask, D, [=](unsigned L) {
    T P = Hi ? MulHiI<T>::of(get<T>(A[L]), get<T>(B[L]))
             : MulLoI<T>::of(get<T>(A[L]), get<T>(B[L]));
    return put<T>(AddI<T>::of(P, get<T>(C[L])));
  });
}

void madHiSatS32(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  dense(Mask, D, [=](unsigned L) {
    int32_t P = MulHiI<int32_t>::of(int32_t(A[L]), int32_t(B[L]));
    return uint32_t(AddSatS32::of(P, int32_t(C[L])));
  });
}

/// Two 16-bit lanes in one register: add, min, max; with relu for s16x2.
template <typename T, typename Op, bool Relu>
void packed16(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  dense(Mask, D, [=](unsigned L) {
    T Lo = Op::of(T(A[L]), T(B[L])), Hi = Op::of(T(A[L] >> 16), T(B[L] >> 16));
    if constexpr (Relu) {
      Lo = Lo < 0 ? T(0) : Lo;
      Hi = Hi < 0 ? T(0) : Hi;
    }
    return uint32_t(uint16_t(Lo)) | uint32_t(uint16_t(Hi)) << 16;
  });
}

template <bool Max> void minmaxReluS32(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  dense(Mask, D, [=](unsigned L) {
    int32_t V = Max ? MaxI<int32_t>::of(int32_t(A[L]), int32_t(B[L]))
                    : MinI<int32_t>::of(int32_t(A[L]), int32_t(B[L]));
    return uint32_t(V < 0 ? 0 : V);
  });
}

template <typename T> Handler pickInteger(const OpDesc &D) {
  constexpr bool Small = sizeof(T) == 1;
  if constexpr (!Small) {
    switch (D.Op) {
    case Opcode::Add:
      return binaryI<T, AddI<T>>;
    case Opcode::Sub:
      return binaryI<T, SubI<T>>;
    case Opcode::Mul:
      if constexpr (sizeof(T) < 8)
        if (D.Wide)
          return mulWide<T, false>;
      return D.Wide ? nullptr
             : D.Hi ? binaryI<T, MulHiI<T>>
                    : binaryI<T, MulLoI<T>>;
    case Opcode::Mad:
      if constexpr (sizeof(T) < 8)
        if (D.Wide)
          return mulWide<T, true>;
      return D.Wide ? nullptr : D.Hi ? madI<T, true> : madI<T, false>;
    case Opcode::Div:
      return divideI<T, DivI<T>>;
    case Opcode::Rem:
      return divideI<T, RemI<T>>;
    case Opcode::Min:
      return binaryI<T, MinI<T>>;
    case Opcode::Max:
      return binaryI<T, MaxI<T>>;
    case Opcode::Neg:
      return negI<T>;
    case Opcode::Abs:
      return absI<T>;
    default:
      return nullptr;
    }
  }
  return nullptr;
}

Handler pickSaturating(const OpDesc &D) {
  if (D.Type != Mod::S32)
    return nullptr;
  if (D.Op == Opcode::Add)
    return binaryI<int32_t, AddSatS32>;
  if (D.Op == Opcode::Sub)
    return binaryI<int32_t, SubSatS32>;
  if (D.Op == Opcode::Mad && D.Hi)
    return madHiSatS32;
  return nullptr;
}

template <typename T> Handler pickPacked(const OpDesc &D) {
  switch (D.Op) {
  case Opcode::Add:
    return packed16<T, AddI<T>, false>;
  case Opcode::Min:
    return D.Relu ? packed16<T, MinI<T>, true> : packed16<T, MinI<T>, false>;
  case Opcode::Max:
    return D.Relu ? packed16<T, MaxI<T>, true> : packed16<T, MaxI<T>, false>;
  default:
    return nullptr;
  }
}
/// @}

} // namespace

Handler pickFloatArith(const OpDesc &D);

Handler pickArith(const OpDesc &D) {
  if (ptx::isFloatType(D.Type))
    return pickFloatArith(D);
  if (D.Type == Mod::U16X2)
    return pickPacked<uint16_t>(D);
  if (D.Type == Mod::S16X2)
    return pickPacked<int16_t>(D);
  if (D.Sat)
    return pickSaturating(D);
  if (D.Relu)
    return D.Type != Mod::S32    ? nullptr
           : D.Op == Opcode::Max ? minmaxReluS32<true>
           : D.Op == Opcode::Min ? minmaxReluS32<false>
                                 : nullptr;
  Handler H = nullptr;
  withInteger(D.Type, [&](auto *P) {
    H = pickInteger<std::remove_pointer_t<decltype(P)>>(D);
  });
  return H;
}

} // namespace gevo::gpu::GEVO_ISA
