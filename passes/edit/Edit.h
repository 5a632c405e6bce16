//===- Edit.h - One concrete change of a program ----------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An edit is a kind, the anchors it is about, and every repair choice spelled
// out as text, so that replay rolls no dice. This layer knows the words of an
// edit and nothing of LLVM IR or MLIR: anchors and values are names here, and
// what they stand for is decided where the edit is applied.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_EDIT_EDIT_H
#define GEVO_PASSES_EDIT_EDIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace gevo {

/// What an edit does; one row of EditKinds.def each.
enum class EditKind {
#define GEVO_EDIT_KIND(Id, Name, Weight, Required, Optional, Summary) Id,
#include "passes/edit/EditKinds.def"
};

/// The parts an edit can have; which kind has which stands in EditKinds.def.
enum class EditField {
#define GEVO_EDIT_FIELD(Id, Name, Shape) Id,
#include "passes/edit/EditKinds.def"
};

/// How a field is written in the file.
enum class FieldShape { Anchor, Clone, Index, Value, Choice, Operands, Site };

/// A row of the table of fields.
struct EditFieldInfo {
  EditField Field;
  llvm::StringLiteral Name;
  FieldShape Shape;
};

/// A row of the table of kinds.
struct EditKindInfo {
  EditKind Kind;
  llvm::StringLiteral Name;
  unsigned Weight;
  /// Sets of fields, a bit each.
  unsigned Required;
  unsigned Optional;
  llvm::StringLiteral Summary;

  bool needs(EditField Field) const {
    return Required >> static_cast<unsigned>(Field) & 1;
  }
  bool has(EditField Field) const {
    return (Required | Optional) >> static_cast<unsigned>(Field) & 1;
  }
};

/// All kinds, in the order of the table.
llvm::ArrayRef<EditKindInfo> editKinds();
const EditKindInfo &info(EditKind Kind);
/// The kind with this name in a file, or null.
const EditKindInfo *findEditKind(llvm::StringRef Name);

llvm::ArrayRef<EditFieldInfo> editFields();
const EditFieldInfo &info(EditField Field);

/// "Operand number Operand gets Value": one recorded repair.
struct OperandRepair {
  unsigned Operand = 0;
  std::string Value;
  bool operator==(const OperandRepair &O) const {
    return Operand == O.Operand && Value == O.Value;
  }
};

/// An operand of an instruction, where a clone's value goes.
struct UseSite {
  std::string At;
  unsigned Operand = 0;
  bool operator==(const UseSite &O) const {
    return At == O.At && Operand == O.Operand;
  }
};

/// Where in the source the edited instruction came from. Line 0: unknown.
struct SourceLocation {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  explicit operator bool() const { return Line != 0; }
  /// "file:line:column".
  std::string str() const;
  bool operator==(const SourceLocation &O) const {
    return File == O.File && Line == O.Line && Column == O.Column;
  }
};

/// One concrete change. Only the fields that its kind has in EditKinds.def
/// mean anything; the rest are empty.
struct Edit {
  EditKind Kind = EditKind::Delete;
  /// The instruction the edit is about.
  std::string At;
  /// The second instruction: fields before, by and with.
  std::string Other;
  /// The anchor that the clone gets.
  std::string As;
  /// Fields operand and count.
  unsigned Index = 0;
  std::string Value;
  /// Fields policy, take and relax.
  std::string Choice;
  /// Repairs of the operands of At, or of the clone.
  std::vector<OperandRepair> Operands;
  /// What uses of At that lost their value get.
  std::string Uses;
  /// The same two for the partner of a swap.
  std::vector<OperandRepair> WithOperands;
  std::string WithUses;
  /// The operand that takes the clone's value.
  std::optional<UseSite> Into;

  /// For the reader: not part of what the edit does.
  SourceLocation Location;
  std::string Note;

  /// The text field's storage: the names and choices.
  std::string &text(EditField Field);
  const std::string &text(EditField Field) const;
  std::vector<OperandRepair> &operands(EditField Field);
  const std::vector<OperandRepair> &operands(EditField Field) const;

  /// Does the same thing as \p Other: all but Location and Note are equal.
  bool operator==(const Edit &Other) const;

  /// One line without location and note, equal exactly for equal edits, such
  /// as "delete at=i12 uses=i9".
  std::string key() const;

  /// Names the clone after the edit's own content, so that the same edit makes
  /// the same anchor in every edit set that contains it.
  void nameClone();

  /// What a message calls it: "delete i12", "operand i3.1 = float 1.0". Without
  /// the repairs.
  std::string title() const;

  /// Calls \p Visit with every anchor or value text that the edit names.
  template <typename Fn> void forEachName(Fn Visit) {
    visitNames(*this, Visit);
  }
  template <typename Fn> void forEachName(Fn Visit) const {
    visitNames(*this, Visit);
  }

private:
  template <typename Self, typename Fn>
  static void visitNames(Self &E, Fn &Visit) {
    for (auto *Name : {&E.At, &E.Other, &E.Value, &E.Uses, &E.WithUses})
      if (!Name->empty())
        Visit(*Name);
    for (auto *List : {&E.Operands, &E.WithOperands})
      for (auto &R : *List)
        Visit(R.Value);
    if (E.Into)
      Visit(E.Into->At);
  }
};

/// Why \p Text cannot be a field of shape \p Shape, or nothing if it can.
std::optional<std::string> misshapen(FieldShape Shape, llvm::StringRef Text);

/// Reads what Edit::key() wrote. Fields that the kind lacks, or that are
/// missing, are errors; a clone that the text does not name gets its name.
llvm::Expected<Edit> parseEditKey(llvm::StringRef Text);

/// Anchors are 'i' and a number for an instruction, 'a' and a number for an
/// argument, 'c' and letters or digits for a clone. All else that stands for a
/// value is a typed constant as LLVM writes it, such as "float 1.0".
bool isAnchor(llvm::StringRef Text);

} // namespace gevo

#endif // GEVO_PASSES_EDIT_EDIT_H
