//===- Operands.cpp - Special and random operands -------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Operands.h"

#include <algorithm>
#include <map>

using namespace gevo::isa;

namespace {
struct Layout {
  unsigned Mant, Exp;
  uint64_t bias() const { return (uint64_t(1) << (Exp - 1)) - 1; }
  uint64_t inf() const { return ((uint64_t(1) << Exp) - 1) << Mant; }
  uint64_t sign() const { return uint64_t(1) << (Mant + Exp); }
  uint64_t one() const { return bias() << Mant; }
};
Layout layoutOf(Type T) {
  if (T.K == Type::Brain)
    return {7, 8};
  return T.Size == 16   ? Layout{10, 5}
         : T.Size == 32 ? Layout{23, 8}
                        : Layout{52, 11};
}

std::vector<uint64_t> floatSpecials(Type T) {
  Layout L = layoutOf(T);
  uint64_t One = L.one(), Unit = uint64_t(1) << L.Mant;
  std::vector<uint64_t> V = {
      0,
      1,                               // least subnormal
      Unit - 1,                        // greatest subnormal
      Unit,                            // least normal
      L.inf() - 1,                     // greatest
      L.inf(),                         //
      L.inf() | Unit >> 1,             // quiet NaN
      L.inf() | 1,                     // signalling NaN
      L.inf() | Unit >> 1 | 5,         // quiet NaN with a payload
      One,                             //
      One + 1,                         //
      One - 1,                         //
      One - Unit,                      // 0.5
      One | Unit >> 1,                 // 1.5
      (One + Unit) | Unit >> 2,        // 2.5
      One + Unit,                      // 2
      One + L.Mant * Unit,             // 2^Mant: no fraction from here on
      (One + (L.Mant - 1) * Unit) | 1, // halfway between integers
      L.inf() - Unit,                  // half of the greatest
      One + (L.bias() / 2) * Unit};    // squares reach the greatest
  size_t N = V.size();
  for (size_t I = 0; I < N; ++I)
    V.push_back(V[I] | L.sign());
  return V;
}

std::vector<uint64_t> integerSpecials(Type T) {
  uint64_t M = T.mask(), Top = M ^ M >> 1;
  std::vector<uint64_t> V = {0,
                             1,
                             2,
                             3,
                             7,
                             M,
                             M - 1,
                             Top,
                             Top - 1,
                             Top + 1,
                             Top >> 1,
                             M >> (T.Size / 2),
                             (M >> (T.Size / 2)) + 1,
                             0x5555555555555555 & M,
                             0xaaaaaaaaaaaaaaaa & M};
  for (uint64_t X :
       {uint64_t(31), uint64_t(32), uint64_t(33), uint64_t(63), uint64_t(64),
        uint64_t(127), uint64_t(128), uint64_t(255), uint64_t(256),
        uint64_t(0x8080808080808080), uint64_t(0x7f7f7f7f7f7f7f7f)})
    V.push_back(X & M);
  return V;
}

uint64_t randomFloat(Type T, Random &R, uint64_t Near) {
  Layout L = layoutOf(T);
  uint64_t MantMask = (uint64_t(1) << L.Mant) - 1;
  uint64_t Bits = R.next(), Sign = Bits & L.sign();
  auto Exponent = [&](int Off) {
    int64_t E = int64_t(L.bias()) + Off;
    int64_t Top = (int64_t(1) << L.Exp) - 2;
    return uint64_t(E < 0 ? 0 : E > Top ? Top : E) << L.Mant;
  };
  // Mantissas whose low part is zero, one half, or next to one half make ties
  // of all conversions and sums.
  unsigned K = 1 + R.below(L.Mant);
  uint64_t Tie = (Bits & MantMask & ~((uint64_t(1) << K) - 1)) | uint64_t(1)
                                                                     << (K - 1);
  Tie = (Tie + R.below(3) - 1) & MantMask;
  switch (R.below(8)) {
  case 0:
  case 1:
    return Bits & (L.sign() | L.inf() | MantMask);
  case 2:
    return Sign | Exponent(int(R.below(2 * L.Mant)) - int(L.Mant)) |
           (Bits & MantMask);
  case 3:
    return Sign | Exponent(int(R.below(66)) - 2) | Tie;
  case 4:
    return Sign | (Bits >> 3 & L.inf() & ~(uint64_t(1) << L.Mant)) | Tie;
  case 5: // Close to another operand, perhaps of the other sign.
    return (Near ^ Sign) + R.below(5) - 2;
  case 6: { // Of an exponent near another operand's.
    int64_t E = int64_t((Near & L.inf()) >> L.Mant) - int64_t(L.bias());
    return Sign |
           Exponent(int(E) + int(R.below(2 * L.Mant + 4)) - int(L.Mant) - 2) |
           (R.below(2) ? Tie : Bits & MantMask);
  }
  default:
    return Sign | (R.below(4) ? Tie : (Bits & MantMask)) >> R.below(L.Mant);
  }
}

uint64_t randomInteger(Type T, Random &R, uint64_t Near) {
  uint64_t Bits = R.next(), M = T.mask();
  unsigned K = R.below(T.Size);
  switch (R.below(6)) {
  case 0:
  case 1:
    return Bits & M;
  case 2: // Any length.
    return (Bits & M) >> K;
  case 3: // Negative of any length, ties for conversions to floats.
    return (~((Bits & M) >> K)) & M;
  case 4:
    return ((Bits & M) >> R.below(T.Size) << K | (K ? 1ull << (K - 1) : 0)) & M;
  default:
    return (Near + R.below(5) - 2) & M;
  }
}

uint64_t randomOf(const OperandSpec &S, Random &R, uint64_t Near) {
  if (S.T.K == Type::Pred)
    return R.next() & 1;
  if (S.Small && R.below(8))
    return R.below(80) & S.T.mask();
  uint64_t V = 0;
  for (unsigned P = 0; P < S.T.Parts; ++P) {
    uint64_t N = Near >> (P * S.T.Size % 64) & S.T.mask();
    uint64_t X = S.T.K == Type::Float || S.T.K == Type::Brain
                     ? randomFloat(S.T.part(), R, N)
                     : randomInteger(S.T.part(), R, N);
    V |= (X & S.T.mask()) << (P * S.T.Size % 64);
  }
  return V;
}

/// A special value of each part.
uint64_t specialOf(const OperandSpec &S, Random &R, size_t Index) {
  if (S.T.K == Type::Pred)
    return Index & 1;
  const std::vector<uint64_t> &V = specialValues(S.T.part());
  uint64_t Bits = V[Index % V.size()];
  if (S.T.Parts == 2)
    Bits |= V[R.below(unsigned(V.size()))] << S.T.Size;
  return Bits;
}
} // namespace

const std::vector<uint64_t> &gevo::isa::specialValues(Type T) {
  static std::map<std::pair<int, unsigned>, std::vector<uint64_t>> Cache;
  std::vector<uint64_t> &V = Cache[{T.K, T.Size}];
  if (V.empty())
    V = T.K == Type::Float || T.K == Type::Brain ? floatSpecials(T)
                                                 : integerSpecials(T);
  return V;
}

std::vector<std::vector<uint64_t>>
gevo::isa::makeOperands(const std::vector<OperandSpec> &Src, unsigned Count,
                        uint64_t Seed) {
  Random R(Seed);
  std::vector<std::vector<uint64_t>> Out(Src.size(),
                                         std::vector<uint64_t>(Count));
  size_t First = Src.empty() || Src[0].T.K == Type::Pred
                     ? 2
                     : specialValues(Src[0].T.part()).size();
  // Pairs of special values come first, in order if nearly all fit.
  size_t Pairs = std::min<size_t>(First * First, Count / 4 * 3);
  bool Enough = Pairs + First >= First * First;
  for (unsigned I = 0; I < Count; ++I)
    for (size_t K = 0; K < Src.size(); ++K) {
      uint64_t Near = K ? Out[R.below(unsigned(K))][I] : R.next();
      bool Special = I < Pairs && (K < 2 || R.below(2));
      if (Special && Src[K].Small)
        Special = R.below(4) == 0;
      uint64_t V = !Special           ? randomOf(Src[K], R, Near)
                   : K == 0           ? specialOf(Src[K], R, I)
                   : K == 1 && Enough ? specialOf(Src[K], R, I / First)
                                      : specialOf(Src[K], R, R.below(1024));
      if (Src[K].NonZero && V == 0)
        V = 1;
      Out[K][I] = V;
    }
  return Out;
}
