//===- Mutate.cpp - Random edits of a module ------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A draw that fails half way leaves its function unusable; the copy is then
// made anew and the edits so far are applied again.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Mutate.h"
#include "passes/edit/Version.h"
#include "passes/ir/Architecture.h"
#include "passes/ir/Describe.h"
#include "passes/ir/Operators.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <memory>

using namespace llvm;
using namespace gevo;

// A draw can come to nothing; a module may allow none at all.
static constexpr unsigned TriesPerEdit = 32;

namespace {

class Drawer {
public:
  explicit Drawer(Module &M) : M(M) {
    for (Function &F : M)
      if (!F.isDeclaration()) {
        Functions.push_back(&F);
        Total += F.getInstructionCount();
        Cumulative.push_back(Total);
      }
    Edits.resize(Functions.size());
    startOver();
  }

  bool empty() const { return Total == 0; }

  bool draw(Random &Dice) {
    // Functions count by their size, as instructions do within one.
    size_t Index =
        upper_bound(Cumulative, Dice.below(Total)) - Cumulative.begin();
    Draw D{Dice, nullptr};
    bool Dirty;
    std::optional<Edit> E = drawEdit(edited(Index), D, Dirty);
    if (Dirty)
      startOver();
    if (!E)
      return false;
    Edits[Index].push_back(std::move(*E));
    return true;
  }

  EditSet result() const;

private:
  /// The copy of a function with its edits so far applied.
  EditedFunction &edited(size_t Index) {
    std::unique_ptr<EditedFunction> &Slot = Edited[Index];
    if (!Slot) {
      Slot = std::make_unique<EditedFunction>(
          *cast<Function>(&*Map[Functions[Index]]));
      for (const Edit &E : Edits[Index])
        cantFail(applyEdit(*Slot, E), "an edit that was drawn applies again");
    }
    return *Slot;
  }

  void startOver() {
    Edited.clear();
    Edited.resize(Functions.size());
    Map.clear();
    Copy = CloneModule(M, Map);
  }

  Module &M;
  std::vector<Function *> Functions;
  std::vector<uint64_t> Cumulative;
  uint64_t Total = 0;
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Copy;
  std::vector<std::unique_ptr<EditedFunction>> Edited;
  std::vector<std::vector<Edit>> Edits;
};

} // namespace

EditSet Drawer::result() const {
  EditSet Set;
  Set.Producer = producer();
  ArchitectureEdits &Section = Set.section(architectureOf(M));
  for (size_t I = 0; I < Functions.size(); ++I) {
    if (Edits[I].empty())
      continue;
    Section.Functions.push_back(describeEdits(*Functions[I], Edits[I]));
  }
  return Set;
}

EditSet gevo::drawEdits(Module &M, const MutateOptions &Options) {
  Drawer D(M);
  Random Dice(Options.Seed);
  unsigned Drawn = 0;
  if (!D.empty())
    for (uint64_t Try = uint64_t(TriesPerEdit) * Options.Count;
         Try && Drawn < Options.Count; --Try)
      Drawn += D.draw(Dice);
  return D.result();
}
