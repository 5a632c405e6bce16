//===- Remap.cpp - Anchors found again in a changed function --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The old function, as the edit set's outline keeps it, is aligned with the
// new one as a whole: the order-preserving match that agrees best. So an
// instruction that is gone has no counterpart, however many others look like
// it. How sure a match is then comes from the anchor's own trace.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Remap.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/Trace.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace gevo;

namespace {

// How much each kind of evidence counts. Without debug locations their share
// goes to the others in proportion.
constexpr unsigned StructureShare = 45;
constexpr unsigned ContextShare = 30;
constexpr unsigned LocationShare = 25;

// What a pair of instructions adds to an alignment: the same opcode and type,
// and the same operands beside.
constexpr uint32_t ShapeScore = 1;
constexpr uint32_t EqualScore = 3;

// Cells of the alignment's table; functions that differ in more than some
// thousand instructions are not the same any more.
constexpr size_t MaxCells = size_t(1) << 24;

} // namespace

using Outline = std::vector<uint32_t>;

static std::optional<Outline> parseOutline(StringRef Text) {
  Outline Words;
  for (; !Text.empty(); Text = Text.drop_front(OutlineDigits)) {
    uint32_t Word;
    if (Text.size() < OutlineDigits ||
        Text.take_front(OutlineDigits).getAsInteger(16, Word))
      return std::nullopt;
    Words.push_back(Word);
  }
  return Words;
}

static uint32_t similarity(uint32_t A, uint32_t B) {
  return A == B ? EqualScore : A >> 16 == B >> 16 ? ShapeScore : 0;
}

// For each old instruction the index of its counterpart, or -1; nothing if the
// two are too far apart to try.
static std::optional<std::vector<int>> align(ArrayRef<uint32_t> Old,
                                             ArrayRef<uint32_t> New) {
  std::vector<int> Match(Old.size(), -1);
  // Most of a function stays as it was: only the middle needs the table.
  size_t Head = 0, Tail = 0, Shorter = std::min(Old.size(), New.size());
  while (Head < Shorter && Old[Head] == New[Head]) {
    Match[Head] = Head;
    ++Head;
  }
  while (Tail < Shorter - Head &&
         Old[Old.size() - 1 - Tail] == New[New.size() - 1 - Tail]) {
    ++Tail;
    Match[Old.size() - Tail] = New.size() - Tail;
  }
  Old = Old.drop_front(Head).drop_back(Tail);
  New = New.drop_front(Head).drop_back(Tail);
  size_t Columns = New.size() + 1;
  if ((Old.size() + 1) > MaxCells / Columns)
    return std::nullopt;
  std::vector<uint32_t> Best((Old.size() + 1) * Columns, 0);
  auto Cell = [&](size_t R, size_t C) -> uint32_t & {
    return Best[R * Columns + C];
  };
  for (size_t R = Old.size(); R-- > 0;)
    for (size_t C = New.size(); C-- > 0;)
      Cell(R, C) = std::max({Cell(R + 1, C), Cell(R, C + 1),
                             Cell(R + 1, C + 1) + similarity(Old[R], New[C])});
  for (size_t R = 0, C = 0; R < Old.size() && C < New.size();) {
    uint32_t Score = similarity(Old[R], New[C]);
    if (Score && Cell(R, C) == Cell(R + 1, C + 1) + Score)
      Match[Head + R++] = Head + C++;
    else if (Cell(R, C) == Cell(R, C + 1))
      ++C;
    else
      ++R;
  }
  return Match;
}

// The part of the '-'-separated hashes that agree, in per cent.
static unsigned agreement(StringRef A, StringRef B) {
  unsigned Equal = 0, All = 0;
  while (!A.empty() || !B.empty()) {
    auto [HeadA, TailA] = A.split('-');
    auto [HeadB, TailB] = B.split('-');
    Equal += HeadA == HeadB;
    ++All;
    A = TailA;
    B = TailB;
  }
  return All ? 100 * Equal / All : 100;
}

static unsigned sureness(const AnchorTrace &Old, const AnchorTrace &New,
                         int64_t LineShift) {
  if (Old.Shape != New.Shape)
    return 0;
  unsigned Sum = StructureShare * agreement(Old.Structure, New.Structure) +
                 ContextShare * agreement(Old.Context, New.Context);
  unsigned Shares = StructureShare + ContextShare;
  if (Old.Line && New.Line) {
    Shares += LocationShare;
    if (int64_t(Old.Line) + LineShift == int64_t(New.Line))
      Sum += LocationShare * 100;
  }
  return Sum / Shares;
}

// Lines inserted above move a function as a whole; the shift that most anchors
// agree on is the likely one.
static int64_t
lineShift(ArrayRef<std::pair<const AnchorTrace *, const AnchorTrace *>> Pairs) {
  std::map<int64_t, unsigned> Votes;
  for (auto [Old, New] : Pairs)
    if (New && Old->Line && New->Line)
      ++Votes[int64_t(New->Line) - int64_t(Old->Line)];
  auto Most = std::max_element(
      Votes.begin(), Votes.end(),
      [](const auto &A, const auto &B) { return A.second < B.second; });
  return Most == Votes.end() ? 0 : Most->first;
}

// Old traces with the new ones that the alignment gives them, or null.
static Expected<
    std::vector<std::pair<const AnchorTrace *, const AnchorTrace *>>>
pairTraces(const FunctionEdits &Edits, ArrayRef<AnchorTrace> All,
           size_t Arguments) {
  std::optional<Outline> Old = parseOutline(Edits.Outline);
  std::optional<Outline> New =
      parseOutline(outlineOf(All.drop_front(Arguments)));
  if (!Old || Old->empty())
    return refuse("the edit set has no outline of the function to compare "
                  "with");
  std::optional<std::vector<int>> Match = align(*Old, *New);
  if (!Match)
    return refuse("the function has changed too much to compare");
  std::vector<std::pair<const AnchorTrace *, const AnchorTrace *>> Pairs;
  for (const AnchorTrace &T : Edits.Anchors) {
    const AnchorTrace *Counterpart = nullptr;
    size_t Number = 0;
    StringRef(T.Anchor).drop_front().getAsInteger(10, Number);
    if (T.Anchor[0] == 'a' && Number < Arguments)
      Counterpart = &All[Number];
    else if (T.Anchor[0] == 'i' && Number < Match->size() &&
             (*Match)[Number] >= 0)
      Counterpart = &All[Arguments + (*Match)[Number]];
    Pairs.push_back({&T, Counterpart});
  }
  return Pairs;
}

// Puts the new names into the edits; what has none is an error.
static Error rename(std::vector<Edit> &Edits,
                    const StringMap<std::string> &NewNames) {
  std::string Lost;
  for (Edit &E : Edits)
    E.forEachName([&](std::string &Name) {
      if (!isAnchor(Name) || Name[0] == 'c')
        return;
      auto It = NewNames.find(Name);
      if (It != NewNames.end())
        Name = It->second;
      else
        Lost = Name;
    });
  return Lost.empty() ? Error::success()
                      : refuse("the edit set keeps no trace of " + Lost);
}

Expected<RemappedEdits> gevo::remap(const FunctionEdits &Edits, Function &F) {
  std::vector<AnchorTrace> All = traceAll(F);
  auto Pairs = pairTraces(Edits, All, F.arg_size());
  if (!Pairs)
    return Pairs.takeError();
  int64_t Shift = lineShift(*Pairs);
  RemappedEdits Result;
  StringMap<std::string> NewNames;
  for (auto [Old, New] : *Pairs) {
    if (!New)
      return refuse(Old->Anchor + " (" + Old->Shape + ") is gone");
    unsigned Sure = sureness(*Old, *New, Shift);
    if (Sure < RemapThreshold)
      return refuse("no instruction is clearly " + Old->Anchor + " (" +
                    Old->Shape + "): the best match is " + Twine(Sure) +
                    " % sure, and " + Twine(RemapThreshold) + " % is wanted");
    Result.Anchors.push_back({Old->Anchor, New->Anchor, Sure});
    Result.Sureness = std::min(Result.Sureness, Sure);
    NewNames[Old->Anchor] = New->Anchor;
  }
  Result.Edits = Edits.Edits;
  if (Error E = rename(Result.Edits, NewNames))
    return E;
  return Result;
}
