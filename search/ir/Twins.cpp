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
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
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

// Worth a question: what comes for one cheap instruction is not, and what it is
// computed from has a question of its own. What memory holds is the input's,
// and equal for all inputs seen, as the weights of a graph may be, says little.
static bool isCostly(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::ICmp:
  case Instruction::GetElementPtr:
  case Instruction::Load:
    return false;
  default:
    return !I.isCast();
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

static Value *bitsOf(Value *V, IRBuilder<> &At) {
  Type *T = V->getType();
  return T->isFloatingPointTy()
             ? At.CreateBitCast(V, At.getIntNTy(T->getPrimitiveSizeInBits()))
             : V;
}

void gevo::watchTwins(Module &Copy, const std::vector<TwinQuestion> &Questions,
                      const ValueToValueMapTy &Map) {
  // One byte more, for answers that say nothing.
  size_t Count = Questions.size();
  constexpr unsigned GlobalSpace = 1;
  Type *Byte = Type::getInt8Ty(Copy.getContext());
  ArrayType *Bytes = ArrayType::get(Byte, Count + 1);
  auto *Differs = new GlobalVariable(
      Copy, Bytes, /*isConstant=*/false, GlobalValue::ExternalLinkage,
      Constant::getNullValue(Bytes), TwinVariable, nullptr,
      GlobalValue::NotThreadLocal, GlobalSpace);
  for (size_t I = 0; I < Count; ++I) {
    auto *Of = cast<Instruction>(Map.lookup(Questions[I].Of));
    Value *Earlier = Map.lookup(Questions[I].Earlier);
    IRBuilder<> At(Of->getNextNode());
    auto Slot = [&](size_t Number) {
      return At.CreateConstInBoundsGEP1_64(Byte, Differs, Number);
    };
    Value *Unequal = At.CreateICmpNE(bitsOf(Of, At), bitsOf(Earlier, At));
    At.CreateStore(At.getInt8(1),
                   At.CreateSelect(Unequal, Slot(I), Slot(Count)),
                   /*isVolatile=*/true);
  }
}

Built IrProgram::buildWatched(size_t Most) {
  Questions.assign(Modules.size(), {});
  std::vector<TwinQuestion> All;
  for (unsigned Index = 0; Index < Functions.size(); ++Index)
    llvm::append_range(All, findTwins(*Functions[Index].F, Index));
  llvm::stable_sort(All, [&](const TwinQuestion &A, const TwinQuestion &B) {
    return heatOf(A.Function, A.Number) > heatOf(B.Function, B.Number);
  });
  All.erase(All.begin() + std::min(Most, All.size()), All.end());
  for (TwinQuestion &Q : All)
    Questions[Functions[Q.Function].Module].push_back(std::move(Q));
  Built Result;
  for (unsigned M = 0; M < Modules.size(); ++M) {
    ValueToValueMapTy Map;
    std::unique_ptr<Module> Copy = copyOf(M, Map);
    watchTwins(*Copy, Questions[M], Map);
    Expected<std::string> PTX = lowerToPTX(*Copy, Records[M].Options);
    if (!PTX) {
      Result.Failure = Fitness::failed(Stage::Lower, toString(PTX.takeError()));
      return Result;
    }
    Result.Code.Modules.push_back(std::move(*PTX));
  }
  return Result;
}

// Of several equal values the one that takes least. It may have a twin itself,
// and be gone: its twin's twin is as good.
void IrProgram::setDiffering(ArrayRef<std::string> Differing) {
  std::map<std::pair<unsigned, unsigned>, const TwinQuestion *> Equal;
  for (unsigned M = 0; M < Modules.size(); ++M)
    for (size_t I = 0; I < Questions[M].size(); ++I) {
      const TwinQuestion &Q = Questions[M][I];
      // What did not run has no bytes.
      if (I >= Differing[M].size() || Differing[M][I] != '0')
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
