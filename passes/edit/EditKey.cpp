//===- EditKey.cpp - An edit from one line of text ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "delete at=i12 uses=float 1.0": fields start at a space, a field's name and
// an equals sign; a constant's own spaces are followed by no such thing.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/Edit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gevo;

static Error wrong(StringRef Text, const Twine &What) {
  return createStringError(inconvertibleErrorCode(),
                           "'" + Text + "' is not an edit: " + What);
}

// Whether it is "name=..." or "name.N=..." of a field.
static bool startsField(StringRef Text) {
  return any_of(editFields(), [Text](const EditFieldInfo &F) {
    StringRef Rest = Text;
    return Rest.consume_front(F.Name) && !Rest.empty() &&
           (Rest.front() == '=' || Rest.front() == '.');
  });
}

// Where the next " name=" or " name.N=" starts, or npos. A worker parses every
// edit that it is sent: no text is made, and the line is gone through once.
static size_t nextField(StringRef Text) {
  size_t At = Text.find(' ');
  while (At != StringRef::npos && !startsField(Text.drop_front(At + 1)))
    At = Text.find(' ', At + 1);
  return At;
}

// "name=value" or "operands.1=value" or "into=i3.1".
static Error setField(StringRef Text, StringRef Part, Edit &E) {
  auto [Name, Value] = Part.split('=');
  auto [Base, Number] = Name.split('.');
  const EditFieldInfo *F = find_if(
      editFields(), [Base = Base](const auto &F) { return F.Name == Base; });
  if (F == editFields().end() || !info(E.Kind).has(F->Field))
    return wrong(Text,
                 "'" + info(E.Kind).Name + "' has no field '" + Base + "'");
  switch (F->Shape) {
  case FieldShape::Index:
    if (Value.getAsInteger(10, E.Index))
      return wrong(Text, "'" + Value + "' is not a number");
    break;
  case FieldShape::Operands: {
    OperandRepair R;
    R.Value = Value.str();
    if (Number.getAsInteger(10, R.Operand))
      return wrong(Text, "'" + Name + "' names no operand number");
    if (std::optional<std::string> Problem =
            misshapen(FieldShape::Value, Value))
      return wrong(Text, *Problem);
    E.operands(F->Field).push_back(std::move(R));
    break;
  }
  case FieldShape::Site: {
    auto [At, Operand] = Value.rsplit('.');
    if (std::optional<std::string> Problem = misshapen(FieldShape::Anchor, At))
      return wrong(Text, *Problem);
    E.Into = UseSite{At.str(), 0};
    if (Operand.getAsInteger(10, E.Into->Operand))
      return wrong(Text, "'" + Value +
                             "' is not an anchor and an operand "
                             "number, such as i3.1");
    break;
  }
  default:
    if (std::optional<std::string> Problem = misshapen(F->Shape, Value))
      return wrong(Text, *Problem);
    E.text(F->Field) = Value.str();
  }
  return Error::success();
}

Expected<Edit> gevo::parseEditKey(StringRef Text) {
  // gevo-edits show puts a remark behind the edit.
  StringRef Rest = Text.split("  ;").first.trim();
  size_t End = Rest.find(' ');
  const EditKindInfo *Kind = findEditKind(Rest.substr(0, End));
  if (!Kind)
    return wrong(Text, "there is no kind '" + Rest.substr(0, End) + "'");
  Edit E;
  E.Kind = Kind->Kind;
  Rest = End == StringRef::npos ? "" : Rest.substr(End);
  unsigned Seen = 0;
  while (!Rest.empty()) {
    Rest = Rest.drop_front();
    size_t Next = nextField(Rest);
    StringRef Part = Rest.substr(0, Next);
    if (Error Bad = setField(Text, Part, E))
      return Bad;
    for (const EditFieldInfo &F : editFields())
      if (Part.split('=').first == F.Name)
        Seen |= 1u << static_cast<unsigned>(F.Field);
    Rest = Next == StringRef::npos ? "" : Rest.substr(Next);
  }
  if (Kind->needs(EditField::As) && E.As.empty()) {
    E.nameClone();
    Seen |= 1u << static_cast<unsigned>(EditField::As);
  }
  for (const EditFieldInfo &F : editFields())
    if (Kind->needs(F.Field) && !(Seen >> static_cast<unsigned>(F.Field) & 1))
      return wrong(Text, "the field '" + F.Name + "' is missing");
  return E;
}
