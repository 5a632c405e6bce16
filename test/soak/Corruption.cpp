//===- Corruption.cpp - Edit sets that nobody drew ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half of the changes put something of the right shape in a field, so that the
// edit gets past the reader; the other half anything.
//
//===----------------------------------------------------------------------===//

#include "test/soak/Corruption.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;
using namespace gevo;

static constexpr StringLiteral Values[] = {
    "i32 -1",
    "i32 2147483647",
    "i64 -9223372036854775808",
    "i1 true",
    "i8 255",
    "i16 7",
    "i128 170141183460469231731687303715884105727",
    "float 0x7FF8000000000000",
    "float -0.000000e+00",
    "double 0x7FF0000000000000",
    "half 0xH7C00",
    "bfloat 0xR3F80",
    "ptr null",
    "ptr addrspace(3) null",
    "ptr undef",
    "ptr poison",
    "i32 poison",
    "float undef",
    "<2 x half> zeroinitializer",
    "<4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>",
    "<1000000000 x i32> zeroinitializer",
    "<4000000000 x i64> splat (i64 1)",
    "i64 ptrtoint (ptr null to i64)",
    "ptr inttoptr (i64 -1 to ptr)",
    "i32 99999999999999999999",
    "i32 1.5",
    "float 1",
    "float 1.0 1.0",
    "i32 %x",
    "ptr @printf",
    "label %entry",
    "metadata !0",
    "token none",
    "void undef",
    "i0 0",
    "i99999999 0",
    "{i32, i32} zeroinitializer",
    "[4 x i8] c\"abcd\"",
    "i32",
    "i32 ",
    " ",
    "",
    "i32 0; i32 1",
    "x86_fp80 0xK3FFF8000000000000000",
    "target(\"spirv.Image\") poison",
};

static constexpr StringLiteral Choices[] = {
    "nc",  "cg",       "cs",  "lu",  "cv",   "true",  "false", "reassoc",
    "ftz", "contract", "div", "rcp", "sqrt", "maybe", "",      "ld.global"};

static std::string anchor(const FunctionEdits &F, Random &Dice) {
  switch (Dice.below(16)) {
  case 0:
    return "a" + std::to_string(Dice.below(10));
  case 1:
    return "c" + std::to_string(Dice.below(10));
  case 2:
    return "i999999999";
  case 3: {
    // A clone that some other edit makes.
    std::vector<std::string> Clones;
    for (const Edit &E : F.Edits)
      if (!E.As.empty())
        Clones.push_back(E.As);
    return Clones.empty() ? "i" : Dice.pick(Clones);
  }
  default:
    return "i" + std::to_string(Dice.below(F.Instructions + 1));
  }
}

static std::string valueText(const FunctionEdits &F, Random &Dice) {
  return Dice.below(2) ? anchor(F, Dice) : Dice.pick(Values).str();
}

static unsigned index(Random &Dice) {
  constexpr unsigned Indexes[] = {0,  1,  2,  3,    4,         5,
                                  16, 32, 33, 1000, 2147483647};
  return Dice.pick(Indexes);
}

static void corruptRepairs(std::vector<OperandRepair> &Repairs,
                           const FunctionEdits &F, Random &Dice) {
  if (!Repairs.empty() && Dice.below(3) == 0)
    Repairs.pop_back();
  else
    Repairs.assign(1, {index(Dice), valueText(F, Dice)});
}

static void corruptField(Edit &E, EditField Field, const FunctionEdits &F,
                         Random &Dice) {
  switch (info(Field).Shape) {
  case FieldShape::Anchor:
    E.text(Field) = anchor(F, Dice);
    break;
  case FieldShape::Clone:
    E.As =
        Dice.below(2) ? "c" + std::to_string(Dice.below(4)) : anchor(F, Dice);
    break;
  case FieldShape::Index:
    E.Index = index(Dice);
    break;
  case FieldShape::Value:
    E.text(Field) = valueText(F, Dice);
    break;
  case FieldShape::Choice:
    E.text(Field) = Dice.pick(Choices).str();
    break;
  case FieldShape::Operands:
    corruptRepairs(E.operands(Field), F, Dice);
    break;
  case FieldShape::Site:
    E.Into = UseSite{anchor(F, Dice), index(Dice)};
    break;
  }
}

// Another kind with the same anchors; what it needs beyond them is made up.
static void changeKind(Edit &E, const FunctionEdits &F, Random &Dice) {
  ArrayRef<EditKindInfo> Kinds = editKinds();
  E.Kind = Dice.pick(Kinds).Kind;
  for (const EditFieldInfo &Field : editFields())
    if (Field.Field != EditField::At && info(E.Kind).needs(Field.Field))
      corruptField(E, Field.Field, F, Dice);
}

static void corruptOne(FunctionEdits &F, Random &Dice) {
  Edit &E = Dice.pick(F.Edits);
  switch (Dice.below(8)) {
  case 0:
    return std::swap(E, Dice.pick(F.Edits));
  case 1:
    return F.Edits.push_back(Edit(E));
  case 2:
    return changeKind(E, F, Dice);
  default:
    SmallVector<EditField> Fields;
    for (const EditFieldInfo &Field : editFields())
      if (info(E.Kind).has(Field.Field))
        Fields.push_back(Field.Field);
    return corruptField(E, Dice.pick(Fields), F, Dice);
  }
}

void gevo::corrupt(EditSet &Set, Random &Dice) {
  SmallVector<FunctionEdits *> Functions;
  for (ArchitectureEdits &A : Set.Architectures)
    for (FunctionEdits &F : A.Functions)
      if (!F.Edits.empty())
        Functions.push_back(&F);
  if (Functions.empty())
    return;
  for (uint64_t Times = 1 + Dice.below(3); Times; --Times)
    corruptOne(*Dice.pick(Functions), Dice);
}
