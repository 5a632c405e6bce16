//===- Fingerprint.cpp - What a function is, whatever it is called --------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is written out as a sequence of words, operands as local
// numbers, and the sequence is hashed.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Fingerprint.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/StableName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gevo;

namespace {

class Writer {
public:
  explicit Writer(Function &F) : F(F) {
    F.getContext().getSyncScopeNames(ScopeNames);
  }
  std::string run();

private:
  // Tags keep sequences of different things from being read as one another.
  enum Tag : uint64_t {
    LocalTag = 1,
    ArgumentTag,
    BlockTag,
    GlobalTag,
    PrivateTag,
    NumberTag,
    NullTag,
    UndefTag,
    PoisonTag,
    DataTag,
    AggregateTag,
    ExpressionTag,
    AsmTag,
    MetadataTag,
    OtherTag,
    NestedTag
  };

  void add(uint64_t Word) { Words.push_back(Word); }
  void add(StringRef Text) { add(xxh3_64bits(Text)); }
  void add(const APInt &Bits) {
    add(Bits.getBitWidth());
    for (unsigned I = 0; I < Bits.getNumWords(); ++I)
      add(Bits.getRawData()[I]);
  }
  void add(const Type *T);
  void addLayout(const Type *T);
  /// The hash of what \p Write adds, which then is not part of the sequence.
  template <typename Fn> uint64_t nested(Fn Write) {
    SmallVector<uint64_t, 0> Outer;
    std::swap(Outer, Words);
    Write();
    std::swap(Outer, Words);
    return xxh3_64bits(bytes(Outer));
  }
  static ArrayRef<uint8_t> bytes(ArrayRef<uint64_t> Words) {
    return ArrayRef(reinterpret_cast<const uint8_t *>(Words.data()),
                    Words.size() * sizeof(uint64_t));
  }
  void add(const Value *V);
  void add(const Constant *C);
  void add(const GlobalVariable &V);
  void add(const Instruction &I);
  void addDetails(const Instruction &I);

  Function &F;
  SmallVector<uint64_t, 0> Words;
  DenseMap<const Value *, unsigned> Locals;
  DenseMap<const Type *, uint64_t> Types;
  DenseMap<const GlobalVariable *, uint64_t> Variables;
  // Scopes are numbered per context, in the order in which they came up.
  SmallVector<StringRef, 8> ScopeNames;
};

} // namespace

// Struct names carry numbers that depend on what else was compiled, so a
// struct counts by its layout.
void Writer::add(const Type *T) {
  auto Known = Types.find(T);
  if (Known != Types.end())
    return add(Known->second);
  Types[T] = NestedTag;
  uint64_t Hash = nested([&] { addLayout(T); });
  Types[T] = Hash;
  add(Hash);
}

void Writer::addLayout(const Type *T) {
  add(T->getTypeID());
  if (const auto *Integer = dyn_cast<IntegerType>(T))
    add(Integer->getBitWidth());
  else if (const auto *Pointer = dyn_cast<PointerType>(T))
    add(Pointer->getAddressSpace());
  else if (const auto *Array = dyn_cast<ArrayType>(T))
    add(Array->getNumElements());
  else if (const auto *Vector = dyn_cast<VectorType>(T))
    add(Vector->getElementCount().getKnownMinValue());
  else if (const auto *Struct = dyn_cast<StructType>(T))
    add(Struct->isOpaque() ? 2 : Struct->isPacked());
  else if (const auto *Callee = dyn_cast<FunctionType>(T))
    add(Callee->isVarArg());
  for (const Type *Part : T->subtypes())
    add(Part);
}

// A variable counts by what the function can see of it: its size and place,
// its name unless that is numbered per module (.str.1), and its content if no
// other module can change it.
void Writer::add(const GlobalVariable &V) {
  auto Known = Variables.find(&V);
  if (Known != Variables.end())
    return add(Known->second);
  // Initialisers can refer to each other in circles.
  Variables[&V] = NestedTag;
  uint64_t Hash = nested([&] {
    add(V.hasPrivateLinkage() ? PrivateTag : GlobalTag);
    if (!V.hasPrivateLinkage())
      add(stableName(V.getName()));
    add(V.getValueType());
    add(V.getAlign().valueOrOne().value());
    add(V.isConstant());
    if (V.hasLocalLinkage() && V.isConstant() && V.hasInitializer())
      add(V.getInitializer());
  });
  Variables[&V] = Hash;
  add(Hash);
}

void Writer::add(const Constant *C) {
  add(C->getType());
  if (const auto *Variable = dyn_cast<GlobalVariable>(C))
    return add(*Variable);
  if (const auto *Global = dyn_cast<GlobalValue>(C)) {
    add(GlobalTag);
    return add(stableName(Global->getName()));
  }
  if (const auto *Integer = dyn_cast<ConstantInt>(C)) {
    add(NumberTag);
    return add(Integer->getValue());
  }
  if (const auto *Float = dyn_cast<ConstantFP>(C)) {
    add(NumberTag);
    return add(Float->getValueAPF().bitcastToAPInt());
  }
  if (const auto *Data = dyn_cast<ConstantDataSequential>(C)) {
    add(DataTag);
    return add(Data->getRawDataValues());
  }
  if (C->isNullValue())
    return add(NullTag);
  if (isa<PoisonValue>(C))
    return add(PoisonTag);
  if (isa<UndefValue>(C))
    return add(UndefTag);
  if (const auto *Expression = dyn_cast<ConstantExpr>(C)) {
    add(ExpressionTag);
    add(Expression->getOpcode());
    add(cast<Operator>(C)->getRawSubclassOptionalData());
    if (const auto *GEP = dyn_cast<GEPOperator>(C))
      add(GEP->getSourceElementType());
  } else {
    add(isa<ConstantAggregate>(C) ? AggregateTag : OtherTag);
  }
  add(C->getNumOperands());
  for (const Use &U : C->operands())
    if (const auto *Part = dyn_cast<Constant>(U))
      add(Part);
}

void Writer::add(const Value *V) {
  auto Local = Locals.find(V);
  if (Local != Locals.end()) {
    add(isa<Instruction>(V) ? LocalTag
        : isa<Argument>(V)  ? ArgumentTag
                            : BlockTag);
    return add(Local->second);
  }
  if (const auto *C = dyn_cast<Constant>(V))
    return add(C);
  if (const auto *Asm = dyn_cast<InlineAsm>(V)) {
    add(AsmTag);
    add(Asm->getAsmString());
    add(Asm->getConstraintString());
    add(Asm->hasSideEffects());
    return add(Asm->isAlignStack());
  }
  add(isa<MetadataAsValue>(V) ? MetadataTag : OtherTag);
  // Such as the rounding mode of a constrained operation.
  if (const auto *Wrapped = dyn_cast<MetadataAsValue>(V))
    if (const auto *Text = dyn_cast<MDString>(Wrapped->getMetadata()))
      add(Text->getString());
}

// What an instruction is beyond its opcode, type, flags and operands.
void Writer::addDetails(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    add(Load->getAlign().value());
    add(Load->isVolatile());
    add(static_cast<uint64_t>(Load->getOrdering()));
    add(ScopeNames[Load->getSyncScopeID()]);
  } else if (const auto *Store = dyn_cast<StoreInst>(&I)) {
    add(Store->getAlign().value());
    add(Store->isVolatile());
    add(static_cast<uint64_t>(Store->getOrdering()));
    add(ScopeNames[Store->getSyncScopeID()]);
  } else if (const auto *Compare = dyn_cast<CmpInst>(&I)) {
    add(Compare->getPredicate());
  } else if (const auto *GEP = dyn_cast<GetElementPtrInst>(&I)) {
    add(GEP->getSourceElementType());
  } else if (const auto *Alloca = dyn_cast<AllocaInst>(&I)) {
    add(Alloca->getAllocatedType());
    add(Alloca->getAlign().value());
  } else if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I)) {
    add(RMW->getOperation());
    add(RMW->getAlign().value());
    add(RMW->isVolatile());
    add(RMW->isVolatile());
    add(static_cast<uint64_t>(RMW->getOrdering()));
    add(ScopeNames[RMW->getSyncScopeID()]);
  } else if (const auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I)) {
    add(CAS->isVolatile());
    add(CAS->getAlign().value());
    add(CAS->isWeak() * 2 + CAS->isVolatile());
    add(static_cast<uint64_t>(CAS->getSuccessOrdering()));
    add(static_cast<uint64_t>(CAS->getFailureOrdering()));
    add(ScopeNames[CAS->getSyncScopeID()]);
  } else if (const auto *Fence = dyn_cast<FenceInst>(&I)) {
    add(static_cast<uint64_t>(Fence->getOrdering()));
    add(ScopeNames[Fence->getSyncScopeID()]);
  } else if (const auto *Call = dyn_cast<CallBase>(&I)) {
    add(Call->getFunctionType());
    add(Call->getCallingConv());
    for (unsigned I = 0; I < Call->getNumOperandBundles(); ++I)
      add(Call->getOperandBundleAt(I).getTagName());
  } else if (const auto *Extract = dyn_cast<ExtractValueInst>(&I)) {
    for (unsigned Index : Extract->indices())
      add(Index);
  } else if (const auto *Insert = dyn_cast<InsertValueInst>(&I)) {
    for (unsigned Index : Insert->indices())
      add(Index);
  } else if (const auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I)) {
    for (int Element : Shuffle->getShuffleMask())
      add(static_cast<uint64_t>(Element));
  } else if (const auto *Phi = dyn_cast<PHINode>(&I)) {
    for (const BasicBlock *Incoming : Phi->blocks())
      add(cast<Value>(Incoming));
  }
}

void Writer::add(const Instruction &I) {
  add(I.getOpcode());
  add(I.getType());
  // LLVM's text loses a phi's flags where a debug location follows, and they
  // decide nothing that its operands' do not.
  add(isa<PHINode>(I) ? 0 : I.getRawSubclassOptionalData());
  add(I.getNumOperands());
  for (const Use &U : I.operands())
    add(U.get());
  addDetails(I);
}

std::string Writer::run() {
  for (Argument &A : F.args())
    Locals[&A] = A.getArgNo();
  unsigned Blocks = 0;
  for (BasicBlock &BB : F)
    Locals[&BB] = Blocks++;
  forEachAnchored(F, [&](Instruction &I, unsigned N) { Locals[&I] = N; });
  add(F.getFunctionType());
  // The one attribute that changes results (clang's
  // -fgpu-flush-denormals-to-zero).
  DenormalMode Denormals = F.getDenormalMode(APFloat::IEEEsingle());
  if (Denormals != DenormalMode::getIEEE())
    add(Denormals.str());
  const BasicBlock *Previous = nullptr;
  forEachAnchored(F, [&](Instruction &I, unsigned) {
    if (I.getParent() != Previous)
      add(BlockTag);
    Previous = I.getParent();
    add(I);
  });
  XXH128_hash_t Hash = xxh3_128bits(bytes(Words));
  return utohexstr(Hash.high64, /*LowerCase=*/true, 16) +
         utohexstr(Hash.low64, /*LowerCase=*/true, 16);
}

std::string gevo::fingerprint(Function &F) { return Writer(F).run(); }
