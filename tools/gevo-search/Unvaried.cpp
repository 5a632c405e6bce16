//===- Unvaried.cpp - What made inputs have as the run has it -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Told by the inputs themselves: a resumed search has nothing else.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Unvaried.h"
#include "search/LargerBlocks.h"
#include "search/OtherPointers.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gevo;
using capture::Case;

static bool differInSize(const Case &A, const Case &B) {
  return !llvm::equal(A.Buffers, B.Buffers,
                      [](const capture::Buffer &A, const capture::Buffer &B) {
                        return A.Size == B.Size;
                      });
}

static uint64_t threadsOf(const Case &C) {
  const capture::Extent &Block = C.Launches[0].Block;
  return uint64_t(Block.X) * Block.Y * Block.Z;
}

namespace {
/// The inputs of one launch of the run.
class Inputs {
public:
  Inputs(const Case &Of, const LaunchScenario &Made) : Of(Of) {
    for (const Case &C : Made.Captured.Cases)
      if (C.Index == Of.Index && C.Module == Of.Module)
        All.push_back(&C);
  }

  bool haveOtherSizes() const {
    return any([&](const Case &C) { return differInSize(Of, C); });
  }
  bool haveLargerBlocks() const {
    return any([&](const Case &C) { return threadsOf(C) > threadsOf(Of); });
  }
  bool haveSame(const PointerPair &Pair, bool Same) const {
    return isSame(Of, Pair) == Same ||
           any([&](const Case &C) { return isSame(C, Pair) == Same; });
  }

private:
  template <typename T> bool any(T Is) const {
    return any_of(All, [&](const Case *C) { return Is(*C); });
  }

  const Case &Of;
  std::vector<const Case *> All;
};

/// What is known of a kernel, by all of its launches.
struct Known {
  bool Size = false;
  /// It takes larger blocks; and has been given some.
  bool TakesLarger = false, Larger = false;
  /// By name: have they been the same, and have they been different?
  std::map<std::string, std::pair<bool, bool>> Pairs;
};
} // namespace

static void addPairs(const Case &C, const Inputs &Made,
                     ArrayRef<PointerPair> Pairs, Known &To) {
  for (const PointerPair &Pair : Pairs)
    if (placesOf(C, Pair)) {
      auto &[Same, Different] =
          To.Pairs["arg" + std::to_string(Pair.First) + " and arg" +
                   std::to_string(Pair.Second)];
      Same |= Made.haveSame(Pair, true);
      Different |= Made.haveSame(Pair, false);
    }
}

Unvaried gevo::findUnvaried(const LaunchScenario &From,
                            const LaunchScenario &Made,
                            const PairsOfKernel &Pairs,
                            const std::set<std::string> &Edited) {
  std::set<std::string> Kernels;
  for (const Case &C : From.Captured.Cases)
    Kernels.insert(C.Launches[0].Kernel);
  bool AllEdited = any_of(
      Edited, [&](const std::string &Name) { return !Kernels.count(Name); });
  std::map<std::string, Known> ByKernel;
  for (size_t I = 0; I < From.Captured.Cases.size(); ++I) {
    const Case &C = From.Captured.Cases[I];
    const std::string &Kernel = C.Launches[0].Kernel;
    Known &Of = ByKernel[shortName(Kernel)];
    Inputs Like(C, Made);
    Of.Size |= Like.haveOtherSizes();
    Of.Larger |= Like.haveLargerBlocks();
    Of.TakesLarger |=
        takesLargerBlocks(C, traitsOf(From.Captured.Modules[C.Module], Kernel));
    if (Pairs && (AllEdited || Edited.count(Kernel)))
      addPairs(C, Like, Pairs(From.ModuleOf[I], Kernel), Of);
  }
  Unvaried Not;
  for (const auto &[Kernel, Of] : ByKernel) {
    if (!Of.Size)
      Not.Sizes.push_back(Kernel);
    if (Of.TakesLarger && !Of.Larger)
      Not.Blocks.push_back(Kernel);
    for (const auto &[Pair, Seen] : Of.Pairs)
      if (!Seen.first || !Seen.second)
        Not.Pointers.push_back(Kernel + ": " + Pair + " are " +
                               (Seen.first ? "always" : "never") + " the same");
  }
  return Not;
}

void gevo::tellUnvaried(const Unvaried &Not, View &V) {
  if (!Not.Sizes.empty())
    V.say("the sizes of buffers were not varied for " + join(Not.Sizes, ", ") +
          ", as nothing tells what they depend on; a --held-out run of "
          "another size would");
  if (!Not.Blocks.empty())
    V.say("in no input had a block more threads than in the run for " +
          join(Not.Blocks, ", ") +
          "; a --held-out run with larger blocks would show whether the edits "
          "hold there");
  if (!Not.Pointers.empty())
    V.say("where pointers point was not varied: " + join(Not.Pointers, "; ") +
          "; a --held-out run that has it otherwise would show whether the "
          "edits hold there");
}
