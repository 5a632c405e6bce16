//===- PassParameters.cpp - Passes from text and back ---------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both directions of "gevo-replay<edits=f.json;strict>", from Passes.def.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <type_traits>

using namespace llvm;
using namespace gevo;

namespace {

/// One option of a pass, by its name in the pipeline's text.
struct Parameter {
  StringRef Name;
  bool IsFlag = false;
  /// False if the text is not a value of this option.
  std::function<bool(StringRef)> Set;
  std::function<std::string()> Get;
};

} // namespace

static Parameter text(StringRef Name, std::string &Member) {
  return {Name, false,
          [&Member](StringRef Text) {
            Member = Text.str();
            return true;
          },
          [&Member] { return Member; }};
}

template <typename T> static Parameter number(StringRef Name, T &Member) {
  return {Name, false,
          [&Member](StringRef Text) {
            uint64_t N;
            if (Text.getAsInteger(10, N) || uint64_t(T(N)) != N)
              return false;
            Member = T(N);
            return true;
          },
          [&Member] { return std::to_string(uint64_t(Member)); }};
}

static Parameter flag(StringRef Name, bool &Member) {
  return {Name, true,
          [&Member](StringRef) {
            Member = true;
            return true;
          },
          [&Member] { return std::string(Member ? "1" : ""); }};
}

// The options of one class, out of the rows of all.
template <typename Class, typename Options>
static std::vector<Parameter> parametersOf(Options &O) {
  std::vector<Parameter> List;
#define GEVO_PASS_ROW(RowClass, Make, Name, Member)                            \
  if constexpr (std::is_same_v<Class, RowClass>)                               \
    List.push_back(Make(Name, O.Member));
#define GEVO_PASS_TEXT(RowClass, Name, Member)                                 \
  GEVO_PASS_ROW(RowClass, text, Name, Member)
#define GEVO_PASS_NUMBER(RowClass, Name, Member)                               \
  GEVO_PASS_ROW(RowClass, number, Name, Member)
#define GEVO_PASS_FLAG(RowClass, Name, Member)                                 \
  GEVO_PASS_ROW(RowClass, flag, Name, Member)
#include "passes/ir/Passes.def"
#undef GEVO_PASS_ROW
  return List;
}

static Error wrong(StringRef Pass, const Twine &What,
                   ArrayRef<Parameter> Known) {
  std::string Names;
  for (const Parameter &P : Known)
    Names += (Names.empty() ? "" : ", ") + P.Name.str() + (P.IsFlag ? "" : "=");
  return createStringError(inconvertibleErrorCode(),
                           Pass + ": " + What + "; it takes " + Names);
}

static Error parseInto(StringRef Pass, StringRef Text,
                       ArrayRef<Parameter> Known) {
  SmallVector<StringRef, 4> Parts;
  Text.split(Parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef Part : Parts) {
    auto [Name, Value] = Part.split('=');
    const Parameter *P = find_if(
        Known, [Name = Name](const Parameter &P) { return P.Name == Name; });
    if (P == Known.end())
      return wrong(Pass, "unknown parameter '" + Name + "'", Known);
    if (P->IsFlag != !Part.contains('=') || !P->Set(Value))
      return wrong(Pass, "'" + Part + "' is not a value of '" + Name + "'",
                   Known);
  }
  return Error::success();
}

template <typename Class>
static Expected<bool> parseOne(StringRef Name, StringRef Element,
                               ModulePassManager &MPM) {
  if (!Element.consume_front(Name))
    return false;
  if (!Element.empty() &&
      !(Element.consume_front("<") && Element.consume_back(">")))
    return false;
  typename Class::Options O;
  if (Error E = parseInto(Name, Element, parametersOf<Class>(O)))
    return E;
  MPM.addPass(Class(std::move(O)));
  return true;
}

Expected<bool> gevo::parsePass(StringRef Element, ModulePassManager &MPM) {
#define GEVO_PASS(Name, Class, Summary)                                        \
  {                                                                            \
    Expected<bool> Found = parseOne<Class>(Name, Element, MPM);                \
    if (!Found || *Found)                                                      \
      return Found;                                                            \
  }
#include "passes/ir/Passes.def"
  return false;
}

static void print(raw_ostream &OS, StringRef Pass, ArrayRef<Parameter> List) {
  SmallVector<std::string, 4> Parts;
  for (const Parameter &P : List) {
    std::string Value = P.Get();
    if (!Value.empty())
      Parts.push_back(P.Name.str() + (P.IsFlag ? "" : "=" + Value));
  }
  OS << Pass;
  if (!Parts.empty())
    OS << '<' << join(Parts, ";") << '>';
}

template <typename Pass> static StringRef nameOf() {
#define GEVO_PASS(Name, Class, Summary)                                        \
  if constexpr (std::is_same_v<Class, Pass>)                                   \
    return Name;
#include "passes/ir/Passes.def"
}

template <typename Pass, typename Options>
void PassWithOptions<Pass, Options>::printPipeline(
    raw_ostream &OS, function_ref<StringRef(StringRef)>) {
  print(OS, nameOf<Pass>(), parametersOf<Pass>(O));
}

#define GEVO_PASS(Name, Class, Summary)                                        \
  template class gevo::PassWithOptions<Class, Class::Options>;
#include "passes/ir/Passes.def"
