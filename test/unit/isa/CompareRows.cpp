//===- CompareRows.cpp - Comparisons and selections -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/FloatReference.h"
#include "test/unit/isa/Tables.h"

using namespace gevo::isa;

namespace {
/// -1, 0, 1, or 2 for unordered.
int order(const Form &F, uint64_t A, uint64_t B, Type T) {
  if (!T.isFloat()) {
    __int128 X = valueOf(A, T), Y = valueOf(B, T);
    return X < Y ? -1 : X > Y;
  }
  if (isNan(A, T) || isNan(B, T))
    return 2;
  if (F.has("ftz")) {
    A = flush(A, T);
    B = flush(B, T);
  }
  double X = decode(A, T), Y = decode(B, T);
  return X < Y ? -1 : X > Y;
}

bool compare(const Form &F, uint64_t A, uint64_t B, Type T) {
  // Which of less, equal, greater and unordered each comparison accepts.
  static const struct {
    uint64_t Word;
    bool Less, Equal, Greater, Unordered;
  } Table[] = {{wordKey("eq"), 0, 1, 0, 0},  {wordKey("ne"), 1, 0, 1, 0},
               {wordKey("lt"), 1, 0, 0, 0},  {wordKey("le"), 1, 1, 0, 0},
               {wordKey("gt"), 0, 0, 1, 0},  {wordKey("ge"), 0, 1, 1, 0},
               {wordKey("lo"), 1, 0, 0, 0},  {wordKey("ls"), 1, 1, 0, 0},
               {wordKey("hi"), 0, 0, 1, 0},  {wordKey("hs"), 0, 1, 1, 0},
               {wordKey("equ"), 0, 1, 0, 1}, {wordKey("neu"), 1, 0, 1, 1},
               {wordKey("ltu"), 1, 0, 0, 1}, {wordKey("leu"), 1, 1, 0, 1},
               {wordKey("gtu"), 0, 0, 1, 1}, {wordKey("geu"), 0, 1, 1, 1},
               {wordKey("num"), 1, 1, 1, 0}, {wordKey("nan"), 0, 0, 0, 1}};
  int O = order(F, A, B, T);
  for (const auto &Entry : Table)
    if (F.hasKey(Entry.Word))
      return O == -1  ? Entry.Less
             : O == 0 ? Entry.Equal
             : O == 1 ? Entry.Greater
                      : Entry.Unordered;
  return false;
}

bool combine(const Form &F, bool V, bool C) {
  return F.has("and")   ? V && C
         : F.has("or")  ? V || C
         : F.has("xor") ? V != C
                        : V;
}

/// p|q: the comparison and its contrary, each combined with the predicate.
void setp(const Form &F, const uint64_t *In, Want *Out) {
  bool V = compare(F, In[0], In[1], F.type());
  Out[0] = Want::exact(combine(F, V, In[2] & 1));
  Out[1] = Want::exact(combine(F, !V, In[2] & 1));
}
/// p|q of packed halves: each half's comparison.
void setpPacked(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  for (unsigned P = 0; P < 2; ++P) {
    uint64_t A = In[0] >> (16 * P) & 0xffff, B = In[1] >> (16 * P) & 0xffff;
    Out[P] = Want::exact(combine(F, compare(F, A, B, T.part()), In[2] & 1));
  }
}
void setpNegated(const Form &F, const uint64_t *In, Want *Out) {
  uint64_t Negated[3] = {In[0], In[1], !(In[2] & 1)};
  setp(F, Negated, Out);
}

void set(const Form &F, const uint64_t *In, Want *Out) {
  Type D = F.type(0), S = F.type(1);
  for (unsigned P = 0; P < D.Parts; ++P) {
    unsigned Shift = 16 * P;
    bool V = compare(F, In[0] >> Shift & S.mask(), In[1] >> Shift & S.mask(),
                     S.part());
    V = combine(F, V, In[2] & 1);
    uint64_t True = D.isFloat() ? formatOf(D.part()).one() : D.mask();
    Out[P] = Want::exact(V ? True : 0);
  }
}

/// Packed halves into a word: all ones in the half that compares true.
void setMasks(const Form &F, const uint64_t *In, Want *Out) {
  Type S = F.type(1).part();
  uint64_t V = 0;
  for (unsigned Shift : {0, 16})
    if (combine(F,
                compare(F, In[0] >> Shift & 0xffff, In[1] >> Shift & 0xffff, S),
                In[2] & 1))
      V |= uint64_t(0xffff) << Shift;
  Out[0] = Want::exact(V);
}

void selp(const Form &, const uint64_t *In, Want *Out) {
  Out[0] = Want::exact(In[2] & 1 ? In[0] : In[1]);
}
void selpNegated(const Form &, const uint64_t *In, Want *Out) {
  Out[0] = Want::exact(In[2] & 1 ? In[1] : In[0]);
}
void slct(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type(1);
  bool First = T.isFloat()
                   ? !isNan(In[2], T) &&
                         decode(F.has("ftz") ? flush(In[2], T) : In[2], T) >= 0
                   : valueOf(In[2], T) >= 0;
  Out[0] = Want::exact(First ? In[0] : In[1]);
}
} // namespace

#define GEVO_ORDER "{.eq,.ne,.lt,.le,.gt,.ge}"
#define GEVO_UNORDER                                                           \
  "{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}"
#define GEVO_BOOL "{.and,.or,.xor}"

const std::vector<Row> &gevo::isa::compareRows() {
  static const std::vector<Row> Rows = {
      {"setp{.eq,.ne}{.b16,.b32,.b64}", "p|p=T,T", setp},
      {"setp" GEVO_ORDER "{.s16,.s32,.s64,.u16,.u32,.u64}", "p|p=T,T", setp},
      {"setp{.lo,.ls,.hi,.hs}{.u16,.u32,.u64}", "p|p=T,T", setp},
      {"setp" GEVO_UNORDER "{,.ftz}.f32", "p|p=T,T", setp},
      {"setp" GEVO_UNORDER ".f64", "p|p=T,T", setp},
      {"setp" GEVO_UNORDER "{,.ftz}.f16", "p=T,T", setp},
      {"setp" GEVO_UNORDER ".bf16", "p=T,T", setp},
      {"setp" GEVO_UNORDER "{,.ftz}.f16x2", "p|p=T,T", setpPacked},
      {"setp" GEVO_UNORDER ".bf16x2", "p|p=T,T", setpPacked},
      {"setp{.eq,.ne}" GEVO_BOOL "{.b16,.b32,.b64}", "p|p=T,T,p", setp},
      {"setp" GEVO_ORDER GEVO_BOOL "{.s16,.s32,.s64,.u16,.u32,.u64}",
       "p|p=T,T,p", setp},
      {"setp{.lo,.ls,.hi,.hs}" GEVO_BOOL "{.u16,.u32,.u64}", "p|p=T,T,p", setp},
      {"setp" GEVO_UNORDER GEVO_BOOL "{,.ftz}.f32", "p|p=T,T,p", setp},
      {"setp" GEVO_UNORDER GEVO_BOOL ".f64", "p|p=T,T,p", setp},
      {"setp" GEVO_UNORDER GEVO_BOOL "{,.ftz}.f16", "p=T,T,p", setp},
      {"setp" GEVO_UNORDER GEVO_BOOL ".bf16", "p=T,T,p", setp},
      {"setp" GEVO_UNORDER GEVO_BOOL "{,.ftz}.f16x2", "p|p=T,T,p", setpPacked},
      {"setp" GEVO_UNORDER GEVO_BOOL ".bf16x2", "p|p=T,T,p", setpPacked},
      {"setp" GEVO_ORDER GEVO_BOOL ".s32", "p|p=T,T,p", setpNegated,
       "$I $d|$e, $a, $b, !$c;"},
      {"set{.eq,.ne}{.u32,.s32,.f32,.f16,.bf16}{.b16,.b32,.b64}", "T=U,U", set},
      {"set{.eq,.ne}" GEVO_BOOL "{.u32,.s32,.f32,.f16,.bf16}{.b16,.b32,.b64}",
       "T=U,U,p", set},
      {"set" GEVO_ORDER
       "{.u32,.s32,.f32,.f16,.bf16}{.s16,.s32,.s64,.u16,.u32,.u64}",
       "T=U,U", set},
      {"set" GEVO_ORDER GEVO_BOOL "{.u32,.s32,.f32,.f16,.bf16}"
       "{.s16,.s32,.s64,.u16,.u32,.u64}",
       "T=U,U,p", set},
      {"set{.lo,.ls,.hi,.hs}{.u32,.s32,.f32,.f16,.bf16}{.u16,.u32,.u64}",
       "T=U,U", set},
      {"set{.lo,.ls,.hi,.hs}" GEVO_BOOL
       "{.u32,.s32,.f32,.f16,.bf16}{.u16,.u32,.u64}",
       "T=U,U,p", set},
      {"set" GEVO_UNORDER "{,.ftz}{.u32,.s32,.f32,.f16,.bf16}.f32", "T=U,U",
       set},
      {"set" GEVO_UNORDER GEVO_BOOL "{,.ftz}{.u32,.s32,.f32,.f16,.bf16}.f32",
       "T=U,U,p", set},
      {"set" GEVO_UNORDER "{.u32,.s32,.f32,.f16,.bf16}.f64", "T=U,U", set},
      {"set" GEVO_UNORDER GEVO_BOOL "{.u32,.s32,.f32,.f16,.bf16}.f64",
       "T=U,U,p", set},
      {"set" GEVO_UNORDER "{,.ftz}{.f16,.u16,.s16,.u32,.s32}.f16", "T=U,U",
       set},
      {"set" GEVO_UNORDER GEVO_BOOL "{,.ftz}{.f16,.u16,.s16,.u32,.s32}.f16",
       "T=U,U,p", set},
      {"set" GEVO_UNORDER "{.bf16,.u16,.s16,.u32,.s32}.bf16", "T=U,U", set},
      {"set" GEVO_UNORDER GEVO_BOOL "{.bf16,.u16,.s16,.u32,.s32}.bf16",
       "T=U,U,p", set},
      {"set" GEVO_UNORDER "{,.ftz}.f16x2.f16x2", "T=U,U", set},
      {"set" GEVO_UNORDER GEVO_BOOL "{,.ftz}.f16x2.f16x2", "T=U,U,p", set},
      {"set" GEVO_UNORDER ".bf16x2.bf16x2", "T=U,U", set},
      {"set" GEVO_UNORDER "{,.ftz}{.u32,.s32}.f16x2", "T=U,U", setMasks},
      {"set" GEVO_UNORDER "{.u32,.s32}.bf16x2", "T=U,U", setMasks},
      {"set" GEVO_UNORDER GEVO_BOOL "{,.ftz}{.u32,.s32}.f16x2", "T=U,U,p",
       setMasks},
      {"set" GEVO_UNORDER GEVO_BOOL "{.u32,.s32}.bf16x2", "T=U,U,p", setMasks},
      {"set" GEVO_UNORDER GEVO_BOOL ".bf16x2.bf16x2", "T=U,U,p", set},
      {"selp{.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64,.f32,.f64}",
       "T=T,T,p", selp},
      {"selp.b32", "T=T,T,p", selpNegated, "$I $d, $a, $b, !$c;"},
      {"slct{.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64,.f32,.f64}.s32",
       "T=T,T,s32", slct},
      {"slct{,.ftz}{.b16,.b32,.b64,.u16,.u32,.u64,.s16,.s32,.s64,.f32,.f64}"
       ".f32",
       "T=T,T,f32", slct},
  };
  return Rows;
}
