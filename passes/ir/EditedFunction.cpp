//===- EditedFunction.cpp - A function while edits are applied ------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names to values and back, and the marks of what was removed.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/EditedFunction.h"
#include "passes/edit/Edit.h"
#include "passes/ir/Legality.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace gevo;

Error gevo::refuse(const Twine &Reason) {
  return createStringError(inconvertibleErrorCode(), Reason);
}

EditedFunction::EditedFunction(Function &F) : F(F), Dominators(F) {
  auto Enter = [&](char Letter, unsigned Number, Value &V) {
    auto It = Values.try_emplace((Twine(Letter) + Twine(Number)).str(), &V);
    Names[&V] = It.first->first();
  };
  for (Argument &A : F.args())
    Enter('a', A.getArgNo(), A);
  forEachAnchored(
      F, [&](Instruction &I, unsigned Number) { Enter('i', Number, I); });
}

Expected<Instruction *> EditedFunction::place(StringRef Anchor) const {
  auto It = Values.find(Anchor);
  if (It == Values.end())
    return refuse(Anchor[0] == 'c'
                      ? "no edit before it in this set makes " + Anchor
                      : "the function has no " + Anchor);
  auto *I = dyn_cast<Instruction>(It->second);
  if (!I)
    return refuse(Anchor + " is an argument, not an instruction");
  return I;
}

Expected<Instruction *> EditedFunction::instruction(StringRef Anchor) const {
  Expected<Instruction *> I = place(Anchor);
  if (I && Marks.count(*I))
    return refuse(Anchor + " was removed by an earlier edit");
  return I;
}

static Error mistyped(StringRef Text, const Type *Is, const Type *Wanted) {
  return refuse("'" + Text + "' has type " + typeText(Is) + ", and " +
                typeText(Wanted) + " is wanted");
}

// A constant of type T as LLVM writes it. Names of globals and of types are
// refused, as reading them could add declarations to the module, and so are
// expressions: the parser would make whatever they hold, of any size.
static Expected<Value *> parseConstant(StringRef Text, const Type *T,
                                       const Module &M) {
  constexpr size_t LongestConstant = 256;
  if (Text.size() > LongestConstant ||
      Text.find_first_of("@%!#$\"") != Text.npos)
    return refuse("'" + Text.take_front(LongestConstant) +
                  "' is not a constant that an edit may use");
  SMDiagnostic Diagnostic;
  unsigned TypeLength = 0;
  const Type *Is = parseTypeAtBeginning(Text, TypeLength, Diagnostic, M);
  if (Is && Is != T)
    return mistyped(Text, Is, T);
  if (Is && Text.drop_front(TypeLength).contains('('))
    return refuse("'" + Text + "' is an expression, and a literal is wanted");
  Constant *C = Is ? parseConstantValue(Text, Diagnostic, M) : nullptr;
  if (!C)
    return refuse("'" + Text +
                  "' is not a constant: " + Diagnostic.getMessage());
  return C;
}

Expected<Value *> EditedFunction::value(StringRef Text, Type *T) const {
  Value *V = nullptr;
  if (isAnchor(Text)) {
    auto It = Values.find(Text);
    if (It == Values.end())
      return refuse("there is no value " + Text + " here");
    V = It->second;
    if (auto *I = dyn_cast<Instruction>(V))
      if (Marks.count(I))
        return refuse("the value " + Text + " was removed by an earlier edit");
  } else {
    Expected<Value *> C = parseConstant(Text, T, *F.getParent());
    if (!C)
      return C;
    V = *C;
  }
  if (V->getType() != T)
    return mistyped(Text, V->getType(), T);
  return V;
}

std::string EditedFunction::nameOf(const Value &V) const {
  auto It = Names.find(&V);
  if (It != Names.end())
    return It->second.str();
  std::string Text;
  raw_string_ostream OS(Text);
  V.printAsOperand(OS, /*PrintType=*/true, F.getParent());
  return Text;
}

bool EditedFunction::isAvailable(const Value &V,
                                 const Instruction &Place) const {
  const auto *I = dyn_cast<Instruction>(&V);
  return !I || (I != &Place && Dominators.dominates(I, &Place));
}

Error EditedFunction::define(StringRef Anchor, Instruction &I) {
  auto It = Values.try_emplace(Anchor, &I);
  if (!It.second)
    return refuse("the anchor " + Anchor + " is taken by an earlier edit");
  Names[&I] = It.first->first();
  return Error::success();
}

void EditedFunction::substitute(Instruction &Old, Instruction &New) {
  StringRef Anchor = Names.lookup(&Old);
  Names.erase(&Old);
  Names[&New] = Anchor;
  Values[Anchor] = &New;
  New.setDebugLoc(Old.getDebugLoc());
  if (!Old.getType()->isVoidTy())
    Old.replaceAllUsesWith(&New);
  Old.eraseFromParent();
}

void EditedFunction::remove(Instruction &I) {
  assert(I.use_empty() && "a removed instruction must have no uses");
  // Any instruction would do: nothing reads it, and finish() takes it away.
  auto *Mark =
      new FreezeInst(PoisonValue::get(Type::getInt1Ty(F.getContext())), "", &I);
  StringRef Anchor = Names.lookup(&I);
  Names.erase(&I);
  Names[Mark] = Anchor;
  Values[Anchor] = Mark;
  Marks.insert(Mark);
  salvageDebugInfo(I);
  I.eraseFromParent();
}

void EditedFunction::finish() {
  for (BasicBlock &BB : F)
    for (Instruction &I : make_early_inc_range(BB))
      if (Marks.count(&I)) {
        Values.erase(Names.lookup(&I));
        Names.erase(&I);
        I.eraseFromParent();
      }
  Marks.clear();
}
