//===- LogicRows.cpp - Logic, shifts, permutations, moves -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Tables.h"

using namespace gevo::isa;

namespace {
void binary(const Form &F, const uint64_t *In, Want *Out) {
  const std::string &Op = F.opcode();
  Out[0] = Want::exact(Op == "and"  ? In[0] & In[1]
                       : Op == "or" ? In[0] | In[1]
                                    : In[0] ^ In[1]);
}
void unary(const Form &F, const uint64_t *In, Want *Out) {
  uint64_t Mask = F.type().mask();
  Out[0] = Want::exact((F.opcode() == "not" ? ~In[0] : In[0] == 0) & Mask);
}

/// Bit \p K of the shifted value comes from bit K - N or K + N.
void shift(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  __int128 V = valueOf(In[0], T);
  uint64_t N = In[1] > T.Size ? T.Size : In[1];
  if (F.opcode() == "shl")
    V = __int128((unsigned __int128)V << N);
  else
    V >>= N;
  Out[0] = Want::exact(uint64_t(V) & T.mask());
}

void funnel(const Form &F, const uint64_t *In, Want *Out) {
  uint64_t Both = In[1] << 32 | In[0];
  uint64_t N = F.has("wrap") ? In[2] % 32 : In[2] > 32 ? 32 : In[2];
  uint64_t V = 0;
  for (unsigned K = 0; K < 32; ++K) {
    uint64_t From = F.has("l") ? 32 + K - N : K + N;
    V |= (Both >> From & 1) << K;
  }
  Out[0] = Want::exact(V);
}

uint64_t table(const uint64_t *In, uint64_t Table) {
  uint64_t V = 0;
  for (unsigned K = 0; K < 32; ++K) {
    unsigned Row = unsigned(In[0] >> K & 1) << 2 |
                   unsigned(In[1] >> K & 1) << 1 | unsigned(In[2] >> K & 1);
    V |= (Table >> Row & 1) << K;
  }
  return V;
}
void lop3(const Form &, const uint64_t *In, Want *Out) {
  Out[0] = Want::exact(table(In, In[3]));
}
void lop3Bool(const Form &F, const uint64_t *In, Want *Out) {
  uint64_t V = table(In, In[4]);
  Out[0] = Want::exact(V);
  Out[1] = Want::exact(F.has("or") ? (V != 0) | (In[3] & 1)
                                   : (V != 0) & (In[3] & 1));
}

/// Byte \p K of {b,a}.
uint64_t byteOf(const uint64_t *In, unsigned K) {
  return (In[1] << 32 | In[0]) >> (8 * (K & 7)) & 0xff;
}
void permute(const Form &F, const uint64_t *In, Want *Out) {
  uint64_t V = 0;
  unsigned N = In[2] & 3;
  for (unsigned K = 0; K < 4; ++K) {
    uint64_t Byte;
    if (F.has("f4e")) { // Four from N on, upwards.
      Byte = byteOf(In, N + K);
    } else if (F.has("b4e")) { // Downwards, around the end.
      Byte = byteOf(In, N + 8 - K);
    } else if (F.has("rc8")) { // Byte N in all places.
      Byte = byteOf(In, N);
    } else if (F.has("ecl")) { // What is left of N repeats N.
      Byte = byteOf(In, K < N ? N : K);
    } else if (F.has("ecr")) { // What is right of N repeats N.
      Byte = byteOf(In, K > N ? N : K);
    } else if (F.has("rc16")) { // One half twice.
      Byte = byteOf(In, 2 * (N & 1) + (K & 1));
    } else {
      unsigned Sel = unsigned(In[2] >> (4 * K)) & 15;
      Byte = byteOf(In, Sel);
      if (Sel & 8)
        Byte = Byte & 0x80 ? 0xff : 0;
    }
    V |= Byte << (8 * K);
  }
  Out[0] = Want::exact(V);
}

void move(const Form &, const uint64_t *In, Want *Out) {
  Out[0] = Want::exact(In[0]);
}
/// The $a first, or last of four: then destinations are overwritten sources.
template <unsigned Count>
void moveAll(const Form &, const uint64_t *In, Want *Out) {
  for (unsigned K = 0; K < Count; ++K)
    Out[K] = Want::exact(In[Count == 4 ? 3 - K : K]);
}
/// The $a low, then $b, ...
template <unsigned Parts>
void pack(const Form &F, const uint64_t *In, Want *Out) {
  unsigned Size = F.type().bits() / Parts;
  uint64_t V = 0;
  for (unsigned K = 0; K < Parts; ++K)
    V |= (In[K] & ((uint64_t(1) << Size) - 1)) << (K * Size);
  Out[0] = Want::exact(V);
}
template <unsigned Parts>
void unpack(const Form &F, const uint64_t *In, Want *Out) {
  unsigned Size = F.type().bits() / Parts;
  for (unsigned K = 0; K < Parts; ++K)
    Out[K] = Want::exact(In[0] >> (K * Size) & ((uint64_t(1) << Size) - 1));
}

std::vector<uint64_t> allTableBytes() {
  std::vector<uint64_t> V;
  for (uint64_t K = 0; K < 256; ++K)
    V.push_back(K);
  return V;
}
} // namespace

const std::vector<Row> &gevo::isa::logicRows() {
  static const std::vector<Row> Rows = {
      {"{and,or,xor}{.pred,.b16,.b32,.b64}", "T=T,T", binary},
      {"not{.pred,.b16,.b32,.b64}", "T=T", unary},
      {"cnot{.b16,.b32,.b64}", "T=T", unary},
      {"shl{.b16,.b32,.b64}", "T=T,u32~", shift},
      {"shr{.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64}", "T=T,u32~", shift},
      {"shf{.l,.r}{.clamp,.wrap}.b32", "T=T,T,u32~", funnel},
      {"lop3.b32", "T=T,T,T,#", lop3, "", allTableBytes()},
      {"lop3{.or,.and}.b32",
       "T|p=T,T,T,p,#",
       lop3Bool,
       "$I $d|$e, $a, $b, $c, $i, $h;",
       {0x00, 0x01, 0x1e, 0x80, 0x96, 0xff}},
      {"prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", "b32=b32,b32,b32", permute},
      {"mov{.pred,.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64,.f32,.f64}",
       "T=T", move},
      {"mov.v2{.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64,.f32,.f64}",
       "T|T=T,T", moveAll<2>, "$I {$d, $e}, {$a, $b};"},
      {"mov.v4{.b16,.b32,.u16,.u32,.s16,.s32,.f32}", "T|T|T|T=T,T,T,T",
       moveAll<4>, "$I {$d, $e, $f, $g}, {$h, $c, $b, $a};"},
      {"mov.b32", "b32=b16,b16", pack<2>, "$I $d, {$a, $b};"},
      {"mov.b64", "b64=b32,b32", pack<2>, "$I $d, {$a, $b};"},
      {"mov.b64", "b64=b16,b16,b16,b16", pack<4>, "$I $d, {$a, $b, $c, $h};"},
      {"mov.b32", "b16|b16=b32", unpack<2>, "$I {$d, $e}, $a;"},
      {"mov.b64", "b32|b32=b64", unpack<2>, "$I {$d, $e}, $a;"},
      {"mov.b64", "b16|b16|b16|b16=b64", unpack<4>, "$I {$d, $e, $f, $g}, $a;"},
      {"mov.b128", "b64|b64=b64,b64",
       [](const Form &, const uint64_t *In, Want *Out) {
         Out[0] = Want::exact(In[0]);
         Out[1] = Want::exact(In[1]);
       },
       "$I %quad, {$a, $b}; $I %quad2, %quad; $I {$d, $e}, %quad2;"},
  };
  return Rows;
}
