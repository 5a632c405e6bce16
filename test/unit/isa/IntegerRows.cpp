//===- IntegerRows.cpp - Integer arithmetic -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// References in 128-bit integers, bit by bit where the manual has pseudocode.
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Tables.h"

using namespace gevo::isa;

namespace {
using Wide = __int128;
using UWide = unsigned __int128;

Wide clampTo(Wide V, Wide Lo, Wide Hi) { return V < Lo ? Lo : V > Hi ? Hi : V; }
Wide maxOf(Type T) {
  return (Wide(1) << (T.Size - (T.isSigned() ? 1 : 0))) - 1;
}
Wide minOf(Type T) { return T.isSigned() ? -(Wide(1) << (T.Size - 1)) : 0; }

Want bits(Wide V) { return Want::exact(uint64_t(V)); }

/// add to rem; packed types by part.
Wide arithmetic(const Form &F, Type T, Wide A, Wide B) {
  const std::string &Op = F.opcode();
  Wide V = Op == "add"   ? A + B
           : Op == "sub" ? A - B
           : Op == "min" ? (A < B ? A : B)
           : Op == "max" ? (A > B ? A : B)
           : Op == "div" ? (B ? A / B : -1)
           : Op == "rem" ? (B ? A % B : -1)
                         : A * B;
  if (F.has("sat"))
    V = clampTo(V, minOf(T), maxOf(T));
  if (F.has("relu") && V < 0)
    V = 0;
  return V;
}
void binary(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  for (unsigned P = 0; P < T.Parts; ++P) {
    unsigned Shift = P * T.Size % 64;
    Wide V = arithmetic(F, T.part(), valueOf(In[0] >> Shift, T),
                        valueOf(In[1] >> Shift, T));
    Out[P] = Want::exact(uint64_t(V) & T.mask());
  }
}

/// mul and mad with lo, hi or wide.
void multiply(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  UWide P = UWide(valueOf(In[0], T)) * UWide(valueOf(In[1], T));
  // The sign reaches to the top: shifting keeps what hi needs.
  if (F.has("hi"))
    P = UWide(T.isSigned() ? Wide(P) >> T.Size : Wide(P >> T.Size));
  if (F.opcode() == "mad") {
    if (F.has("sat")) {
      Wide S = signExtend(uint64_t(P), 32) + Wide(valueOf(In[2], T));
      Out[0] = bits(clampTo(S, minOf(T), maxOf(T)));
      return;
    }
    P += In[2];
  }
  Out[0] = Want::exact(uint64_t(P));
}

void multiply24(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  auto Low = [&](uint64_t V) {
    return T.isSigned() ? Wide(signExtend(V & 0xffffff, 24))
                        : Wide(V & 0xffffff);
  };
  Wide P = Low(In[0]) * Low(In[1]);
  if (F.has("hi"))
    P >>= 16;
  if (F.opcode() == "mad24") {
    if (F.has("sat")) {
      Wide S = Wide(signExtend(uint64_t(P), 32)) + valueOf(In[2], T);
      Out[0] = bits(clampTo(S, minOf(T), maxOf(T)));
      return;
    }
    P += In[2];
  }
  Out[0] = bits(P);
}

void unary(const Form &F, const uint64_t *In, Want *Out) {
  Wide A = valueOf(In[0], F.type());
  Out[0] = bits(F.opcode() == "abs" && A >= 0 ? A : -A);
}

void sad(const Form &F, const uint64_t *In, Want *Out) {
  Wide A = valueOf(In[0], F.type()), B = valueOf(In[1], F.type());
  Out[0] = bits(Wide(In[2]) + (A < B ? B - A : A - B));
}

/// add.cc, addc and the like: In[2] is the carry that comes in, the second
/// result the one that goes out (as it was, without .cc).
void carry(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  bool Takes = F.opcode().back() == 'c';
  bool Subtract = F.opcode().substr(0, 3) == "sub";
  UWide A = In[0] & T.mask(), B = In[1] & T.mask();
  UWide C = Takes ? In[2] != 0 : 0;
  UWide V = Subtract ? A - B - C : A + B + C;
  bool Carry = V >> T.Size & 1;
  Out[0] = Want::exact(uint64_t(V) & T.mask());
  Out[1] = Want::exact(F.has("cc") ? Carry : (In[2] != 0));
}
void carryMad(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  bool Takes = F.opcode() == "madc";
  Wide P = Wide(UWide(valueOf(In[0], T)) * UWide(valueOf(In[1], T)));
  uint64_t Part =
      uint64_t(F.has("hi") ? UWide(T.isSigned() ? P >> T.Size
                                                : Wide(UWide(P) >> T.Size))
                           : UWide(P)) &
      T.mask();
  UWide V = UWide(Part) + (In[2] & T.mask()) + (Takes ? (In[3] != 0) : 0);
  Out[0] = Want::exact(uint64_t(V) & T.mask());
  Out[1] = Want::exact(F.has("cc") ? uint64_t(V >> T.Size & 1) : (In[3] != 0));
}

bool bitOf(uint64_t V, unsigned K) { return V >> K & 1; }

void counting(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  const std::string &Op = F.opcode();
  uint64_t N = 0, V = In[0] & T.mask();
  if (Op == "popc") {
    for (unsigned K = 0; K < T.Size; ++K)
      N += bitOf(V, K);
  } else if (Op == "clz") {
    while (N < T.Size && !bitOf(V, T.Size - 1 - unsigned(N)))
      ++N;
  } else if (Op == "brev") {
    for (unsigned K = 0; K < T.Size; ++K)
      N |= uint64_t(bitOf(V, K)) << (T.Size - 1 - K);
  } else { // bfind: the highest bit that differs from the sign
    bool Sign = T.isSigned() && bitOf(V, T.Size - 1);
    N = 0xffffffff;
    for (unsigned K = 0; K < T.Size; ++K)
      if (bitOf(V, K) != Sign)
        N = F.has("shiftamt") ? T.Size - 1 - K : K;
  }
  Out[0] = Want::exact(N);
}

void fns(const Form &F, const uint64_t *In, Want *Out) {
  int64_t Base = In[1] & 0xffffffff, N = signExtend(In[2], 32);
  Out[0] = Want::exact(0xffffffff);
  if (Base > 31)
    return; // Positions outside the word hold no bit.
  if (N == 0) {
    if (bitOf(In[0], unsigned(Base)))
      Out[0] = Want::exact(uint64_t(Base));
    return;
  }
  int64_t Left = N < 0 ? -N : N;
  for (int64_t P = Base; P >= 0 && P < 32; P += N < 0 ? -1 : 1)
    if (bitOf(In[0], unsigned(P)) && --Left == 0) {
      Out[0] = Want::exact(uint64_t(P));
      return;
    }
}

void bfe(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  unsigned Msb = T.Size - 1, Pos = In[1] & 0xff, Len = In[2] & 0xff;
  bool Sign = T.isSigned() && Len &&
              bitOf(In[0], Pos + Len - 1 < Msb ? Pos + Len - 1 : Msb);
  uint64_t V = 0;
  for (unsigned K = 0; K <= Msb; ++K)
    V |= uint64_t(K < Len && Pos + K <= Msb ? bitOf(In[0], Pos + K) : Sign)
         << K;
  Out[0] = Want::exact(V);
}

void bfi(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  unsigned Pos = In[2] & 0xff, Len = In[3] & 0xff;
  uint64_t V = In[1];
  for (unsigned K = 0; K < Len && Pos + K < T.Size; ++K) {
    V &= ~(uint64_t(1) << (Pos + K));
    V |= uint64_t(bitOf(In[0], K)) << (Pos + K);
  }
  Out[0] = Want::exact(V);
}

void bmsk(const Form &F, const uint64_t *In, Want *Out) {
  uint64_t Pos = In[0], Len = In[1], V = 0;
  if (F.has("wrap")) {
    Pos &= 31;
    Len &= 31;
  }
  for (uint64_t K = 0; K < 32; ++K)
    if (K >= Pos && K - Pos < Len)
      V |= uint64_t(1) << K;
  Out[0] = Want::exact(V);
}

void szext(const Form &F, const uint64_t *In, Want *Out) {
  uint64_t N = F.has("wrap") ? In[1] & 31 : In[1] > 32 ? 32 : In[1];
  bool Sign = F.type().isSigned() && N && bitOf(In[0], unsigned(N) - 1);
  uint64_t V = 0;
  for (unsigned K = 0; K < 32; ++K)
    V |= uint64_t(K < N ? bitOf(In[0], K) : Sign) << K;
  Out[0] = Want::exact(V);
}

/// dp4a: four products of bytes; dp2a: two of a half by a byte.
void dot(const Form &F, const uint64_t *In, Want *Out) {
  bool Four = F.opcode() == "dp4a";
  Type A = {F.type(0).K, Four ? 8u : 16u, 1}, B = {F.type(1).K, 8, 1};
  Wide Sum = In[2];
  for (unsigned K = 0; K < (Four ? 4u : 2u); ++K)
    Sum += valueOf(In[0] >> (K * A.Size), A) *
           valueOf(In[1] >> (8 * (K + (F.has("hi") ? 2 : 0))), B);
  Out[0] = bits(Sum);
}
} // namespace

#define GEVO_INTS "{.u16,.u32,.u64,.s16,.s32,.s64}"

const std::vector<Row> &gevo::isa::integerRows() {
  // Sets the carry to $c before, reads it after.
  static const char CarryAdd[] =
      "add.cc.u32 %word, $c, 0xffffffff; $I $d, $a, $b; addc.u32 $e, 0, 0;";
  static const char CarrySub[] =
      "sub.cc.u32 %word, 0, $c; $I $d, $a, $b; subc.u32 %word, 0, 0; "
      "and.b32 $e, %word, 1;";
  static const char CarryMad[] =
      "add.cc.u32 %word, $h, 0xffffffff; $I $d, $a, $b, $c; "
      "addc.u32 $e, 0, 0;";
  static const std::vector<Row> Rows = {
      {"{add,sub}" GEVO_INTS, "T=T,T", binary},
      {"{add,sub}.sat.s32", "T=T,T", binary},
      {"add{.u16x2,.s16x2}", "T=T,T", binary},
      {"{min,max}" GEVO_INTS, "T=T,T", binary},
      {"{min,max}{.u16x2,.s16x2}", "T=T,T", binary},
      {"{min,max}.relu{.s32,.s16x2}", "T=T,T", binary},
      // By zero, all ones: the manual leaves it open, ptxas does not.
      {"{div,rem}" GEVO_INTS, "T=T,T", binary},
      {"mul{.lo,.hi}" GEVO_INTS, "T=T,T", multiply},
      {"mul.wide{.u16,.u32,.s16,.s32}", "W=T,T", multiply},
      {"mad{.lo,.hi}" GEVO_INTS, "T=T,T,T", multiply},
      {"mad.wide{.u16,.u32,.s16,.s32}", "W=T,T,W", multiply},
      {"mad.hi.sat.s32", "T=T,T,T", multiply},
      {"mul24{.lo,.hi}{.u32,.s32}", "T=T,T", multiply24},
      {"mad24{.lo,.hi}{.u32,.s32}", "T=T,T,T", multiply24},
      {"mad24.hi.sat.s32", "T=T,T,T", multiply24},
      {"sad" GEVO_INTS, "T=T,T,T", sad},
      {"{abs,neg}{.s16,.s32,.s64}", "T=T", unary},
      {"add.cc{.u32,.s32,.u64,.s64}", "T|u32=T,T,u32~", carry, CarryAdd},
      {"addc{,.cc}{.u32,.s32,.u64,.s64}", "T|u32=T,T,u32~", carry, CarryAdd},
      {"sub.cc{.u32,.s32,.u64,.s64}", "T|u32=T,T,u32~", carry, CarrySub},
      {"subc{,.cc}{.u32,.s32,.u64,.s64}", "T|u32=T,T,u32~", carry, CarrySub},
      {"mad{.lo,.hi}.cc{.u32,.s32,.u64,.s64}", "T|u32=T,T,T,u32~", carryMad,
       CarryMad},
      {"madc{.lo,.hi}{,.cc}{.u32,.s32,.u64,.s64}", "T|u32=T,T,T,u32~", carryMad,
       CarryMad},
      {"{popc,clz}{.b32,.b64}", "u32=T", counting},
      {"brev{.b32,.b64}", "T=T", counting},
      {"bfind{,.shiftamt}{.u32,.s32,.u64,.s64}", "u32=T", counting},
      {"fns.b32", "u32=b32,u32~,s32~", fns},
      {"bfe{.u32,.s32,.u64,.s64}", "T=T,u32~,u32~", bfe},
      {"bfi{.b32,.b64}", "T=T,T,u32~,u32~", bfi},
      {"bmsk{.clamp,.wrap}.b32", "T=u32~,u32~", bmsk},
      {"szext{.clamp,.wrap}{.u32,.s32}", "T=T,u32~", szext},
      {"dp4a{.u32,.s32}{.u32,.s32}", "u32=b32,b32,u32", dot},
      {"dp2a{.lo,.hi}{.u32,.s32}{.u32,.s32}", "u32=b32,b32,u32", dot},
  };
  return Rows;
}
