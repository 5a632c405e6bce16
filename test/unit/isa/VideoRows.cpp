//===- VideoRows.cpp - Video instructions ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Tables.h"

#include <cstdlib>

using namespace gevo::isa;

namespace {
using Wide = __int128;
using PartList = std::vector<std::array<std::string, 3>>;

/// Parts of destination, first and second source.
const PartList SourceParts = {{"", "", ""},       {"", ".b0", ".b3"},
                              {"", ".b1", ".h0"}, {"", ".h1", ".b2"},
                              {"", ".h0", ""},    {"", "", ".h1"}};
const PartList MergeParts = {{".b0", "", ""},       {".b1", ".h1", ".b3"},
                             {".b2", ".b2", ".h0"}, {".b3", "", ".b1"},
                             {".h0", ".h0", ""},    {".h1", "", ".h1"}};
const PartList HalfLanes = {{"", "", ""},
                            {".h0", ".h10", ".h32"},
                            {".h1", ".h01", ".h31"},
                            {".h10", ".h22", ".h10"}};
const PartList ByteLanes = {{"", "", ""},
                            {".b0", ".b3210", ".b7654"},
                            {".b2", ".b0123", ".b4567"},
                            {".b31", ".b7777", ".b0000"},
                            {".b3210", ".b6420", ".b1357"}};

Wide clampTo(Wide V, bool Signed, unsigned Bits) {
  Wide Hi = (Wide(1) << (Bits - Signed)) - 1, Lo = Signed ? -Hi - 1 : Wide(0);
  return V < Lo ? Lo : V > Hi ? Hi : V;
}

/// The part that \p Name says, with the sign of \p T.
Wide partOf(uint64_t V, const std::string &Name, Type T) {
  Type P = {T.K, Name.empty() ? 32u : Name[1] == 'h' ? 16u : 8u, 1};
  unsigned Index = Name.empty() ? 0 : unsigned(Name[2] - '0');
  return valueOf(V >> (P.Size * Index), P);
}

bool compare(const Form &F, Wide A, Wide B) {
  return F.has("eq")   ? A == B
         : F.has("ne") ? A != B
         : F.has("lt") ? A < B
         : F.has("le") ? A <= B
         : F.has("gt") ? A > B
                       : A >= B;
}

Wide operate(const Form &F, Wide A, Wide B) {
  // Without the 2 or 4 of the packed ones.
  std::string Op = F.opcode();
  if (Op.back() == '2' || Op.back() == '4')
    Op.pop_back();
  if (Op == "vadd")
    return A + B;
  if (Op == "vsub")
    return A - B;
  if (Op == "vabsdiff")
    return A > B ? A - B : B - A;
  if (Op == "vmin")
    return A < B ? A : B;
  if (Op == "vmax")
    return A > B ? A : B;
  if (Op == "vset")
    return compare(F, A, B);
  if (Op == "vavrg") // The half is rounded up.
    return A + B >= 0 ? (A + B + 1) / 2
                      : (A + B - (A + B) % 2) / 2 - ((A + B) % 2 != 0);
  Wide N = F.has("wrap") ? B % 32 : B > 32 ? Wide(32) : B;
  for (; N; --N)
    A = Op == "vshl" ? 2 * A : (A - (A & 1)) / 2;
  return A;
}

/// Types of a form: result, first, second; vset has no result type.
Type typeOf(const Form &F, unsigned N) {
  bool Set = F.opcode().substr(0, 4) == "vset";
  return !Set ? F.type(N) : N ? F.type(N - 1) : Type{Type::Unsigned, 32, 1};
}

Wide scalarValue(const Form &F, const uint64_t *In,
                 const std::array<std::string, 3> &Parts) {
  Wide V = operate(F, partOf(In[0], Parts[1], typeOf(F, 1)),
                   partOf(In[1], Parts[2], typeOf(F, 2)));
  if (F.has("sat"))
    V = clampTo(V, typeOf(F, 0).isSigned(),
                Parts[0].empty()     ? 32
                : Parts[0][1] == 'h' ? 16
                                     : 8);
  return V;
}

void scalar(const Form &F, const uint64_t *In, Want *Out) {
  Out[0] = Want::exact(uint32_t(scalarValue(F, In, SourceParts[In[2]])));
}
/// With a third operand that changes nothing.
void ignored(const Form &F, const uint64_t *In, Want *Out) {
  Out[0] = Want::exact(uint32_t(scalarValue(F, In, SourceParts[In[3]])));
}
/// With an operation on the third operand.
void combined(const Form &F, const uint64_t *In, Want *Out) {
  Type T = typeOf(F, 0);
  uint32_t V = uint32_t(scalarValue(F, In, SourceParts[In[3]]));
  Wide A = valueOf(V, T), C = valueOf(In[2], T);
  Out[0] = Want::exact(uint32_t(F.has("add")   ? A + C
                                : F.has("min") ? (A < C ? A : C)
                                               : (A > C ? A : C)));
}
/// Into a part of the third operand.
void merged(const Form &F, const uint64_t *In, Want *Out) {
  const auto &Parts = MergeParts[In[3]];
  uint32_t V = uint32_t(scalarValue(F, In, Parts));
  unsigned Bits = Parts[0][1] == 'h' ? 16 : 8;
  unsigned Shift = Bits * unsigned(Parts[0][2] - '0');
  uint32_t Place = ((1u << Bits) - 1) << Shift;
  Out[0] = Want::exact((V << Shift & Place) | (In[2] & ~Place));
}

template <bool NegA, bool NegB, bool NegC>
void multiplyAdd(const Form &F, const uint64_t *In, Want *Out) {
  const auto &Parts = SourceParts[In[3]];
  bool Signed =
      F.type(1).isSigned() || F.type(2).isSigned() || NegA != NegB || NegC;
  Wide P =
      partOf(In[0], Parts[1], F.type(1)) * partOf(In[1], Parts[2], F.type(2));
  Wide C = valueOf(In[2], {Signed ? Type::Signed : Type::Unsigned, 32, 1});
  Wide V = (NegA != NegB ? -P : P) + (NegC ? -C : C) + F.has("po");
  unsigned Scale = F.has("shr7") ? 7 : F.has("shr15") ? 15 : 0;
  V >>= Scale;
  Out[0] = Want::exact(uint32_t(F.has("sat") ? clampTo(V, Signed, 32) : V));
}

template <unsigned Lanes>
void packed(const Form &F, const uint64_t *In, Want *Out) {
  const auto &Parts = Lanes == 2 ? HalfLanes[In[3]] : ByteLanes[In[3]];
  constexpr unsigned Bits = 32 / Lanes;
  uint64_t Both = In[1] << 32 | In[0];
  uint32_t Merged = uint32_t(In[2]), Sum = uint32_t(In[2]);
  for (unsigned K = 0; K < Lanes; ++K) {
    auto Lane = [&](unsigned N) {
      const std::string &Name = Parts[N];
      unsigned Digit = Name.empty() ? K + (N == 2 ? Lanes : 0)
                                    : unsigned(Name[Name.size() - 1 - K] - '0');
      return valueOf(Both >> (Bits * Digit), {typeOf(F, N).K, Bits, 1});
    };
    bool Chosen =
        Parts[0].empty() || Parts[0].find(char('0' + K)) != std::string::npos;
    if (!Chosen)
      continue;
    Wide V = operate(F, Lane(1), Lane(2));
    if (F.has("sat"))
      V = clampTo(V, typeOf(F, 0).isSigned(), Bits);
    uint32_t Place = uint32_t(((uint64_t(1) << Bits) - 1) << (K * Bits));
    Merged = (Merged & ~Place) | (uint32_t(V) << (K * Bits) & Place);
    Sum += uint32_t(V);
  }
  Out[0] = Want::exact(F.has("add") ? Sum : Merged);
}
} // namespace

#define GEVO_SIGNS "{.u32,.s32}"
#define GEVO_THREE GEVO_SIGNS GEVO_SIGNS GEVO_SIGNS
#define GEVO_SHIFT GEVO_SIGNS GEVO_SIGNS ".u32{,.sat}{.clamp,.wrap}"
#define GEVO_SET GEVO_SIGNS GEVO_SIGNS "{.eq,.ne,.lt,.le,.gt,.ge}"

const std::vector<Row> &gevo::isa::videoRows() {
  static const char Two[] = "$I $d, $a$2, $b$3;";
  static const char Three[] = "$I $d$1, $a$2, $b$3, $c;";
  // Nothing is merged into or combined with a whole register.
  static const char Ignored[] = "$I $d, $a$2, $b$3, $c;";
  static const std::vector<Row> Rows = {
      {"{vadd,vsub,vabsdiff,vmin,vmax}" GEVO_THREE "{,.sat}",
       "b32=b32,b32",
       scalar,
       Two,
       {},
       &SourceParts},
      {"{vadd,vsub,vabsdiff,vmin,vmax}" GEVO_THREE "{,.sat}{.add,.min,.max}",
       "b32=b32,b32,b32",
       combined,
       Three,
       {},
       &SourceParts},
      {"{vadd,vsub,vabsdiff,vmin,vmax}" GEVO_THREE "{,.sat}",
       "b32=b32,b32,b32",
       merged,
       Three,
       {},
       &MergeParts},
      {"{vadd,vsub,vabsdiff,vmin,vmax}" GEVO_THREE "{,.sat}",
       "b32=b32,b32,b32",
       ignored,
       Ignored,
       {},
       &SourceParts},
      {"{vshl,vshr}" GEVO_SHIFT, "b32=b32,u32~", scalar, Two, {}, &SourceParts},
      {"{vshl,vshr}" GEVO_SHIFT,
       "b32=b32,u32~,b32",
       ignored,
       Ignored,
       {},
       &SourceParts},
      {"{vshl,vshr}" GEVO_SHIFT "{.add,.min,.max}",
       "b32=b32,u32~,b32",
       combined,
       Three,
       {},
       &SourceParts},
      {"{vshl,vshr}" GEVO_SHIFT,
       "b32=b32,u32~,b32",
       merged,
       Three,
       {},
       &MergeParts},
      {"vset" GEVO_SET, "b32=b32,b32", scalar, Two, {}, &SourceParts},
      {"vset" GEVO_SET, "b32=b32,b32,b32", ignored, Ignored, {}, &SourceParts},
      {"vset" GEVO_SET "{.add,.min,.max}",
       "b32=b32,b32,b32",
       combined,
       Three,
       {},
       &SourceParts},
      {"vset" GEVO_SET, "b32=b32,b32,b32", merged, Three, {}, &MergeParts},
      {"vmad" GEVO_THREE "{,.sat}{,.shr7,.shr15}{,.po}",
       "b32=b32,b32,b32",
       multiplyAdd<false, false, false>,
       "$I $d, $a$2, $b$3, $c;",
       {},
       &SourceParts},
      {"vmad.s32" GEVO_SIGNS GEVO_SIGNS "{,.sat}{,.shr7,.shr15}",
       "b32=b32,b32,b32",
       multiplyAdd<true, false, false>,
       "$I $d, -$a$2, $b$3, $c;",
       {},
       &SourceParts},
      {"vmad.s32" GEVO_SIGNS GEVO_SIGNS "{,.sat}{,.shr7,.shr15}",
       "b32=b32,b32,b32",
       multiplyAdd<false, false, true>,
       "$I $d, $a$2, $b$3, -$c;",
       {},
       &SourceParts},
      {"{vadd2,vsub2,vavrg2,vabsdiff2,vmin2,vmax2}" GEVO_THREE "{,.sat}{,.add}",
       "b32=b32,b32,b32",
       packed<2>,
       Three,
       {},
       &HalfLanes},
      {"{vadd4,vsub4,vavrg4,vabsdiff4,vmin4,vmax4}" GEVO_THREE "{,.sat}{,.add}",
       "b32=b32,b32,b32",
       packed<4>,
       Three,
       {},
       &ByteLanes},
      {"vset2" GEVO_SET "{,.add}",
       "b32=b32,b32,b32",
       packed<2>,
       Three,
       {},
       &HalfLanes},
      {"vset4" GEVO_SET "{,.add}",
       "b32=b32,b32,b32",
       packed<4>,
       Three,
       {},
       &ByteLanes},
  };
  return Rows;
}
