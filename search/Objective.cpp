//===- Objective.cpp - What a search minimises ----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table, and numbers in texts.
//
//===----------------------------------------------------------------------===//

#include "search/Objective.h"
#include "search/MachineError.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace gevo;

namespace {
struct Row {
  StringLiteral Name, Unit;
  double PerUnit;
  Objective::Sources Source;
};
} // namespace

static constexpr Row Table[] = {
#define GEVO_OBJECTIVE(Id, Name, Unit, PerUnit, Source, Summary)               \
  {Name, Unit, PerUnit, Objective::Source},
#include "search/Objectives.def"
};

static const Row &rowOf(const Objective &O) {
  return Table[static_cast<unsigned>(O.Kind)];
}

std::string Objective::text() const {
  return rowOf(*this).Name.str() + Pattern;
}
StringRef Objective::unit() const { return rowOf(*this).Unit; }
double Objective::perUnit() const { return rowOf(*this).PerUnit; }
Objective::Sources Objective::source() const { return rowOf(*this).Source; }

Expected<Objective> gevo::parseObjective(StringRef Text) {
  auto Fail = [](const Twine &What) {
    return createStringError(inconvertibleErrorCode(), "--objective: " + What);
  };
  std::string Names;
  for (unsigned I = 0; I < std::size(Table); ++I) {
    const Row &R = Table[I];
    bool TakesPattern = R.Name.ends_with(":");
    Objective O;
    O.Kind = static_cast<ObjectiveKind>(I);
    if (O.source() != Objective::None)
      Names += (I ? ", " : "") + R.Name.str() + (TakesPattern ? "PATTERN" : "");
    if (!Text.starts_with(R.Name) || (!TakesPattern && Text != R.Name))
      continue;
    O.Pattern = Text.drop_front(R.Name.size()).str();
    if (O.source() == Objective::None)
      return Fail("the embedded GPU does not model " + R.Name +
                  ", and nothing else reports it yet; time is nearest to it");
    std::string Wrong;
    Regex Pattern(O.Pattern);
    if (TakesPattern && !Pattern.isValid(Wrong))
      return Fail("'" + O.Pattern + "' is no pattern: " + Wrong);
    if (TakesPattern && !Pattern.getNumMatches())
      return Fail("'" + O.Pattern +
                  "' has no group around the number, as in 'loss ([0-9.]+)'");
    return O;
  }
  return Fail("there is no '" + Text + "'; there are " + Names);
}

std::optional<double> Objective::takeFrom(std::string &Text) const {
  Regex Wanted(Pattern, Regex::Newline);
  SmallVector<StringRef, 4> Groups;
  std::optional<double> Last;
  std::string Rest;
  StringRef Left = Text;
  auto Keep = [&](size_t Size) {
    Rest += Left.take_front(Size);
    Left = Left.drop_front(std::min(Size, Left.size()));
  };
  while (!Left.empty() && Wanted.match(Left, &Groups)) {
    double Value;
    // A group that matched nothing has no number; the next one may.
    if (Groups[1].empty()) {
      Keep(std::max<size_t>(1, Groups[0].end() - Left.begin()));
    } else {
      if (!Groups[1].getAsDouble(Value))
        Last = Value;
      Rest.append(Left.begin(), Groups[1].begin());
      Rest += "*";
      Left = Left.drop_front(Groups[1].end() - Left.begin());
    }
    // What is left of a line has no start of one.
    if (Pattern[0] == '^')
      Keep(Left.find('\n'));
  }
  Rest += Left.str();
  Text = std::move(Rest);
  if (!Last || !(*Last >= Least) || !(*Last <= Most))
    return std::nullopt;
  return Kind == ObjectiveKind::StdoutMax ? 1 / *Last : *Last;
}

Fitness CostRunner::run(const Payload &Code) {
  Fitness F = Inner->run(Code);
  if (!F.valid())
    return F;
  Expected<double> Number = Cost(Code);
  if (Error E = Number.takeError()) {
    bool Judged = !E.isA<MachineError>(), Lasting = !E.isA<PassingError>();
    std::string Why = toString(std::move(E));
    if (!Judged)
      return Fitness::notJudged(Why);
    return Lasting ? Fitness::failed(Stage::Load, Why)
                   : Fitness::failedHere(Stage::Load, Why);
  }
  F.Time = *Number;
  return F;
}
