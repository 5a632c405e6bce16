//===- OtherPointers.cpp - Pointers to the same memory --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only parameters change where pointers come to be the same; where they come to
// differ, a copy of the memory is added.
//
//===----------------------------------------------------------------------===//

#include "search/OtherPointers.h"
#include "search/LargerSizes.h"
#include "search/OtherSizes.h"
#include "search/OtherValues.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;
using capture::Buffer;
using capture::Case;

// A draw asks the original for each.
static constexpr size_t MostPairs = 12, MostInputs = 4, MostSmaller = 24;

static uint64_t wordAt(const Case &C, size_t Place) {
  return loadAs<uint64_t>(&C.Launches[0].Params[Place]);
}

static void setWord(Case &C, size_t Place, uint64_t Word) {
  std::memcpy(&C.Launches[0].Params[Place], &Word, sizeof(Word));
}

std::optional<std::pair<size_t, size_t>>
gevo::placesOf(const Case &C, const PointerPair &Pair) {
  const capture::Launch &L = C.Launches[0];
  auto PlaceOf = [&](unsigned Argument) -> std::optional<size_t> {
    if (Argument >= L.Offsets.size() ||
        L.Offsets[Argument] + sizeof(uint64_t) > L.Params.size() ||
        !isAddress(wordAt(C, L.Offsets[Argument]), C))
      return std::nullopt;
    return L.Offsets[Argument];
  };
  std::optional<size_t> A = PlaceOf(Pair.First), B = PlaceOf(Pair.Second);
  if (C.Launches.size() != 1 || !A || !B)
    return std::nullopt;
  return std::pair(*A, *B);
}

bool gevo::isSame(const Case &C, const PointerPair &Pair) {
  auto Places = placesOf(C, Pair);
  return Places && wordAt(C, Places->first) == wordAt(C, Places->second);
}

bool gevo::joinsPointers(ArrayRef<const Case *> Run, const Case &Made) {
  auto Joins = [&](const PointerPair &Pair) {
    return isSame(Made, Pair) &&
           any_of(Run, [&](const Case *C) { return placesOf(*C, Pair); }) &&
           none_of(Run, [&](const Case *C) { return isSame(*C, Pair); });
  };
  for (unsigned B = 1; B < Made.Launches[0].Offsets.size(); ++B)
    for (unsigned A = 0; A < B; ++A)
      if (Joins({A, B}))
        return true;
  return false;
}

// The second of \p Places gets a copy of the memory that both point to; false
// if that is none of the program's buffers.
static bool setApart(Case &C, std::pair<size_t, size_t> Places) {
  uint64_t Word = wordAt(C, Places.first);
  auto Of = find_if(C.Buffers, [&](const Buffer &B) {
    return Word >= B.Address && Word - B.Address < B.Size;
  });
  if (Of == C.Buffers.end() || !Of->Variable.empty() || Of->ofHeap())
    return false;
  Buffer Copy = *Of;
  Copy.Address = freePlace(C, Of->Address + Of->Size, Of->Size);
  setWord(C, Places.second, Copy.Address + (Word - Of->Address));
  auto After = llvm::upper_bound(
      C.Buffers, Copy.Address,
      [](uint64_t Address, const Buffer &B) { return Address < B.Address; });
  C.Buffers.insert(After, std::move(Copy));
  return true;
}

static std::string nameOf(const PointerPair &Pair, const char *How) {
  return "arg" + std::to_string(Pair.First) + " and arg" +
         std::to_string(Pair.Second) + " in " + How + " memory";
}

// What feeds on itself from step to step may end as infinity, which any variant
// comes to. So that of \p C, which is the same in place, with a count that is
// half of what it is, a quarter and so on, until the original stays as finite
// as in \p Apart.
static std::optional<OtherInput>
drawFinite(const Case &Apart, const Case &C,
           function_ref<bool(Case &)> GetsAlong) {
  const std::vector<Count> Counts = countsOf(C);
  size_t Tried = 0;
  for (unsigned Halvings = 1; Halvings < 32; ++Halvings)
    for (const Count &Of : Counts) {
      if (Of.Value >> Halvings < 2)
        continue;
      if (Tried++ == MostSmaller)
        return std::nullopt;
      OtherInput O = withCount(C, Of, Of.Value >> Halvings);
      O.Count.reset();
      if (GetsAlong(O.Changed) && staysFinite(Apart, O.Changed))
        return O;
    }
  return std::nullopt;
}

std::vector<OtherInput>
gevo::drawPointers(const Case &C, ArrayRef<PointerPair> Pairs,
                   function_ref<bool(Case &)> GetsAlong) {
  std::vector<OtherInput> All;
  for (const PointerPair &Pair : Pairs.take_front(MostPairs)) {
    auto Places = placesOf(C, Pair);
    if (!Places || All.size() == MostInputs)
      continue;
    Case Changed = C;
    if (isSame(C, Pair)) {
      if (setApart(Changed, *Places) && GetsAlong(Changed))
        All.push_back(
            {std::move(Changed), nameOf(Pair, "different"), std::nullopt});
      continue;
    }
    setWord(Changed, Places->second, wordAt(C, Places->first));
    if (!GetsAlong(Changed)) {
      Changed = C;
      setWord(Changed, Places->first, wordAt(C, Places->second));
      if (!GetsAlong(Changed))
        continue;
    }
    const std::string Name = nameOf(Pair, "the same");
    if (!staysFinite(C, Changed))
      if (auto Smaller = drawFinite(C, Changed, GetsAlong)) {
        Smaller->What += " and " + Name;
        All.push_back(std::move(*Smaller));
      }
    if (All.size() < MostInputs)
      All.push_back({std::move(Changed), Name, std::nullopt});
  }
  return All;
}
