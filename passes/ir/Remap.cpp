//===- Remap.cpp - Anchors found again in a changed function --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A similarity for each pair of old anchor and new instruction, then the
// order-preserving assignment with the largest sum: the same dynamic programme
// as the alignment of two sequences.
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

// How much each kind of evidence counts, in per cent. Without debug locations
// their share goes to the others in proportion.
constexpr double StructureShare = 40;
constexpr double ContextShare = 25;
constexpr double LocationShare = 25;
constexpr double PositionShare = 10;
// A runner-up that looks the same costs this much.
constexpr double TwinPenalty = 25;

class Matcher {
public:
  Matcher(ArrayRef<AnchorTrace> Old, unsigned OldLength,
          ArrayRef<AnchorTrace> New)
      : Old(Old), New(New), OldLength(OldLength) {
    findLineShift();
    score();
  }

  /// For each old anchor the index of its match, or -1.
  std::vector<int> align() const;
  unsigned sureness(size_t O, size_t N) const;

private:
  void findLineShift();
  void score();
  double similarity(const AnchorTrace &O, const AnchorTrace &N) const;
  double at(size_t O, size_t N) const { return Scores[O * New.size() + N]; }

  ArrayRef<AnchorTrace> Old;
  ArrayRef<AnchorTrace> New;
  unsigned OldLength;
  int LineShift = 0;
  std::vector<double> Scores;
};

} // namespace

static unsigned numberOf(const AnchorTrace &T) {
  unsigned Number = 0;
  StringRef(T.Anchor).drop_front().getAsInteger(10, Number);
  return Number;
}

// The part of the '-'-separated hashes that agree.
static double agreement(StringRef A, StringRef B) {
  unsigned Equal = 0, All = 0;
  while (!A.empty() || !B.empty()) {
    auto [HeadA, TailA] = A.split('-');
    auto [HeadB, TailB] = B.split('-');
    Equal += HeadA == HeadB;
    ++All;
    A = TailA;
    B = TailB;
  }
  return All ? double(Equal) / All : 1;
}

// Lines inserted above a function move all of it by the same number; the shift
// most pairs of equal structure agree on is the likely one.
void Matcher::findLineShift() {
  std::map<int, unsigned> Votes;
  for (const AnchorTrace &O : Old)
    for (const AnchorTrace &N : New)
      if (O.Line && N.Line && O.Shape == N.Shape && O.Structure == N.Structure)
        ++Votes[int(N.Line) - int(O.Line)];
  auto Best = std::max_element(
      Votes.begin(), Votes.end(),
      [](const auto &A, const auto &B) { return A.second < B.second; });
  if (Best != Votes.end())
    LineShift = Best->first;
}

double Matcher::similarity(const AnchorTrace &O, const AnchorTrace &N) const {
  if (O.Shape != N.Shape)
    return 0;
  double Sum = StructureShare * agreement(O.Structure, N.Structure) +
               ContextShare * agreement(O.Context, N.Context);
  double Place = double(numberOf(O)) / std::max(1u, OldLength) -
                 double(numberOf(N)) / std::max<size_t>(1, New.size());
  Sum += PositionShare * (1 - std::min(1.0, std::abs(Place)));
  double Shares = StructureShare + ContextShare + PositionShare;
  if (O.Line && N.Line) {
    Shares += LocationShare;
    bool SameLine = int(O.Line) + LineShift == int(N.Line);
    Sum += SameLine ? LocationShare * (O.Column == N.Column ? 1 : 0.7) : 0;
  }
  return 100 * Sum / Shares;
}

void Matcher::score() {
  Scores.reserve(Old.size() * New.size());
  for (const AnchorTrace &O : Old)
    for (const AnchorTrace &N : New)
      Scores.push_back(similarity(O, N));
}

std::vector<int> Matcher::align() const {
  size_t Rows = Old.size(), Columns = New.size();
  std::vector<double> Best((Rows + 1) * (Columns + 1), 0);
  auto Cell = [&](size_t R, size_t C) -> double & {
    return Best[R * (Columns + 1) + C];
  };
  for (size_t R = Rows; R-- > 0;)
    for (size_t C = Columns; C-- > 0;)
      Cell(R, C) = std::max(
          {Cell(R + 1, C), Cell(R, C + 1), Cell(R + 1, C + 1) + at(R, C)});
  std::vector<int> Match(Rows, -1);
  for (size_t R = 0, C = 0; R < Rows && C < Columns;) {
    if (at(R, C) > 0 && Cell(R, C) == Cell(R + 1, C + 1) + at(R, C))
      Match[R++] = C++;
    else if (Cell(R, C) == Cell(R, C + 1))
      ++C;
    else
      ++R;
  }
  return Match;
}

unsigned Matcher::sureness(size_t O, size_t N) const {
  double Score = at(O, N), RunnerUp = 0;
  for (size_t Other = 0; Other < New.size(); ++Other)
    if (Other != N)
      RunnerUp = std::max(RunnerUp, at(O, Other));
  double Likeness = Score > 0 ? std::min(1.0, RunnerUp / Score) : 1;
  double Sure = Score - TwinPenalty * Likeness * Likeness * Likeness * Likeness;
  return static_cast<unsigned>(std::clamp(Sure, 0.0, 100.0));
}

Expected<RemappedEdits> gevo::remap(const FunctionEdits &Edits, Function &F) {
  std::vector<AnchorTrace> All = traceAll(F);
  Matcher M(Edits.Anchors, Edits.Instructions, All);
  std::vector<int> Match = M.align();
  RemappedEdits Result;
  StringMap<std::string> NewNames;
  for (size_t I = 0; I < Edits.Anchors.size(); ++I) {
    const AnchorTrace &Old = Edits.Anchors[I];
    unsigned Sure = Match[I] < 0 ? 0 : M.sureness(I, Match[I]);
    if (Sure < RemapThreshold)
      return refuse("no instruction is clearly " + Old.Anchor + " (" +
                    Old.Shape + "): the best match is " + Twine(Sure) +
                    " % sure, and " + Twine(RemapThreshold) + " % is wanted");
    Result.Anchors.push_back({Old.Anchor, All[Match[I]].Anchor, Sure});
    Result.Sureness = std::min(Result.Sureness, Sure);
    NewNames[Old.Anchor] = All[Match[I]].Anchor;
  }
  Result.Edits = Edits.Edits;
  std::string Lost;
  for (Edit &E : Result.Edits)
    E.forEachName([&](std::string &Name) {
      if (!isAnchor(Name) || Name[0] == 'c')
        return;
      auto It = NewNames.find(Name);
      if (It != NewNames.end())
        Name = It->second;
      else
        Lost = Name;
    });
  if (!Lost.empty())
    return refuse("the edit set keeps no trace of " + Lost);
  return Result;
}
