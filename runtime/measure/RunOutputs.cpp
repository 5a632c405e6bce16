//===- RunOutputs.cpp - What a whole run of a program leaves --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/FloatBytes.h"
#include "runtime/measure/PrintedText.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <regex.h>

using namespace gevo;
using namespace gevo::measure;

namespace {

RunDifference compareNumber(const OutputSpec &Spec,
                            const std::vector<const std::string *> &All) {
  std::vector<std::string> Found;
  std::string Error;
  for (const std::string *Text : All) {
    std::optional<std::string> N = findNumber(*Text, Spec.Number, Error);
    if (!N)
      return RunDifference::failed(
          (Text == All.back() ? "" : "the reference of ") + Spec.describe() +
          ": " + Error);
    Found.push_back(*N);
  }
  RunDifference D;
  if (Spec.Rule.Limits.Mode == CompareMode::Exact) {
    D.Passed = Found.back() == Found[0];
  } else {
    NumberTable Table;
    std::vector<PrintedNumber> Row;
    for (const std::string &Text : Found)
      Row.push_back(*numberIn(Text));
    Table.addPlace(std::move(Row));
    D.Diff = Table.compare(Spec.Rule.Limits);
    D.Passed = D.Diff.passed();
  }
  if (!D.Passed)
    D.Reason = "the number in " + Spec.describe() + " is " + Found.back() +
               ", expected " + Found[0];
  return D;
}

RunDifference compareArray(const OutputSpec &Spec, ElementType T,
                           const Texts &All) {
  size_t Size = gpu::elementBytes(T);
  std::vector<const void *> Runs;
  for (std::string_view Text : All) {
    if (Text.size() != All[0].size() && Text.data() != All.back().data())
      return RunDifference::failed("the size of " + Spec.describe() +
                                   " differs between runs of the reference");
    Runs.push_back(Text.data());
  }
  std::string_view Actual = All.back();
  if (Actual.size() != All[0].size() || Actual.size() % Size)
    return RunDifference::failed(
        Spec.describe() + " has " + std::to_string(Actual.size()) +
        " bytes, expected " + std::to_string(All[0].size()) +
        " in elements of " + std::to_string(Size));
  Runs.pop_back();
  RunDifference D;
  D.Type = T;
  D.Diff = compareToRuns(T, Runs, Actual.data(), Actual.size() / Size,
                         Spec.Rule.Limits);
  D.Passed = D.Diff.passed();
  if (!D.Passed)
    D.Reason = "number " + std::to_string(D.Diff.FirstFailing) + " of " +
               Spec.describe() + " is " + D.Diff.Actual + ", expected " +
               D.Diff.Expected;
  return D;
}

/// Passes if it passes as every one of \p Types.
RunDifference compareFloats(const OutputSpec &Spec,
                            const std::vector<ElementType> &Types,
                            const Texts &All) {
  RunDifference First = compareArray(Spec, Types[0], All);
  if (Types.size() == 1) {
    if (!First.Passed)
      First.Reason += std::string(" (as ") + gpu::elementName(Types[0]) +
                      ", which its bytes look like; type:T in its rule says "
                      "what they are, as in rel:1e-3,type:f64)";
    return First;
  }
  RunDifference Second = compareArray(Spec, Types[1], All);
  if (First.Passed != Second.Passed)
    return RunDifference::failed(
        Spec.describe() +
        " could be f32 or f64, and passes as one of them only: say type:f32 or "
        "type:f64 in its rule, as in rel:1e-3,type:f64");
  if (!First.Passed)
    First.Reason += " (as f32; it could be f64 as well)";
  return Second.Diff.MaxError > First.Diff.MaxError && First.Passed ? Second
                                                                    : First;
}

RunDifference compareBytes(const OutputSpec &Spec, std::string_view Want,
                           std::string_view Got) {
  if (Want == Got)
    return {};
  if (!isBinary(Want) && !isBinary(Got))
    return lineDiffers(Spec, Want, Got);
  if (Want.size() != Got.size())
    return RunDifference::failed(
        Spec.describe() + " has " + std::to_string(Got.size()) +
        " bytes instead of " + std::to_string(Want.size()));
  auto Off = std::mismatch(Want.begin(), Want.end(), Got.begin());
  bool Exact = Spec.Rule.Limits.Mode == CompareMode::Exact;
  return RunDifference::failed(
      "byte " + std::to_string(Off.first - Want.begin()) + " of " +
      Spec.describe() + " differs" +
      (Exact ? ""
             : " (its bytes do not look like floats; type:T in its rule "
               "says what they are, as in rel:1e-3,type:f16)"));
}

RunDifference compareContents(const OutputSpec &Spec, const Texts &All) {
  ElementType T = Spec.Rule.Type;
  bool Exact = Spec.Rule.Limits.Mode == CompareMode::Exact;
  bool Binary = isBinary(All[0]);
  if (T != ElementType::None)
    return compareArray(Spec, T, All);
  std::vector<ElementType> Types;
  if (!Exact && Binary)
    Types = floatTypesOf(All[0]);
  if (!Types.empty())
    return compareFloats(Spec, Types, All);
  return Exact || Binary ? compareBytes(Spec, All[0], All.back())
                         : compareTexts(Spec, All);
}

/// An extended regular expression of POSIX, as the search's patterns are. The
/// C++ library's own expressions recurse for every character and end the
/// process on a long line; the C library's do not.
class Expression {
public:
  explicit Expression(const std::string &Pattern) {
    // The C library takes it for the letter.
    if (Pattern.find("\\d") != Pattern.npos)
      Problem = "it has no '\\d'; write [0-9]";
    else if (int Code = regcomp(&Compiled, Pattern.c_str(), REG_EXTENDED)) {
      char Text[128];
      regerror(Code, &Compiled, Text, sizeof(Text));
      Problem = Text;
    }
  }
  Expression(const Expression &) = delete;
  Expression &operator=(const Expression &) = delete;
  ~Expression() {
    if (Problem.empty())
      regfree(&Compiled);
  }
  /// What is wrong with the pattern; empty: nothing, and matchesIn may be
  /// called.
  const std::string &problem() const { return Problem; }
  /// What the first group, or without one the whole, matches in \p Line.
  std::vector<std::string_view> matchesIn(std::string_view Line) const {
    std::vector<std::string_view> Found;
    for (size_t At = 0; At <= Line.size();) {
      regmatch_t Match[2];
      Match[0].rm_so = regoff_t(At);
      Match[0].rm_eo = regoff_t(Line.size());
      int Flags = REG_STARTEND | (At ? REG_NOTBOL : 0);
      if (regexec(&Compiled, Line.data(), 2, Match, Flags) != 0)
        break;
      const regmatch_t &Wanted = Match[Compiled.re_nsub ? 1 : 0];
      Found.push_back(Wanted.rm_so < 0
                          ? std::string_view()
                          : Line.substr(size_t(Wanted.rm_so),
                                        size_t(Wanted.rm_eo - Wanted.rm_so)));
      At = size_t(Match[0].rm_eo) + (Match[0].rm_eo == Match[0].rm_so);
    }
    return Found;
  }

private:
  regex_t Compiled;
  std::string Problem;
};

} // namespace

RunDifference RunDifference::failed(std::string Reason) {
  RunDifference D;
  D.Passed = false;
  D.Reason = std::move(Reason);
  return D;
}

std::string OutputSpec::describe() const {
  switch (What) {
  case Kind::ExitCode:
    return "the exit code";
  case Kind::Stdout:
    return "standard output";
  case Kind::File:
    break;
  }
  return "'" + File + "'";
}

std::string OutputSpec::name() const {
  return What == Kind::ExitCode ? "exit code"
         : What == Kind::Stdout ? StdoutName
                                : File;
}

bool measure::isBinary(std::string_view Content) {
  return Content.find('\0') != Content.npos;
}

std::optional<std::string> measure::findNumber(const std::string &Text,
                                               const std::string &Pattern,
                                               std::string &Error) {
  Expression Wanted(Pattern);
  if (!Wanted.problem().empty()) {
    Error = "'" + Pattern + "' is no regular expression: " + Wanted.problem();
    return std::nullopt;
  }
  std::optional<std::string> Found;
  for (size_t Begin = 0, End; Begin < Text.size(); Begin = End + 1) {
    End = std::min(Text.find('\n', Begin), Text.size());
    for (std::string_view Match :
         Wanted.matchesIn({&Text[Begin], End - Begin})) {
      Match.remove_prefix(
          std::min(Match.find_first_not_of(" \t"), Match.size()));
      Found = std::string(Match);
      if (numberIn(Match))
        continue;
      Error = "'" + *Found + "', which '" + Pattern + "' matches, is no number";
      return std::nullopt;
    }
  }
  if (!Found)
    Error = "nothing matches '" + Pattern + "'";
  return Found;
}

RunDifference
measure::compareOutput(const OutputSpec &Spec,
                       const std::vector<const std::string *> &References,
                       const std::string *Actual) {
  if (References.empty())
    return RunDifference::failed("there is no reference");
  for (const std::string *Text : References)
    if (!Text || Text->empty())
      return RunDifference::failed("the reference has no " + Spec.describe() +
                                   ", or it is empty");
  if (!Actual || Actual->empty())
    return RunDifference::failed(Spec.describe() +
                                 (Actual ? " is empty" : " is missing"));
  std::vector<const std::string *> All = References;
  All.push_back(Actual);
  if (!Spec.Number.empty())
    return compareNumber(Spec, All);
  std::vector<std::string> Rest;
  Texts Views;
  Rest.reserve(All.size());
  for (const std::string *Text : All)
    if (Spec.Ignored.empty())
      Views.push_back(*Text);
    else
      Views.push_back(Rest.emplace_back(withoutWords(*Text, Spec.Ignored)));
  return compareContents(Spec, Views);
}

RunDifference measure::compareRuns(const OutputSpec &Spec,
                                   const std::vector<RunRecord> &References,
                                   const RunRecord &Actual) {
  if (Spec.What == OutputSpec::Kind::ExitCode) {
    for (const RunRecord &R : References)
      if (R.ExitCode != Actual.ExitCode)
        return RunDifference::failed(
            "the exit code is " + std::to_string(Actual.ExitCode) +
            ", expected " + std::to_string(R.ExitCode));
    return References.empty() ? RunDifference::failed("there is no reference")
                              : RunDifference();
  }
  auto contentOf = [&](const RunRecord &R) -> const std::string * {
    if (Spec.What == OutputSpec::Kind::Stdout)
      return &R.Stdout;
    auto It = R.Files.find(Spec.File);
    return It == R.Files.end() ? nullptr : &It->second;
  };
  std::vector<const std::string *> Want;
  for (const RunRecord &R : References)
    Want.push_back(contentOf(R));
  return compareOutput(Spec, Want, contentOf(Actual));
}
