//===- RunOutputs.cpp - What a whole run of a program leaves --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/RunOutputs.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <regex>

using namespace gevo;
using namespace gevo::measure;

namespace {

RunDifference failed(std::string Reason) {
  RunDifference D;
  D.Passed = false;
  D.Reason = std::move(Reason);
  return D;
}

const std::string *textOf(const OutputSpec &Spec, const RunRecord &R) {
  if (Spec.What == OutputSpec::Kind::Stdout)
    return &R.Stdout;
  auto It = R.Files.find(Spec.File);
  return It == R.Files.end() ? nullptr : &It->second;
}

/// Text as words, and the numbers among them. Words are apart by blanks and the
/// signs that go between numbers.
struct Words {
  std::string Frame; ///< The text with each number replaced by a nul.
  std::vector<double> Numbers;
};

Words split(const std::string &Text) {
  Words W;
  auto isPart = [](char C) {
    return std::isalnum(static_cast<unsigned char>(C)) || C == '_' ||
           C == '.' || C == '+' || C == '-';
  };
  for (size_t At = 0; At < Text.size();) {
    size_t End = At;
    while (End < Text.size() && isPart(Text[End]))
      ++End;
    if (End == At) {
      W.Frame += Text[At++];
      continue;
    }
    std::string Word = Text.substr(At, End - At);
    char *Rest;
    double Value = std::strtod(Word.c_str(), &Rest);
    // "nan" and "inf" are numbers; "info" is not, nor is "3rd".
    if (Rest != Word.c_str() && !*Rest) {
      W.Numbers.push_back(Value);
      W.Frame += '\0';
    } else {
      W.Frame += Word;
    }
    At = End;
  }
  return W;
}

RunDifference judged(const OutputSpec &Spec, const Difference &Diff) {
  RunDifference D;
  D.Diff = Diff;
  D.Passed = Diff.passed();
  if (!D.Passed)
    D.Reason = "number " + std::to_string(Diff.FirstFailing) + " of " +
               Spec.describe() + " is " + Diff.Actual + ", expected " +
               Diff.Expected;
  return D;
}

RunDifference compareNumber(const OutputSpec &Spec,
                            const std::vector<const std::string *> &References,
                            const std::string &Actual) {
  std::vector<double> Values;
  std::string Error;
  for (const std::string *Text : References) {
    std::optional<double> V = findNumber(*Text, Spec.Number, Error);
    if (!V)
      return failed("the reference of " + Spec.describe() + ": " + Error);
    Values.push_back(*V);
  }
  std::optional<double> Got = findNumber(Actual, Spec.Number, Error);
  if (!Got)
    return failed(Spec.describe() + ": " + Error);
  std::vector<const void *> Runs;
  for (const double &V : Values)
    Runs.push_back(&V);
  return judged(
      Spec, compareToRuns(ElementType::F64, Runs, &*Got, 1, Spec.Rule.Limits));
}

RunDifference compareText(const OutputSpec &Spec,
                          const std::vector<const std::string *> &References,
                          const std::string &Actual) {
  std::vector<Words> Want;
  for (const std::string *Text : References)
    Want.push_back(split(*Text));
  Words Got = split(Actual);
  std::vector<const void *> Runs;
  for (const Words &W : Want) {
    if (W.Frame != Want[0].Frame)
      return failed("the text of " + Spec.describe() +
                    " differs between runs of the reference");
    Runs.push_back(W.Numbers.data());
  }
  if (Got.Frame != Want[0].Frame) {
    auto Off = std::mismatch(Got.Frame.begin(), Got.Frame.end(),
                             Want[0].Frame.begin(), Want[0].Frame.end());
    auto Line = 1 + std::count(Got.Frame.begin(), Off.first, '\n');
    return failed("the text of " + Spec.describe() + " differs in line " +
                  std::to_string(Line));
  }
  return judged(Spec, compareToRuns(ElementType::F64, Runs, Got.Numbers.data(),
                                    Got.Numbers.size(), Spec.Rule.Limits));
}

RunDifference compareArray(const OutputSpec &Spec,
                           const std::vector<const std::string *> &References,
                           const std::string &Actual) {
  size_t Size = gpu::elementBytes(Spec.Rule.Type);
  std::vector<const void *> Runs;
  for (const std::string *Text : References) {
    if (Text->size() != References[0]->size())
      return failed("the size of " + Spec.describe() +
                    " differs between runs of the reference");
    Runs.push_back(Text->data());
  }
  if (Actual.size() != References[0]->size() || Actual.size() % Size)
    return failed(Spec.describe() + " has " + std::to_string(Actual.size()) +
                  " bytes, expected " + std::to_string(References[0]->size()) +
                  " in elements of " + std::to_string(Size));
  return judged(Spec, compareToRuns(Spec.Rule.Type, Runs, Actual.data(),
                                    Actual.size() / Size, Spec.Rule.Limits));
}

} // namespace

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

std::optional<double> measure::findNumber(const std::string &Text,
                                          const std::string &Pattern,
                                          std::string &Error) {
  try {
    std::regex Expression(Pattern);
    std::optional<double> Found;
    for (std::sregex_iterator It(Text.begin(), Text.end(), Expression), End;
         It != End; ++It) {
      std::string Match = It->size() > 1 ? (*It)[1].str() : It->str();
      char *Rest;
      double V = std::strtod(Match.c_str(), &Rest);
      if (Match.empty() || *Rest) {
        Error =
            "'" + Match + "', which '" + Pattern + "' matches, is no number";
        return std::nullopt;
      }
      Found = V;
    }
    if (!Found)
      Error = "nothing matches '" + Pattern + "'";
    return Found;
  } catch (const std::regex_error &E) {
    Error = "'" + Pattern + "' is no regular expression: " + E.what();
    return std::nullopt;
  }
}

RunDifference measure::compareRuns(const OutputSpec &Spec,
                                   const std::vector<RunRecord> &References,
                                   const RunRecord &Actual) {
  if (References.empty())
    return failed("there is no reference");
  if (Spec.What == OutputSpec::Kind::ExitCode) {
    for (const RunRecord &R : References)
      if (R.ExitCode != Actual.ExitCode)
        return failed("the exit code is " + std::to_string(Actual.ExitCode) +
                      ", expected " + std::to_string(R.ExitCode));
    return {};
  }
  std::vector<const std::string *> Want;
  for (const RunRecord &R : References) {
    Want.push_back(textOf(Spec, R));
    if (!Want.back() || Want.back()->empty())
      return failed("the reference has no " + Spec.describe() +
                    ", or it is empty");
  }
  const std::string *Got = textOf(Spec, Actual);
  if (!Got)
    return failed(Spec.describe() + " is missing");
  if (Got->empty())
    return failed(Spec.describe() + " is empty");
  if (!Spec.Number.empty())
    return compareNumber(Spec, Want, *Got);
  if (Spec.Rule.Type != ElementType::None)
    return compareArray(Spec, Want, *Got);
  return compareText(Spec, Want, *Got);
}
