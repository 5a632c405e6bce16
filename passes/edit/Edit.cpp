//===- Edit.cpp - One concrete change of a program ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables behind Edit.h, and an edit's identity as text.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/Edit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cassert>

using namespace llvm;
using namespace gevo;

// The names that EditKinds.def writes in its sets of fields.
namespace field {
constexpr unsigned None = 0;
#define GEVO_EDIT_FIELD(Id, Name, Shape)                                       \
  constexpr unsigned Id = 1u << static_cast<unsigned>(EditField::Id);
#include "passes/edit/EditKinds.def"
} // namespace field

ArrayRef<EditKindInfo> gevo::editKinds() {
  using namespace field;
  static constexpr EditKindInfo Table[] = {
#define GEVO_EDIT_KIND(Id, Name, Weight, Required, Optional, Summary)          \
  {EditKind::Id, Name, Weight, Required, Optional, Summary},
#include "passes/edit/EditKinds.def"
  };
  return Table;
}

const EditKindInfo &gevo::info(EditKind Kind) {
  return editKinds()[static_cast<unsigned>(Kind)];
}

const EditKindInfo *gevo::findEditKind(StringRef Name) {
  const auto *It = find_if(
      editKinds(), [&](const EditKindInfo &K) { return K.Name == Name; });
  return It == editKinds().end() ? nullptr : It;
}

ArrayRef<EditFieldInfo> gevo::editFields() {
  static constexpr EditFieldInfo Table[] = {
#define GEVO_EDIT_FIELD(Id, Name, Shape)                                       \
  {EditField::Id, Name, FieldShape::Shape},
#include "passes/edit/EditKinds.def"
  };
  return Table;
}

const EditFieldInfo &gevo::info(EditField Field) {
  return editFields()[static_cast<unsigned>(Field)];
}

std::string SourceLocation::str() const {
  return (Twine(File) + ":" + Twine(Line) + ":" + Twine(Column)).str();
}

std::string &Edit::text(EditField Field) {
  return const_cast<std::string &>(std::as_const(*this).text(Field));
}

const std::string &Edit::text(EditField Field) const {
  switch (Field) {
  case EditField::At:
    return At;
  case EditField::Before:
  case EditField::By:
  case EditField::With:
    return Other;
  case EditField::As:
    return As;
  case EditField::Value:
    return Value;
  case EditField::Policy:
  case EditField::Take:
  case EditField::Relax:
    return Choice;
  case EditField::Uses:
    return Uses;
  case EditField::WithUses:
    return WithUses;
  default:
    llvm_unreachable("this field is not a text");
  }
}

std::vector<OperandRepair> &Edit::operands(EditField Field) {
  return Field == EditField::Operands ? Operands : WithOperands;
}

const std::vector<OperandRepair> &Edit::operands(EditField Field) const {
  return Field == EditField::Operands ? Operands : WithOperands;
}

bool Edit::operator==(const Edit &O) const {
  return Kind == O.Kind && At == O.At && Other == O.Other && As == O.As &&
         Index == O.Index && Value == O.Value && Choice == O.Choice &&
         Operands == O.Operands && Uses == O.Uses &&
         WithOperands == O.WithOperands && WithUses == O.WithUses &&
         Into == O.Into;
}

std::string Edit::key() const {
  std::string Key = info(Kind).Name.str();
  raw_string_ostream OS(Key);
  auto Repairs = [&](StringRef Name, ArrayRef<OperandRepair> List) {
    for (const OperandRepair &R : List)
      OS << ' ' << Name << '.' << R.Operand << '=' << R.Value;
  };
  for (const EditFieldInfo &F : editFields()) {
    if (!info(Kind).has(F.Field))
      continue;
    switch (F.Shape) {
    case FieldShape::Index:
      OS << ' ' << F.Name << '=' << Index;
      break;
    case FieldShape::Operands:
      Repairs(F.Name, operands(F.Field));
      break;
    case FieldShape::Site:
      if (Into)
        OS << ' ' << F.Name << '=' << Into->At << '.' << Into->Operand;
      break;
    default:
      if (!text(F.Field).empty())
        OS << ' ' << F.Name << '=' << text(F.Field);
    }
  }
  return Key;
}

void Edit::nameClone() {
  As.clear();
  uint64_t Hash = xxh3_64bits(key());
  As = "c" + utohexstr(Hash & 0xffffffff, /*LowerCase=*/true, /*Width=*/8);
}

// A file may hold any text where a value must be.
static constexpr size_t LongestShown = 60;

std::string Edit::title() const {
  std::string Title = (info(Kind).Name + " " + At).str();
  raw_string_ostream OS(Title);
  for (EditField F : {EditField::Before, EditField::By, EditField::With})
    if (info(Kind).has(F))
      OS << ' ' << info(F).Name << ' ' << Other;
  if (info(Kind).has(EditField::Operand))
    OS << '.' << Index << " = " << StringRef(Value).take_front(LongestShown);
  if (info(Kind).has(EditField::Count))
    OS << ' ' << Index << " times";
  if (!Choice.empty())
    OS << ' ' << Choice;
  return Title;
}

std::optional<std::string> gevo::misshapen(FieldShape Shape, StringRef Text) {
  switch (Shape) {
  case FieldShape::Anchor:
    if (isAnchor(Text))
      return std::nullopt;
    return ("'" + Text + "' is not an anchor (i12, a0, c0f3a)").str();
  case FieldShape::Clone:
    if (isAnchor(Text) && Text.front() == 'c')
      return std::nullopt;
    return ("'" + Text + "' cannot name a clone; use 'c' and letters or digits")
        .str();
  case FieldShape::Value:
    if (isAnchor(Text) || Text.contains(' '))
      return std::nullopt;
    return ("'" + Text +
            "' is neither an anchor (i12, a0, c0f3a) nor a typed constant "
            "(\"float 1.0\")")
        .str();
  case FieldShape::Choice:
    if (!Text.empty())
      return std::nullopt;
    return "a choice is empty";
  default:
    llvm_unreachable("this shape is not a text");
  }
}

bool gevo::isAnchor(StringRef Text) {
  if (Text.size() < 2)
    return false;
  StringRef Rest = Text.drop_front();
  switch (Text.front()) {
  case 'i':
  case 'a':
    // The bound keeps every number an unsigned; no function comes near it.
    return Rest.size() <= 9 && all_of(Rest, isDigit);
  case 'c':
    return Rest.size() <= 32 && all_of(Rest, isAlnum);
  default:
    return false;
  }
}
