//===- EditSet.cpp - Edits of one program, per architecture ---------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Look-up in an edit set, and writing one. The reader is EditSetReader.cpp.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/EditSet.h"
#include "passes/edit/AtomicFile.h"
#include "passes/edit/JsonText.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

size_t ArchitectureEdits::editCount() const {
  size_t Count = 0;
  for (const FunctionEdits &F : Functions)
    Count += F.Edits.size();
  return Count;
}

const ArchitectureEdits *EditSet::find(StringRef Architecture) const {
  for (const ArchitectureEdits &A : Architectures)
    if (A.Architecture == Architecture)
      return &A;
  return nullptr;
}

ArchitectureEdits &EditSet::section(StringRef Architecture) {
  for (ArchitectureEdits &A : Architectures)
    if (A.Architecture == Architecture)
      return A;
  Architectures.emplace_back();
  Architectures.back().Architecture = Architecture.str();
  return Architectures.back();
}

static void printRepairs(json::OStream &J, StringRef Key,
                         ArrayRef<OperandRepair> Repairs) {
  if (Repairs.empty())
    return;
  J.attributeObject(Key, [&] {
    for (const OperandRepair &R : Repairs)
      J.attribute(std::to_string(R.Operand), jsonText(R.Value));
  });
}

static void printField(json::OStream &J, const Edit &E,
                       const EditFieldInfo &F) {
  switch (F.Shape) {
  case FieldShape::Index:
    J.attribute(F.Name, E.Index);
    return;
  case FieldShape::Operands:
    printRepairs(J, F.Name, E.operands(F.Field));
    return;
  case FieldShape::Site:
    if (E.Into)
      J.attributeObject(F.Name, [&] {
        J.attribute("at", E.Into->At);
        J.attribute("operand", E.Into->Operand);
      });
    return;
  default:
    if (!E.text(F.Field).empty())
      J.attribute(F.Name, jsonText(E.text(F.Field)));
  }
}

static void printEdit(json::OStream &J, const Edit &E) {
  J.object([&] {
    J.attribute("kind", info(E.Kind).Name);
    for (const EditFieldInfo &F : editFields())
      if (info(E.Kind).has(F.Field))
        printField(J, E, F);
    if (E.Location) {
      J.attribute("file", jsonText(E.Location.File));
      J.attribute("line", E.Location.Line);
      J.attribute("column", E.Location.Column);
    }
    if (!E.Note.empty())
      J.attribute("note", jsonText(E.Note));
  });
}

static void printTrace(json::OStream &J, const AnchorTrace &T) {
  J.object([&] {
    J.attribute("anchor", T.Anchor);
    J.attribute("shape", jsonText(T.Shape));
    J.attribute("structure", T.Structure);
    J.attribute("context", T.Context);
    if (T.Line) {
      J.attribute("line", T.Line);
      J.attribute("column", T.Column);
    }
  });
}

static void printFunction(json::OStream &J, const FunctionEdits &F) {
  J.object([&] {
    J.attribute("name", jsonText(F.Name));
    J.attribute("source", jsonText(F.Source));
    J.attribute("fingerprint", F.Fingerprint);
    J.attribute("instructions", F.Instructions);
    J.attributeArray("edits", [&] {
      for (const Edit &E : F.Edits)
        printEdit(J, E);
    });
    if (!F.Outline.empty())
      J.attribute("outline", F.Outline);
    J.attributeArray("anchors", [&] {
      for (const AnchorTrace &T : F.Anchors)
        printTrace(J, T);
    });
  });
}

void gevo::printEditSet(const EditSet &Set, raw_ostream &OS) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("gevo", EditSetSchema);
    J.attribute("producer", Set.Producer);
    J.attributeArray("architectures", [&] {
      for (const ArchitectureEdits &A : Set.Architectures)
        J.object([&] {
          J.attribute("arch", A.Architecture);
          J.attributeArray("functions", [&] {
            for (const FunctionEdits &F : A.Functions)
              printFunction(J, F);
          });
          if (!A.Measured.empty())
            J.attribute("measured", json::Object(A.Measured));
        });
    });
  });
  OS << '\n';
}

Error gevo::writeEditSet(const EditSet &Set, StringRef Path) {
  return writeFileAtomically(Path,
                             [&](raw_ostream &OS) { printEditSet(Set, OS); });
}
