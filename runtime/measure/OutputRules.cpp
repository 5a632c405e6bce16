//===- OutputRules.cpp - How far each output may be off -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/OutputRules.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace gevo;
using namespace gevo::measure;

namespace {

/// The shortest text that is read as the same number.
std::string shortest(double V) {
  std::string Best;
  char Text[32];
  for (int Digits = 1; Digits <= 17; ++Digits) {
    std::snprintf(Text, sizeof(Text), "%.*g", Digits, V);
    if (std::strtod(Text, nullptr) == V &&
        (Best.empty() || std::strlen(Text) < Best.size()))
      Best = Text;
  }
  return Best;
}

const char *modeName(CompareMode M) {
  static const char *const Names[] = {
#define COMPARE_MODE(Name, Text, Meaning) Text,
#include "runtime/measure/CompareModes.def"
  };
  return Names[unsigned(M)];
}

bool allowsError(const OutputRule &R) { return R.Limits.Limit > 0; }

} // namespace

std::string measure::ruleText(const OutputRule &R) {
  const Tolerance &T = R.Limits;
  std::string Text = modeName(T.Mode);
  if (T.Mode != CompareMode::Exact)
    Text += ":" + shortest(T.Limit);
  if (T.FloorShare == 0)
    Text += ",floor:" + shortest(T.Floor);
  if (R.Type != ElementType::None)
    Text += std::string(",type:") + gpu::elementName(R.Type);
  return Text;
}

const OutputRule &OutputRules::of(const std::string &Output) const {
  auto It = Named.find(Output);
  return It == Named.end() ? Others : It->second;
}

bool OutputRules::add(std::string_view Text, std::string &Error) {
  std::optional<NamedRule> Rule = parseNamedRule(Text, Error);
  if (!Rule)
    return false;
  bool Again = Rule->Output.empty() ? HasOthers : Named.count(Rule->Output) > 0;
  if (Again) {
    Error = "'" + std::string(Text) + "' is a second rule for " +
            (Rule->Output.empty() ? "all outputs that have none of their own"
                                  : "the output '" + Rule->Output + "'");
    return false;
  }
  HasOthers |= Rule->Output.empty();
  (Rule->Output.empty() ? Others : Named[Rule->Output]) = Rule->Rule;
  return true;
}

const std::string *
OutputRules::findUnknown(const std::set<std::string> &Known) const {
  for (const auto &[Name, Rule] : Named)
    if (!Known.count(Name))
      return &Name;
  return nullptr;
}

std::vector<std::string> OutputRules::texts() const {
  std::vector<std::string> All = {ruleText(Others)};
  for (const auto &[Name, Rule] : Named)
    All.push_back(Name + "=" + ruleText(Rule));
  return All;
}

bool OutputRules::allowErrors() const {
  bool Any = allowsError(Others);
  for (const auto &[Name, Rule] : Named)
    Any |= allowsError(Rule);
  return Any;
}

const Tolerance *OutputRules::common() const {
  const Tolerance *First = allowsError(Others) ? &Others.Limits : nullptr;
  for (const auto &[Name, Rule] : Named) {
    if (!allowsError(Rule))
      continue;
    const Tolerance &T = Rule.Limits;
    if (First && (First->Mode != T.Mode || First->Limit != T.Limit))
      return nullptr;
    First = &T;
  }
  return First;
}

double OutputRules::errorOf(const std::string &Output, double MaxError) const {
  const OutputRule &Rule = of(Output);
  return common() || !allowsError(Rule) ? MaxError
                                        : MaxError / Rule.Limits.Limit;
}

double OutputRules::largestError() const {
  const Tolerance *T = common();
  return T ? T->Limit : allowErrors() ? 1 : 0;
}

std::string OutputRules::unit() const {
  const Tolerance *T = common();
  return T ? modeName(T->Mode) : allowErrors() ? "of what is allowed" : "";
}
