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
#include "search/OtherValues.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;
using capture::Buffer;
using capture::Case;

// A draw asks the original for each.
static constexpr size_t MostPairs = 12, MostInputs = 4;

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

std::vector<OtherInput>
gevo::drawPointers(const Case &C, ArrayRef<PointerPair> Pairs,
                   function_ref<bool(Case &)> GetsAlong) {
  std::vector<OtherInput> All;
  for (const PointerPair &Pair : Pairs.take_front(MostPairs)) {
    auto Places = placesOf(C, Pair);
    if (!Places || All.size() == MostInputs)
      continue;
    auto Add = [&](Case Changed, const char *How) {
      if (!GetsAlong(Changed))
        return false;
      All.push_back({std::move(Changed), nameOf(Pair, How), std::nullopt});
      return true;
    };
    Case Changed = C;
    if (isSame(C, Pair)) {
      if (setApart(Changed, *Places))
        Add(std::move(Changed), "different");
      continue;
    }
    setWord(Changed, Places->second, wordAt(C, Places->first));
    if (Add(std::move(Changed), "the same"))
      continue;
    Changed = C;
    setWord(Changed, Places->first, wordAt(C, Places->second));
    Add(std::move(Changed), "the same");
  }
  return All;
}
