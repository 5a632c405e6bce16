//===- Twins.cpp - Values that are always equal ---------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Twins.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/Legality.h"
#include "search/ir/IrProgram.h"
#include "search/ir/Marks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gevo;

namespace {

class Asker {
public:
  Asker(Function &F, unsigned Index) : Anchors(F), Index(Index) {}

  void ask(Instruction &I, unsigned Number, std::vector<TwinQuestion> &To);

private:
  unsigned heightOf(const Value &V) const { return Heights.lookup(&V); }

  EditedFunction Anchors;
  unsigned Index;
  DenseMap<const Value *, unsigned> Heights;
  /// By kind and type, the last few.
  std::map<std::pair<unsigned, Type *>, std::vector<Instruction *>> Alike;
};

} // namespace

// Bits can be compared.
static bool isComparable(const Type *T) {
  return T->isIntegerTy() || T->isPointerTy() || T->isFloatingPointTy();
}

// Worth a question: what takes a dozen instructions or more. Of what is cheap
// little would be gained, and most of what is equal there is equal by what the
// inputs happen to hold.
static bool isCostly(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::FDiv:
  case Instruction::FRem:
    return true;
  case Instruction::Call:
    return !isa<IntrinsicInst>(I);
  default:
    return false;
  }
}

// The values of the type of \p I that it is computed from.
static void addAncestors(Instruction &I, SetVector<Value *> &To) {
  constexpr unsigned Steps = 4;
  constexpr size_t Most = 32;
  SetVector<Value *> Seen;
  Seen.insert(&I);
  size_t Next = 0;
  for (unsigned Step = 0; Step < Steps; ++Step)
    for (size_t End = Seen.size(); Next < End && Seen.size() < Most; ++Next)
      if (auto *From = dyn_cast<Instruction>(Seen[Next]);
          From && !isa<PHINode>(From))
        for (Value *V : From->operands())
          if (isa<Instruction, Argument>(V))
            Seen.insert(V);
  for (Value *V : Seen)
    if (V != &I && V->getType() == I.getType())
      To.insert(V);
}

void Asker::ask(Instruction &I, unsigned Number,
                std::vector<TwinQuestion> &To) {
  constexpr size_t Last = 4;
  unsigned Height = 0;
  if (!isa<PHINode>(I))
    for (const Value *V : I.operands())
      Height = std::max(Height, heightOf(*V));
  Heights[&I] = Height + 1;
  if (!isComparable(I.getType()) || !isCostly(I) || !isTarget(I) ||
      I.mayHaveSideEffects() || I.use_empty() || !Anchors.isReachable(I))
    return;
  SetVector<Value *> Earlier;
  addAncestors(I, Earlier);
  std::vector<Instruction *> &Others = Alike[{I.getOpcode(), I.getType()}];
  Earlier.insert(Others.begin(), Others.end());
  Others.push_back(&I);
  if (Others.size() > Last)
    Others.erase(Others.begin());
  for (Value *V : Earlier)
    if (Anchors.isAvailable(*V, I))
      To.push_back({&I, V, Index, Number, Anchors.nameOf(*V), heightOf(*V)});
}

std::vector<TwinQuestion> gevo::findTwins(Function &F, unsigned Index) {
  Asker A(F, Index);
  std::vector<TwinQuestion> All;
  forEachAnchored(
      F, [&](Instruction &I, unsigned Number) { A.ask(I, Number, All); });
  return All;
}

// What a comparison of is no more than its bits; of poison, some.
static Value *bitsOf(Value *V, IRBuilder<> &At) {
  Type *T = V->getType();
  if (T->isFloatingPointTy())
    V = At.CreateBitCast(V, At.getIntNTy(T->getPrimitiveSizeInBits()));
  return At.CreateFreeze(V);
}

void gevo::watchTwins(Module &Copy, const std::vector<TwinQuestion> &Questions,
                      const ValueToValueMapTy &Map) {
  Marks Answers(Copy, TwinVariable, 2 * Questions.size());
  for (size_t I = 0; I < Questions.size(); ++I) {
    auto *Of = cast<Instruction>(Map.lookup(Questions[I].Of));
    Value *Earlier = Map.lookup(Questions[I].Earlier);
    IRBuilder<> At(Of->getNextNode());
    Value *Equal = At.CreateICmpEQ(bitsOf(Of, At), bitsOf(Earlier, At));
    Answers.setOne(At, Equal, /*IfTrue=*/2 * I, /*IfFalse=*/2 * I + 1);
  }
}

Built IrProgram::buildWatched(size_t Most) {
  Questions.assign(Modules.size(), {});
  std::vector<TwinQuestion> All;
  for (unsigned M = 0; M < Modules.size(); ++M)
    for (auto [Index, F] : targetsOf(M))
      for (TwinQuestion &Q : findTwins(*F, Index)) {
        Q.Module = M;
        All.push_back(std::move(Q));
      }
  llvm::stable_sort(All, [&](const TwinQuestion &A, const TwinQuestion &B) {
    return heatOf(A.Function, A.Number) > heatOf(B.Function, B.Number);
  });
  All.erase(All.begin() + std::min(Most, All.size()), All.end());
  for (TwinQuestion &Q : All)
    Questions[Q.Module].push_back(std::move(Q));
  return buildChanged(
      [&](unsigned M, Module &Copy, const ValueToValueMapTy &Map) {
        watchTwins(Copy, Questions[M], Map);
      });
}

// Of several equal values the one that takes least. It may have a twin itself,
// and be gone: its twin's twin is as good.
void IrProgram::setAnswers(ArrayRef<std::string> Answers) {
  auto KeyOf = [](const TwinQuestion &Q) {
    return std::tuple(Q.Function, Q.Number, Q.Name);
  };
  // What differs in one module is not always equal.
  std::map<std::tuple<unsigned, unsigned, std::string>, std::string> Told;
  for (unsigned M = 0; M < Modules.size(); ++M)
    for (size_t I = 0; I < Questions[M].size(); ++I) {
      std::string &All = Told[KeyOf(Questions[M][I])];
      StringRef Here = StringRef(Answers[M]).substr(2 * I, 2);
      All.resize(2, '0');
      for (size_t Byte = 0; Byte < Here.size(); ++Byte)
        All[Byte] = std::max(All[Byte], Here[Byte]);
    }
  std::map<std::pair<unsigned, unsigned>, const TwinQuestion *> Equal;
  for (const std::vector<TwinQuestion> &Asked : Questions)
    for (const TwinQuestion &Q : Asked) {
      if (Told[KeyOf(Q)] != "10")
        continue;
      const TwinQuestion *&Best = Equal[{Q.Function, Q.Number}];
      if (!Best || Q.Height < Best->Height)
        Best = &Q;
    }
  for (auto [Of, Question] : Equal) {
    const TwinQuestion *Last = Question;
    while (std::optional<unsigned> Number = numberOf(Last->Name)) {
      auto Next = Equal.find({Of.first, *Number});
      if (Next == Equal.end())
        break;
      Last = Next->second;
    }
    Edit E;
    E.Kind = EditKind::Delete;
    E.At = "i" + std::to_string(Of.second);
    E.Uses = Last->Name;
    Twins[Of] = std::move(E);
  }
}
