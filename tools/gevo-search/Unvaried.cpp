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
#include "search/OtherValues.h"
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

// Does \p Now hold something else where \p Was holds what may be read?
static bool differInValues(const capture::Buffer &Was,
                           const capture::Buffer &Now) {
  for (const capture::Piece &A : Was.Pieces)
    for (const capture::Piece &B : Now.Pieces)
      for (uint64_t At = std::max(A.Offset, B.Offset),
                    End = std::min(A.end(), B.end());
           At < End; ++At) {
        uint64_t I = At - A.Offset;
        bool Known = I >= A.Marks.size() || !capture::isPoisoned(A.Marks[I]);
        if (Known && A.Before[I] != B.Before[At - B.Offset])
          return true;
      }
  return false;
}

// Where \p Launch has the addresses of memory in a structure, by argument.
static std::vector<std::string> pointersInStructures(const Case &C) {
  const capture::Launch &L = C.Launches[0];
  std::vector<std::string> In;
  size_t Pointers = 0;
  for (size_t I = 0; I < L.Offsets.size(); ++I) {
    size_t At = L.Offsets[I],
           End = I + 1 < L.Offsets.size() ? L.Offsets[I + 1] : L.Params.size();
    size_t Before = Pointers;
    for (size_t Word = At; Word + 8 <= End; Word += 8)
      Pointers += isAddress(loadAs<uint64_t>(&L.Params[Word]), C);
    if (Pointers > Before && End - At > 8)
      In.push_back("arg" + std::to_string(I));
  }
  return Pointers < 2 ? std::vector<std::string>() : In;
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

  /// Is another value in buffer \p I, which is called \p Name?
  bool haveOtherValues(size_t I, StringRef Name) const {
    const capture::Buffer &Was = Of.Buffers[I];
    return any([&](const Case &C) {
      for (size_t J = 0; J < C.Buffers.size(); ++J)
        if (const capture::Buffer &Now = C.Buffers[J];
            Now.ofHeap() == Was.ofHeap() &&
            (Was.ofHeap() ? Now.Address == Was.Address
                          : measure::Replay::bufferName(C, J) == Name) &&
            differInValues(Was, Now))
          return true;
      return false;
    });
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
  /// By name of what is read: have its values been others?
  std::map<std::string, bool> Values;
  /// Arguments that have pointers in a structure.
  std::set<std::string> Structures;
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

static void addValues(const Case &C, const Inputs &Made, Known &To) {
  for (size_t I = 0; I < C.Buffers.size(); ++I)
    if (isInput(C.Buffers[I])) {
      std::string Name = measure::Replay::bufferName(C, I);
      bool &Varied = To.Values[Name];
      Varied = Varied || Made.haveOtherValues(I, Name);
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
    if (!AllEdited && !Edited.count(Kernel))
      continue;
    addValues(C, Like, Of);
    if (!Pairs)
      continue;
    addPairs(C, Like, Pairs(From.ModuleOf[I], Kernel), Of);
    for (std::string &Argument : pointersInStructures(C))
      Of.Structures.insert(std::move(Argument));
  }
  Unvaried Not;
  for (const auto &[Kernel, Of] : ByKernel) {
    if (!Of.Size)
      Not.Sizes.push_back(Kernel);
    if (Of.TakesLarger && !Of.Larger)
      Not.Blocks.push_back(Kernel);
    std::vector<std::string> Same;
    for (const auto &[Name, Varied] : Of.Values)
      if (!Varied)
        Same.push_back(Name);
    if (!Same.empty())
      Not.Values.push_back(Kernel + ": " + join(Same, ", "));
    for (const std::string &Argument : Of.Structures)
      Not.Pointers.push_back(Kernel + ": those in " + Argument +
                             " are as they were");
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
  for (const std::string &Of : Not.Values)
    V.say("values that are read but were not varied: " + Of +
          "; a --held-out run that has others would show whether the edits "
          "hold there");
  if (!Not.Pointers.empty())
    V.say("where pointers point was not varied: " + join(Not.Pointers, "; ") +
          "; a --held-out run that has it otherwise would show whether the "
          "edits hold there");
}
