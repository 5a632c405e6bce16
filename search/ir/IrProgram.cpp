//===- IrProgram.cpp - Device modules as a program to evolve --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything happens on copies; the modules themselves stay as recorded.
//
//===----------------------------------------------------------------------===//

#include "search/ir/IrProgram.h"
#include "passes/edit/Version.h"
#include "passes/ir/Describe.h"
#include "passes/ir/Fingerprint.h"
#include "passes/ir/Operators.h"
#include "passes/ir/Replay.h"
#include "passes/ir/StableName.h"
#include "search/ir/ReadOnly.h"
#include "search/ir/Screen.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <numeric>

using namespace llvm;
using namespace gevo;

Expected<std::unique_ptr<IrProgram>>
IrProgram::create(std::vector<RecordedModule> Records,
                  function_ref<bool(StringRef)> Wanted) {
  std::unique_ptr<IrProgram> P(new IrProgram());
  P->Records = std::move(Records);
  P->Context = std::make_unique<LLVMContext>();
  // What replay tells functions by.
  std::map<std::pair<std::string, std::string>, size_t> Known;
  for (const RecordedModule &R : P->Records) {
    Expected<std::unique_ptr<Module>> M =
        parseBitcodeFile(MemoryBufferRef(R.Bitcode, R.Source), *P->Context);
    if (!M)
      return createStringError(
          inconvertibleErrorCode(),
          "the module recorded for '" + R.Source +
              "' cannot be read: " + toString(M.takeError()));
    unsigned Number = P->Modules.size();
    for (Function &F : **M) {
      if (F.isDeclaration() || !Wanted(F.getName()))
        continue;
      auto [It, New] = Known.try_emplace(
          {stableName(F.getName()).str(), fingerprint(F)}, P->Functions.size());
      // One that its module has twice, replay edits only once.
      if (!New && !P->Functions[It->second].in(Number))
        P->Functions[It->second].Others[Number] = &F;
      else if (New)
        P->Functions.push_back({Number, &F, {}});
    }
    P->Modules.push_back(std::move(*M));
    P->ToolsOf.push_back(std::make_unique<Tools>(R.Options));
  }
  P->Originals.resize(P->Modules.size());
  P->findSynchronisation();
  return P;
}

std::unique_ptr<Program> IrProgram::clone() const {
  std::set<std::string> Names;
  for (const Target &T : Functions)
    Names.insert(T.F->getName().str());
  std::unique_ptr<IrProgram> Copy = cantFail(
      create(Records, [&](StringRef Name) { return Names.count(Name.str()); }),
      "what was read once is read again");
  Copy->setHeat(Heat);
  Copy->Twins = Twins;
  Copy->Judged = Judged;
  Copy->Unjudged = Unjudged;
  Copy->NotReached = NotReached;
  Copy->Synchronising = Synchronising;
  Copy->Orders = Orders;
  return Copy;
}

std::string IrProgram::identity() const {
  std::string All = producer();
  for (const RecordedModule &R : Records)
    All += R.Architecture + char('0' + R.Options.OptLevel);
  for (const Target &T : Functions)
    All += T.F->getName().str() + fingerprint(*T.F);
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}

StringRef IrProgram::functionName(unsigned Function) const {
  return Functions[Function].F->getName();
}

std::set<std::string> IrProgram::namesakes() const {
  std::set<std::string> Seen, Shared;
  for (const Target &T : Functions) {
    std::set<std::string> Names = {T.F->getName().str()};
    for (const auto &[Module, F] : T.Others)
      Names.insert(F->getName().str());
    for (const std::string &Name : Names)
      if (!Seen.insert(Name).second)
        Shared.insert(Name);
  }
  return Shared;
}

size_t IrProgram::instructionCount() const {
  size_t Count = 0;
  for (const Target &T : Functions)
    Count += T.F->getInstructionCount();
  return Count;
}

// The code generator may follow the order of a value's uses, which a copy has
// in another order. Functions that no edit changes are to come out as in clang.
static void keepUseOrder(const Function &F, const ValueToValueMapTy &Map) {
  DenseMap<const Use *, unsigned> Ranks;
  auto Keep = [&](const Value &V) {
    if (!V.hasNUsesOrMore(2))
      return;
    Ranks.clear();
    for (const Use &U : V.uses()) {
      Value *User = Map.lookup(U.getUser());
      if (!isa_and_nonnull<Instruction>(User))
        return;
      const Use &Copied =
          cast<Instruction>(User)->getOperandUse(U.getOperandNo());
      Ranks.try_emplace(&Copied, Ranks.size());
    }
    Map.lookup(&V)->sortUseList([&](const Use &A, const Use &B) {
      return Ranks.lookup(&A) < Ranks.lookup(&B);
    });
  };
  for (const Argument &A : F.args())
    Keep(A);
  for (const BasicBlock &BB : F) {
    Keep(BB);
    for (const Instruction &I : BB)
      Keep(I);
  }
}

std::unique_ptr<Module> IrProgram::copyOf(unsigned Module,
                                          ValueToValueMapTy &Map,
                                          const Function *OnlyBody) const {
  auto Copy = CloneModule(*Modules[Module], Map, [&](const GlobalValue *G) {
    return !OnlyBody || !isa<Function>(G) || G == OnlyBody;
  });
  // What is copied to edit one function is never lowered.
  if (!OnlyBody)
    for (const Function &F : *Modules[Module])
      keepUseOrder(F, Map);
  return Copy;
}

// "i12" is 12.
std::optional<unsigned> IrProgram::numberOf(StringRef Anchor) {
  unsigned Number;
  if (!Anchor.consume_front("i") || Anchor.getAsInteger(10, Number))
    return std::nullopt;
  return Number;
}

// Cold code and clones keep a small chance.
void IrProgram::setHeat(HeatMap New) {
  Heat = std::move(New);
  Floors.clear();
  for (const std::vector<uint64_t> &H : Heat)
    Floors.push_back(H.empty()
                         ? 1
                         : std::accumulate(H.begin(), H.end(), uint64_t(0)) /
                                   (H.size() * 20) +
                               1);
}

uint64_t IrProgram::heatOf(unsigned Function,
                           std::optional<unsigned> Number) const {
  if (Function >= Heat.size())
    return 1;
  const std::vector<uint64_t> &H = Heat[Function];
  return (Number && *Number < H.size() ? H[*Number] : 0) + Floors[Function];
}

bool IrProgram::isUnjudged(unsigned Function) const {
  return Unjudged.count(functionName(Function).str());
}

unsigned IrProgram::drawFunction(bool Hot, Random &Dice) const {
  std::vector<uint64_t> Sums;
  uint64_t Total = 0;
  for (size_t I = 0; I < Functions.size(); ++I) {
    if (!isUnjudged(I))
      Total +=
          Hot && I < Heat.size()
              ? std::accumulate(Heat[I].begin(), Heat[I].end(), uint64_t(1))
              : Functions[I].F->getInstructionCount();
    Sums.push_back(Total);
  }
  return upper_bound(Sums, Dice.below(Total)) - Sums.begin();
}

Board *IrProgram::boardWith(unsigned Function, const EditList &Base) {
  Boards.resize(Functions.size());
  std::unique_ptr<Board> &B = Boards[Function];
  if (B)
    B->renew();
  else
    B = std::make_unique<Board>(*Functions[Function].F);
  for (const PlacedEdit &E : Base)
    if (E.Function == Function) {
      B->willChange();
      if (Error Refused = applyEdit(B->edited(), E.Change)) {
        consumeError(std::move(Refused));
        return nullptr;
      }
    }
  return B.get();
}

// A load that would take for read-only what its function writes.
static bool isStale(const EditedFunction &Edited, const Edit &E) {
  if (E.Kind != EditKind::Cache || E.Choice != "nc")
    return false;
  Expected<Instruction *> I = Edited.instruction(E.At);
  if (I)
    return isWritten(cast<LoadInst>(**I));
  consumeError(I.takeError());
  return false;
}

std::optional<PlacedEdit>
IrProgram::propose(const EditList &Base, const Proposal &What, Random &Dice) {
  if (Functions.empty())
    return std::nullopt;
  unsigned Index = What.At ? What.At->Function : drawFunction(What.Hot, Dice);
  Board *B = boardWith(Index, Base);
  if (!B)
    return std::nullopt;
  EditedFunction &Edited = B->edited();
  Draw D{Dice};
  D.OnlyTargets = What.OnlyTargets;
  if (What.At) {
    Expected<Instruction *> I =
        Edited.instruction("i" + std::to_string(What.At->Number));
    if (!I) {
      consumeError(I.takeError());
      return std::nullopt;
    }
    D.Only = *I;
  } else if (What.Hot) {
    D.Weight = [&](const Instruction &I) {
      return heatOf(Index, numberOf(Edited.nameOf(I)));
    };
  }
  std::optional<Edit> E = chooseEdit(Edited, D, What.Kind);
  if (!E || !changesUnreached({Index, *E}).valid() || isStale(Edited, *E))
    return std::nullopt;
  if (isComplete(Edited, *E))
    return PlacedEdit{Index, std::move(*E)};
  if (What.Plain)
    return std::nullopt;
  B->willChange();
  if (!drawRest(Edited, *E, D))
    return std::nullopt;
  return PlacedEdit{Index, std::move(*E)};
}

// Edits often come to nothing but what the clean-up removes, or to the same as
// others.
Expected<std::string> IrProgram::lower(unsigned Module,
                                       std::unique_ptr<llvm::Module> Copy,
                                       ArrayRef<const Function *> Changed) {
  constexpr size_t MostBytes = size_t(32) << 20;
  auto Key = std::make_pair(
      Module, loweringKey(*Copy, Changed, Records[Module].Options.Names));
  if (auto Known = Lowered.find(Key); Known != Lowered.end())
    return Known->second;
  ++Lowerings;
  Expected<std::string> PTX = ToolsOf[Module]->Lower.run(std::move(Copy));
  if (!PTX)
    return PTX;
  if ((LoweredBytes += PTX->size()) > MostBytes) {
    Lowered.clear();
    LoweredBytes = PTX->size();
  }
  Lowered[Key] = *PTX;
  return PTX;
}

Built IrProgram::buildChanged(
    function_ref<void(unsigned, Module &, const ValueToValueMapTy &)> Change)
    const {
  Built Result;
  for (unsigned M = 0; M < Modules.size(); ++M) {
    ValueToValueMapTy Map;
    std::unique_ptr<Module> Copy = copyOf(M, Map);
    Change(M, *Copy, Map);
    Expected<std::string> PTX = lowerToPTX(*Copy, Records[M].Options);
    if (!PTX) {
      Result.Failure = Fitness::failed(Stage::Lower, toString(PTX.takeError()));
      return Result;
    }
    Result.Code.Modules.push_back(std::move(*PTX));
  }
  return Result;
}

std::map<unsigned, std::vector<Edit>>
IrProgram::editsIn(unsigned M, const EditList &Edits) const {
  std::map<unsigned, std::vector<Edit>> ByFunction;
  for (const PlacedEdit &E : Edits)
    if (E.Function < Functions.size() && Functions[E.Function].in(M))
      ByFunction[E.Function].push_back(E.Change);
  return ByFunction;
}

static Fitness refused(const Refusal &Why) {
  return Fitness::failed(Why.Edit ? Stage::Apply : Stage::Verify, Why.Reason);
}

Fitness IrProgram::cleanUp(const EditList &Edits) {
  for (unsigned M = 0; M < Modules.size(); ++M) {
    ValueToValueMapTy Map;
    std::unique_ptr<Module> Copy = copyOf(M, Map);
    std::map<unsigned, std::vector<Edit>> ByFunction = editsIn(M, Edits);
    std::vector<FunctionTask> Tasks;
    for (auto &[F, Changes] : ByFunction)
      Tasks.push_back({cast<Function>(&*Map[Functions[F].in(M)]), Changes});
    if (!Tasks.empty())
      if (std::optional<Refusal> Why =
              replayOnCopy(*Copy, Tasks, ToolsOf[M]->Clean))
        return refused(*Why);
  }
  return Fitness();
}

// The PTX of one module, or why there is none.
Fitness IrProgram::buildModule(unsigned M, const EditList &Edits,
                               std::string &PTX) {
  std::map<unsigned, std::vector<Edit>> ByFunction = editsIn(M, Edits);
  if (ByFunction.empty() && !Originals[M].empty()) {
    PTX = Originals[M];
    return Fitness();
  }
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Copy = copyOf(M, Map);
  std::vector<FunctionTask> Tasks;
  std::map<unsigned, Kept> ToKeep;
  for (auto &[F, Changes] : ByFunction) {
    Tasks.push_back({cast<Function>(&*Map[Functions[F].in(M)]), Changes});
    ToKeep.try_emplace(F, *this, F, *Tasks.back().F);
  }
  if (!Tasks.empty())
    if (std::optional<Refusal> Why =
            replayOnCopy(*Copy, Tasks, ToolsOf[M]->Clean))
      return refused(*Why);
  SmallVector<const Function *, 4> Changed;
  for (auto &[F, Changes] : ByFunction) {
    const Function &Original = *Functions[F].in(M);
    // A local one may have lost its last use.
    const Function *Now = Copy->getFunction(Original.getName());
    if (Now)
      Changed.push_back(Now);
    if (Judged.count(Original.getName().str()))
      if (std::string Why = hopeless(*Now, Original); !Why.empty())
        return Fitness::failed(Stage::Screen, Why);
    if (Now && findReadOnlyClash(*Now) && !findReadOnlyClash(Original))
      return Fitness::failed(Stage::Screen,
                             "a load through the read-only cache reads what "
                             "the same kernel writes");
  }
  for (const auto &[F, Before] : ToKeep)
    if (Fitness Now = Before.judge(); !Now.valid())
      return Now;
  Expected<std::string> Lowered = lower(M, std::move(Copy), Changed);
  if (!Lowered)
    return Fitness::failed(Stage::Lower, toString(Lowered.takeError()));
  PTX = std::move(*Lowered);
  if (ByFunction.empty())
    Originals[M] = PTX;
  return Fitness();
}

Built IrProgram::build(const EditList &Edits) {
  Built Result;
  for (const PlacedEdit &E : Edits)
    if (Fitness F = changesUnreached(E); !F.valid()) {
      Result.Failure = std::move(F);
      return Result;
    }
  Result.Code.Modules.resize(Modules.size());
  for (unsigned M = 0; M < Modules.size() && Result.ok(); ++M)
    Result.Failure = buildModule(M, Edits, Result.Code.Modules[M]);
  return Result;
}

EditSet IrProgram::describeSet(const EditList &Edits, json::Object Measured) {
  EditSet Set;
  Set.Producer = producer();
  ArchitectureEdits &Section = Set.section(architecture());
  Section.Measured = std::move(Measured);
  for (unsigned Index = 0; Index < Functions.size(); ++Index) {
    const Target &T = Functions[Index];
    ValueToValueMapTy Map;
    std::unique_ptr<Module> Copy;
    std::optional<EditedFunction> Edited;
    std::vector<Edit> Ours;
    for (const PlacedEdit &E : Edits) {
      if (E.Function != Index)
        continue;
      if (!Copy) {
        Copy = copyOf(T.Module, Map, T.F);
        Edited.emplace(*cast<Function>(&*Map[T.F]));
      }
      Ours.push_back(E.Change);
      describe(*Edited, Ours.back());
      cantFail(applyEdit(*Edited, E.Change), "what was measured applies");
    }
    if (!Ours.empty())
      Section.Functions.push_back(describeEdits(*T.F, std::move(Ours)));
  }
  return Set;
}

Expected<EditList> IrProgram::editsOf(const EditSet &Set) const {
  EditList All;
  const ArchitectureEdits *Section = Set.find(architecture());
  if (!Section)
    return createStringError(inconvertibleErrorCode(),
                             "'" + Set.Path + "' has no edits for " +
                                 architecture());
  for (const FunctionEdits &Edits : Section->Functions) {
    auto T = find_if(Functions, [&](const Target &T) {
      return stableName(T.F->getName()) == Edits.Name &&
             fingerprint(*T.F) == Edits.Fingerprint;
    });
    if (T == Functions.end())
      return createStringError(inconvertibleErrorCode(),
                               "'" + Set.Path + "' was not made for this '" +
                                   Edits.Name + "'");
    for (const Edit &E : Edits.Edits)
      All.push_back({unsigned(T - Functions.begin()), E});
  }
  return All;
}
