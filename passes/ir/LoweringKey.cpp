//===- LoweringKey.cpp - What tells modules apart before lowering ---------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module is written out as a sequence of words, which is hashed. What a
// context has only once and for good (types, attributes, numbers, strings of
// metadata) counts by its address; all else by a number, in order of
// appearance. What is not known here, such as debug information, is left to
// LLVM's own writer.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/LoweringKey.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gevo;

namespace {

class Writer {
public:
  /// Nothing if there is something that is not known here.
  std::optional<LoweringKey> run(const Module &M,
                                 ArrayRef<const Function *> Changed);

private:
  // Keep sequences of different things from being read as one another.
  enum Tag : uint64_t {
    NumberTag = 1,
    DataTag,
    ConstantTag,
    AsmTag,
    NullTag,
    StringTag,
    NodeTag,
    NodeNumberTag,
    MetadataTag,
    VariableTag,
    FunctionTag,
    AliasTag,
    BodyTag,
    UsesTag,
    InstructionUse,
    ElsewhereUse,
    ConstantUse
  };

  void add(uint64_t Word) { Words.push_back(Word); }
  void addAddress(const void *P) { add(reinterpret_cast<uintptr_t>(P)); }
  void add(StringRef Text) {
    add(Text.size());
    add(xxh3_64bits(Text));
  }
  void add(MaybeAlign A) { add(A ? A->value() : 0); }
  void number(const Value &V) { Numbers.try_emplace(&V, Numbers.size()); }

  void add(const Value *V);
  void addConstant(const Constant &C);
  void add(const Metadata *MD);
  void addAttached(ArrayRef<std::pair<unsigned, MDNode *>> All);
  void addCommon(const GlobalValue &G, Tag What);
  void add(const GlobalVariable &V);
  void add(const Function &F);
  void addBody(const Function &F);
  void add(const Instruction &I);
  void addMemory(const Instruction &I);
  void addDetails(const Instruction &I);
  void add(const CallBase &Call);
  void addUses(const Value &V);

  SmallVector<uint64_t, 0> Words;
  DenseMap<const Value *, unsigned> Numbers;
  DenseMap<const MDNode *, unsigned> Nodes;
  /// Global values and constants that changed functions use.
  SmallSetVector<const Value *, 16> Outside;
  unsigned Depth = 0;
  bool Unknown = false;
};

} // namespace

void Writer::add(const Value *V) {
  if (isa<GlobalValue, ConstantExpr, ConstantAggregate>(V))
    Outside.insert(V);
  if (auto Known = Numbers.find(V); Known != Numbers.end()) {
    add(NumberTag);
    add(Known->second);
  } else if (isa<ConstantData>(V)) {
    add(DataTag);
    addAddress(V);
  } else if (isa<ConstantExpr, ConstantAggregate>(V)) {
    addConstant(*cast<Constant>(V));
  } else if (isa<InlineAsm>(V)) {
    add(AsmTag);
    addAddress(V);
  } else if (const auto *Wrapped = dyn_cast<MetadataAsValue>(V)) {
    add(MetadataTag);
    add(Wrapped->getMetadata());
  } else {
    Unknown = true;
  }
}

// Others could be nested as deep as they like.
static constexpr unsigned Deepest = 100;

// May be freed and come again at another's address.
void Writer::addConstant(const Constant &C) {
  if (++Depth > Deepest) {
    Unknown = true;
    return;
  }
  number(C);
  add(ConstantTag);
  addAddress(C.getType());
  if (const auto *Expression = dyn_cast<ConstantExpr>(&C)) {
    add(1 + Expression->getOpcode());
    add(cast<Operator>(C).getRawSubclassOptionalData());
    if (const auto *GEP = dyn_cast<GEPOperator>(&C)) {
      addAddress(GEP->getSourceElementType());
      Unknown |= GEP->getInRange().has_value();
    }
  } else {
    add(uint64_t(0));
  }
  add(C.getNumOperands());
  for (const Use &U : C.operands())
    add(U.get());
  --Depth;
}

void Writer::add(const Metadata *MD) {
  if (!MD)
    return add(NullTag);
  if (isa<MDString>(MD)) {
    add(StringTag);
    return addAddress(MD);
  }
  if (const auto *Of = dyn_cast<ConstantAsMetadata>(MD))
    return add(Of->getValue());
  const auto *Node = dyn_cast<MDTuple>(MD);
  if (!Node || Depth == Deepest) {
    Unknown = true;
    return;
  }
  auto [Known, New] = Nodes.try_emplace(Node, Nodes.size());
  if (!New) {
    add(NodeNumberTag);
    return add(Known->second);
  }
  ++Depth;
  add(NodeTag);
  add(Node->isDistinct());
  add(Node->getNumOperands());
  for (const MDOperand &Part : Node->operands())
    add(Part.get());
  --Depth;
}

void Writer::addAttached(ArrayRef<std::pair<unsigned, MDNode *>> All) {
  add(All.size());
  for (auto [Kind, Node] : All) {
    add(Kind);
    add(static_cast<const Metadata *>(Node));
  }
}

void Writer::addCommon(const GlobalValue &G, Tag What) {
  add(What);
  add(G.getName());
  addAddress(G.getType());
  addAddress(G.getValueType());
  add(G.getLinkage());
  add(G.getVisibility());
  add(static_cast<uint64_t>(G.getUnnamedAddr()));
  add(G.getThreadLocalMode());
  add(G.isDSOLocal());
  const auto *Object = dyn_cast<GlobalObject>(&G);
  if (!Object)
    return;
  add(Object->getAlign());
  add(Object->getSection());
  SmallVector<std::pair<unsigned, MDNode *>, 4> Attached;
  Object->getAllMetadata(Attached);
  addAttached(Attached);
}

void Writer::add(const GlobalVariable &V) {
  addCommon(V, VariableTag);
  add(V.isConstant() * 2 + V.isExternallyInitialized());
  Unknown |= V.hasAttributes();
  if (V.hasInitializer())
    add(static_cast<const Value *>(V.getInitializer()));
  else
    add(NullTag);
}

void Writer::add(const Function &F) {
  addCommon(F, FunctionTag);
  add(F.getCallingConv());
  addAddress(F.getAttributes().getRawPointer());
  add(F.isDeclaration());
  // Constants that come with it, and collectors, are not for GPUs.
  Unknown |= F.getNumOperands() || F.hasGC();
}

void Writer::addBody(const Function &F) {
  for (const Argument &A : F.args())
    number(A);
  for (const BasicBlock &BB : F) {
    number(BB);
    for (const Instruction &I : BB)
      number(I);
    Unknown |= BB.hasAddressTaken();
  }
  add(BodyTag);
  add(&F);
  for (const BasicBlock &BB : F) {
    add(BB.size());
    for (const Instruction &I : BB)
      add(I);
  }
  for (const Argument &A : F.args())
    addUses(A);
  for (const BasicBlock &BB : F) {
    addUses(BB);
    for (const Instruction &I : BB)
      addUses(I);
  }
}

void Writer::add(const Instruction &I) {
  Unknown |= I.hasDbgRecords() || I.getDebugLoc();
  add(I.getOpcode());
  addAddress(I.getType());
  add(I.getRawSubclassOptionalData());
  add(I.getNumOperands());
  for (const Use &U : I.operands())
    add(U.get());
  if (I.mayReadOrWriteMemory() && !isa<CallBase>(I))
    addMemory(I);
  else
    addDetails(I);
  SmallVector<std::pair<unsigned, MDNode *>, 4> Attached;
  I.getAllMetadataOtherThanDebugLoc(Attached);
  addAttached(Attached);
}

void Writer::addMemory(const Instruction &I) {
  auto Add = [&](Align A, bool Volatile, AtomicOrdering Order,
                 SyncScope::ID Scope) {
    add(A.value());
    add(Volatile);
    add(static_cast<uint64_t>(Order));
    add(Scope);
  };
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    Add(Load->getAlign(), Load->isVolatile(), Load->getOrdering(),
        Load->getSyncScopeID());
  } else if (const auto *Store = dyn_cast<StoreInst>(&I)) {
    Add(Store->getAlign(), Store->isVolatile(), Store->getOrdering(),
        Store->getSyncScopeID());
  } else if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I)) {
    Add(RMW->getAlign(), RMW->isVolatile(), RMW->getOrdering(),
        RMW->getSyncScopeID());
    add(RMW->getOperation());
  } else if (const auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I)) {
    Add(CAS->getAlign(), CAS->isVolatile(), CAS->getSuccessOrdering(),
        CAS->getSyncScopeID());
    add(static_cast<uint64_t>(CAS->getFailureOrdering()));
    add(CAS->isWeak());
  } else if (const auto *Fence = dyn_cast<FenceInst>(&I)) {
    Add(Align(), false, Fence->getOrdering(), Fence->getSyncScopeID());
  } else {
    Unknown = true;
  }
}

// What an instruction is beyond its opcode, type, flags and operands.
void Writer::addDetails(const Instruction &I) {
  if (const auto *Compare = dyn_cast<CmpInst>(&I)) {
    add(Compare->getPredicate());
  } else if (const auto *GEP = dyn_cast<GetElementPtrInst>(&I)) {
    addAddress(GEP->getSourceElementType());
  } else if (const auto *Alloca = dyn_cast<AllocaInst>(&I)) {
    addAddress(Alloca->getAllocatedType());
    add(Alloca->getAlign());
    add(Alloca->isUsedWithInAlloca() * 2 + Alloca->isSwiftError());
  } else if (const auto *Call = dyn_cast<CallBase>(&I)) {
    add(*Call);
  } else if (const auto *Extract = dyn_cast<ExtractValueInst>(&I)) {
    add(Extract->getNumIndices());
    append_range(Words, Extract->indices());
  } else if (const auto *Insert = dyn_cast<InsertValueInst>(&I)) {
    add(Insert->getNumIndices());
    append_range(Words, Insert->indices());
  } else if (const auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I)) {
    add(Shuffle->getShuffleMask().size());
    append_range(Words, Shuffle->getShuffleMask());
  } else if (const auto *Phi = dyn_cast<PHINode>(&I)) {
    for (const BasicBlock *From : Phi->blocks())
      add(static_cast<const Value *>(From));
  } else {
    // These are no more than their operands.
    Unknown |= !isa<BinaryOperator, UnaryOperator, CastInst, SelectInst,
                    FreezeInst, ExtractElementInst, InsertElementInst,
                    BranchInst, SwitchInst, ReturnInst, UnreachableInst>(I);
  }
}

void Writer::add(const CallBase &Call) {
  const auto *Plain = dyn_cast<CallInst>(&Call);
  Unknown |= !Plain;
  addAddress(Call.getFunctionType());
  add(Call.getCallingConv());
  addAddress(Call.getAttributes().getRawPointer());
  add(Plain ? Plain->getTailCallKind() : 0);
  add(Call.getNumOperandBundles());
  for (unsigned B = 0; B < Call.getNumOperandBundles(); ++B) {
    OperandBundleUse Bundle = Call.getOperandBundleAt(B);
    add(Bundle.getTagName());
    add(Bundle.Inputs.size());
  }
}

// The code generator may follow the order of uses. Those in functions that are
// not changed stand in the same order among themselves in every copy; other
// modules use constants, too.
void Writer::addUses(const Value &V) {
  if (!V.hasNUsesOrMore(2))
    return;
  add(UsesTag);
  for (const Use &U : V.uses()) {
    const User *By = U.getUser();
    auto Known = Numbers.find(By);
    if (Known != Numbers.end()) {
      add(InstructionUse);
      add(Known->second);
      add(U.getOperandNo());
    } else if (const auto *I = dyn_cast<Instruction>(By);
               I && isa<GlobalValue>(V)) {
      add(ElsewhereUse);
      add(Numbers.lookup(I->getFunction()));
    } else if (isa<GlobalValue>(V)) {
      add(ConstantUse);
    }
  }
}

std::optional<LoweringKey> Writer::run(const Module &M,
                                       ArrayRef<const Function *> Changed) {
  for (const GlobalValue &G : M.global_values())
    number(G);
  for (const GlobalVariable &V : M.globals())
    add(V);
  for (const Function &F : M)
    add(F);
  for (const GlobalAlias &A : M.aliases()) {
    addCommon(A, AliasTag);
    add(static_cast<const Value *>(A.getAliasee()));
  }
  Unknown |= !M.ifunc_empty();
  for (const NamedMDNode &Named : M.named_metadata()) {
    add(Named.getName());
    add(Named.getNumOperands());
    for (const MDNode *Node : Named.operands())
      add(static_cast<const Metadata *>(Node));
  }
  // All that an unchanged function uses is used as it was.
  Outside.clear();
  for (const Function *F : Changed)
    addBody(*F);
  for (const Value *V : Outside)
    addUses(*V);
  if (Unknown)
    return std::nullopt;
  XXH128_hash_t Hash =
      xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t *>(Words.data()),
                            Words.size() * sizeof(uint64_t)));
  return LoweringKey(Hash.low64, Hash.high64);
}

static LoweringKey bitcodeKey(const Module &M) {
  SmallString<0> Bitcode;
  raw_svector_ostream OS(Bitcode);
  WriteBitcodeToFile(M, OS, /*ShouldPreserveUseListOrder=*/true);
  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Bitcode));
  return {Hash.low64, Hash.high64};
}

LoweringKey gevo::loweringKey(const Module &M,
                              ArrayRef<const Function *> Changed, bool Names) {
  if (!Names)
    if (std::optional<LoweringKey> Key = Writer().run(M, Changed))
      return *Key;
  return bitcodeKey(M);
}
