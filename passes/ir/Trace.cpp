//===- Trace.cpp - How to know an instruction again -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hashes of shapes only: nothing here depends on numbering, or every trace
// after an inserted instruction would differ.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Trace.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/Legality.h"
#include "passes/ir/SourceLocation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gevo;

static std::string digits(StringRef Text) {
  return utohexstr(xxh3_64bits(Text) & 0xffff, /*LowerCase=*/true, 4);
}

static std::string shapeOfValue(const Value &V) {
  if (const auto *I = dyn_cast<Instruction>(&V))
    return shapeOf(*I);
  if (const auto *A = dyn_cast<Argument>(&V))
    return "argument " + std::to_string(A->getArgNo());
  // Constants are told apart by value, and strings by type alone, as their
  // names are not stable.
  if (isa<ConstantData>(V)) {
    std::string Text;
    raw_string_ostream OS(Text);
    V.printAsOperand(OS);
    return Text;
  }
  return "constant " + typeText(V.getType());
}

static std::string operandsDigits(const Instruction &I) {
  std::string Text;
  for (const Use &U : I.operands())
    if (!isa<BasicBlock>(U))
      Text += shapeOfValue(*U) + ";";
  return digits(Text);
}

// Users are kept in an order that depends on how the function was built.
static std::string usersDigits(const Value &V) {
  SmallVector<std::string, 4> Users;
  for (const User *U : V.users())
    if (const auto *I = dyn_cast<Instruction>(U))
      Users.push_back(shapeOf(*I));
  llvm::sort(Users);
  return digits(join(Users, ";"));
}

static std::string contextDigits(const Instruction &I) {
  auto Step = [](const Instruction *From, bool Back) {
    do
      From = Back ? From->getPrevNode() : From->getNextNode();
    while (From && From->isDebugOrPseudoInst());
    return From;
  };
  const Instruction *Before = Step(&I, true);
  const Instruction *After = Step(&I, false);
  auto Shape = [](const Instruction *N) {
    return digits(N ? shapeOf(*N) : "edge");
  };
  return Shape(Before ? Step(Before, true) : nullptr) + "-" + Shape(Before) +
         "-" + Shape(After) + "-" + Shape(After ? Step(After, false) : nullptr);
}

std::vector<AnchorTrace> gevo::traceAll(Function &F) {
  std::vector<AnchorTrace> All;
  for (Argument &A : F.args())
    All.push_back({"a" + std::to_string(A.getArgNo()),
                   "argument " + typeText(A.getType()), "-" + usersDigits(A),
                   "", 0, 0});
  forEachAnchored(F, [&](Instruction &I, unsigned Number) {
    AnchorTrace T;
    T.Anchor = "i" + std::to_string(Number);
    T.Shape = shapeOf(I);
    T.Structure = operandsDigits(I) + "-" + usersDigits(I);
    T.Context = contextDigits(I);
    if (const DILocation *Loc = sourceLocation(I)) {
      T.Line = Loc->getLine();
      T.Column = Loc->getColumn();
    }
    All.push_back(std::move(T));
  });
  return All;
}

std::vector<AnchorTrace> gevo::tracesOf(ArrayRef<Edit> Edits,
                                        ArrayRef<AnchorTrace> All) {
  StringSet<> Named;
  for (const Edit &E : Edits)
    E.forEachName([&](const std::string &Name) { Named.insert(Name); });
  std::vector<AnchorTrace> Traces;
  for (const AnchorTrace &T : All)
    if (Named.contains(T.Anchor))
      Traces.push_back(T);
  return Traces;
}

std::string gevo::outlineOf(ArrayRef<AnchorTrace> Instructions) {
  std::string Outline;
  for (const AnchorTrace &T : Instructions)
    Outline += digits(T.Shape) + StringRef(T.Structure).split('-').first.str();
  return Outline;
}
