//===- IrProgram.h - Device modules as a program to evolve ------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorded modules of one program for one architecture. Functions are
// counted over all modules; a payload has the PTX of each module.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_IRPROGRAM_H
#define GEVO_SEARCH_IR_IRPROGRAM_H

#include "passes/edit/EditSet.h"
#include "passes/ir/CleanUp.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/LoweringKey.h"
#include "passes/ir/Record.h"
#include "search/OtherInputs.h"
#include "search/Program.h"
#include "search/ir/Board.h"
#include "search/ir/Reach.h"
#include "search/ir/Synchronisation.h"
#include "search/ir/Twins.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <map>
#include <set>

namespace gevo {

/// What each instruction of each function costs, by anchor number.
using HeatMap = std::vector<std::vector<uint64_t>>;

class IrProgram : public Program {
public:
  /// initializeNVPTX() must have been called. \p Records are of one
  /// architecture. Functions whose names \p Wanted refuses are not edited.
  static llvm::Expected<std::unique_ptr<IrProgram>>
  create(std::vector<RecordedModule> Records,
         llvm::function_ref<bool(llvm::StringRef)> Wanted);

  std::unique_ptr<Program> clone() const override;
  std::string identity() const override;
  size_t functionCount() const override { return Functions.size(); }
  std::optional<PlacedEdit> propose(const EditList &Base, const Proposal &What,
                                    Random &Dice) override;
  Built build(const EditList &Edits) override;
  Fitness cleanUp(const EditList &Edits) override;
  std::vector<Place> places() const override;

  /// The name of a function in its module.
  llvm::StringRef functionName(unsigned Function) const;
  /// Names that stand for other code in one module than in another, as those
  /// of static functions may.
  std::set<std::string> namesakes() const;
  size_t instructionCount() const;
  /// Arguments of a kernel that may be the same; see Pointers.h.
  std::vector<PointerPair> pairsOf(unsigned Module,
                                   llvm::StringRef Kernel) const;
  llvm::StringRef architecture() const { return Records[0].Architecture; }
  const std::vector<RecordedModule> &records() const { return Records; }
  /// The original whose debug locations are anchors: what anchorOf() reads.
  Built buildTagged();
  /// The function and the instruction that a debug location of tagged code
  /// stands for.
  static std::optional<std::pair<unsigned, unsigned>>
  anchorOf(llvm::StringRef File, unsigned Line);
  /// Adds \p Cycles, the cost of line \p Line of a tagged module's \p PTX, to
  /// \p To, which grows as needed.
  class TaggedLines {
  public:
    explicit TaggedLines(llvm::StringRef PTX);
    void add(unsigned Line, uint64_t Cycles, HeatMap &To) const;

  private:
    /// By line, from 0.
    std::vector<std::optional<std::pair<unsigned, unsigned>>> Anchors;
  };
  /// Heat from the nesting of loops, where \p TimeOf tells how much time a
  /// kernel takes; for want of a profile.
  HeatMap
  estimateHeat(llvm::function_ref<double(llvm::StringRef)> TimeOf) const;
  /// Which code is hot; until it is set, all is alike.
  void setHeat(HeatMap New);

  /// The original, with code that finds out which values are always equal, the
  /// hottest \p Most pairs of them; see Twins.h.
  Built buildWatched(size_t Most);
  /// What its variable held afterwards, by module: "10" for values that were
  /// always equal.
  void setAnswers(llvm::ArrayRef<std::string> Answers);

  /// The original, with code that marks the blocks which it comes to; see
  /// Reach.h.
  Built buildMarked() const;
  /// What its variable held afterwards, by module: "0" for the others. What
  /// they hold gets no edits, and what they write must stay.
  void setReached(llvm::ArrayRef<std::string> Marks);
  /// From now on all edits are made, also of what keeps threads in order.
  void forgetReached();

  /// Kernels that are judged by what they write, of which code can tell that
  /// they fail; see Screen.h.
  void setJudged(std::set<std::string> Kernels) { Judged = std::move(Kernels); }

  /// Functions that get no edits, as nothing would show that one is wrong.
  void setUnjudged(std::set<std::string> Kernels) {
    Unjudged = std::move(Kernels);
  }

  /// How often code was generated: the others were equal to earlier code.
  unsigned lowerings() const { return Lowerings; }

  /// What \p Set has for this program; functions that are not the ones that it
  /// was made for are an error.
  llvm::Expected<EditList> editsOf(const EditSet &Set) const;
  /// The file's content for \p Edits, which apply, described for people.
  EditSet describeSet(const EditList &Edits, llvm::json::Object Measured);

private:
  IrProgram() = default;

  /// One function. A header's may stand in several modules; for an edit set,
  /// and so for replay, that is one function, which is edited in all of them.
  struct Target {
    /// Where it stands first.
    unsigned Module;
    llvm::Function *F;
    /// Where else, by module.
    std::map<unsigned, llvm::Function *> Others;

    /// Null if it does not stand there.
    llvm::Function *in(unsigned M) const {
      auto Other = Others.find(M);
      return M == Module ? F : Other == Others.end() ? nullptr : Other->second;
    }
  };

  std::unique_ptr<llvm::Module>
  copyOf(unsigned Module, llvm::ValueToValueMapTy &Map,
         const llvm::Function *OnlyBody = nullptr) const;
  /// The edits of functions in module \p M, by function.
  std::map<unsigned, std::vector<Edit>> editsIn(unsigned M,
                                                const EditList &Edits) const;
  /// The PTX of a copy of each module, after \p Change.
  Built buildChanged(llvm::function_ref<void(unsigned, llvm::Module &,
                                             const llvm::ValueToValueMapTy &)>
                         Change) const;
  Fitness buildModule(unsigned M, const EditList &Edits, std::string &PTX);
  llvm::Expected<std::string>
  lower(unsigned Module, std::unique_ptr<llvm::Module> Copy,
        llvm::ArrayRef<const llvm::Function *> Changed);
  /// The function with what \p Base has for it; null if that does not apply.
  Board *boardWith(unsigned Function, const EditList &Base);
  bool isUnjudged(unsigned Function) const;
  /// Those of that module, by the number of the function.
  std::map<unsigned, llvm::Function *> targetsOf(unsigned Module) const;
  bool isUnreached(unsigned Function, std::optional<unsigned> Number) const;
  /// Why nothing would show that \p E is wrong; it passes if something may.
  Fitness changesUnreached(const PlacedEdit &E) const;
  /// An instruction may be in doubt, or only where it stands, or what it uses.
  enum class Doubt { Itself, Order, Use };
  Fitness unproven(unsigned Function, const std::string &Anchor,
                   llvm::StringRef How, Doubt Why = Doubt::Itself) const;
  void findSynchronisation();
  /// What must still be so in a copy of a function that is then edited.
  class Kept {
  public:
    Kept(const IrProgram &P, unsigned Index, llvm::Function &Copy);
    Fitness judge() const;

  private:
    const IrProgram &P;
    unsigned Index;
    std::vector<KeptEffects> Effects;
    FenceOrder Order;
  };
  unsigned drawFunction(bool Hot, Random &Dice) const;
  /// The number in an anchor; clones have none.
  static std::optional<unsigned> numberOf(llvm::StringRef Anchor);
  uint64_t heatOf(unsigned Function, std::optional<unsigned> Number) const;

  std::vector<RecordedModule> Records;
  std::unique_ptr<llvm::LLVMContext> Context;
  std::vector<std::unique_ptr<llvm::Module>> Modules;
  std::vector<Target> Functions;
  HeatMap Heat;
  /// By function: what the coldest instruction counts.
  std::vector<uint64_t> Floors;
  /// By function; null until there is one.
  std::vector<std::unique_ptr<Board>> Boards;
  /// By module, in the order of the variable's bytes.
  std::vector<std::vector<TwinQuestion>> Questions;
  /// By function and number of the instruction.
  std::map<std::pair<unsigned, unsigned>, Edit> Twins;
  std::set<std::string> Judged, Unjudged;
  /// By function; empty until it is known.
  std::vector<Unreached> NotReached;
  /// By function; see Synchronisation.h.
  std::vector<Unreached> Synchronising;
  std::vector<std::vector<FenceOrder::Order>> Orders;
  /// The PTX of modules without edits, made when first needed.
  std::vector<std::string> Originals;
  /// By module: what turns its copies into PTX.
  struct Tools {
    explicit Tools(const LowerOptions &Options) : Lower(Options) {}
    CleanUpPasses Clean;
    Lowering Lower;
  };
  std::vector<std::unique_ptr<Tools>> ToolsOf;
  /// The PTX of modules, by their number and the key of what was lowered.
  std::map<std::pair<unsigned, LoweringKey>, std::string> Lowered;
  size_t LoweredBytes = 0;
  unsigned Lowerings = 0;
};

} // namespace gevo

#endif // GEVO_SEARCH_IR_IRPROGRAM_H
