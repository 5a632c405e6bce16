//===- Scenario.cpp - A search described in a file ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's YAML reader does the work; it knows lines and columns.
//
//===----------------------------------------------------------------------===//

#include "search/Scenario.h"
#include "search/ShellText.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/YAMLTraits.h"

using namespace llvm;
using namespace gevo;

namespace {
/// One rule, which goes to the reader's context: OutputRules.
struct RuleText {
  std::string Problem;
};
/// A rule, or a list of them.
struct RuleTexts {
  RuleText One;
  std::vector<RuleText> Several;
  struct Pairs {
  } None;
};
/// A text, or a list of them.
struct Words {
  std::optional<std::string> One;
  std::vector<std::string> Several;
  struct Pairs {
  } None;

  std::vector<std::string> take() {
    return One ? std::vector<std::string>{*One} : std::move(Several);
  }
};
} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(RuleText)

template <> struct yaml::ScalarTraits<RuleText> {
  static StringRef input(StringRef Text, void *Rules, RuleText &R) {
    bool Taken = static_cast<measure::OutputRules *>(Rules)->add(
        std::string_view(Text), R.Problem);
    return Taken ? StringRef() : R.Problem;
  }
  static void output(const RuleText &, void *, raw_ostream &) {}
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct yaml::CustomMappingTraits<RuleTexts::Pairs> {
  static void inputOne(IO &In, StringRef, RuleTexts::Pairs &) {
    In.setError("a tolerance is a rule or a list of them, as in "
                "[rel:1e-4, result.txt=abs:0.1]");
  }
  static void output(IO &, RuleTexts::Pairs &) {}
};

template <> struct yaml::PolymorphicTraits<RuleTexts> {
  static NodeKind getKind(const RuleTexts &) { return NodeKind::Sequence; }
  static RuleText &getAsScalar(RuleTexts &T) { return T.One; }
  static RuleTexts::Pairs &getAsMap(RuleTexts &T) { return T.None; }
  static std::vector<RuleText> &getAsSequence(RuleTexts &T) {
    return T.Several;
  }
};

template <> struct yaml::CustomMappingTraits<Words::Pairs> {
  static void inputOne(IO &In, StringRef, Words::Pairs &) {
    In.setError("this is one text or a list of them, as in [./app 5, ./app 6]");
  }
  static void output(IO &, Words::Pairs &) {}
};

template <> struct yaml::PolymorphicTraits<Words> {
  static NodeKind getKind(const Words &) { return NodeKind::Sequence; }
  static std::string &getAsScalar(Words &W) { return W.One.emplace(); }
  static Words::Pairs &getAsMap(Words &W) { return W.None; }
  static std::vector<std::string> &getAsSequence(Words &W) { return W.Several; }
};

template <> struct yaml::MappingTraits<Scenario> {
  static void mapping(IO &In, Scenario &S) {
    std::optional<RuleTexts> Tolerance;
    Words HeldOut, Outputs;
    In.mapOptional("build", S.Build);
    // Whoever mistypes a key learns of that first.
    In.mapOptional("run", S.Run);
    In.mapOptional("held-out", HeldOut);
    In.mapOptional("outputs", Outputs);
    S.HeldOut = HeldOut.take();
    S.Outputs = Outputs.take();
    In.mapOptional("out", S.Out);
    In.mapOptional("gpu", S.Gpu);
    In.mapOptional("best-on", S.BestOn);
    In.mapOptional("objective", S.Objective);
    In.mapOptional("kernels", S.Kernels);
    In.mapOptional("algorithm", S.Algorithm);
    In.mapOptional("population", S.Population);
    In.mapOptional("budget", S.Budget);
    In.mapOptional("evals", S.Evals);
    In.mapOptional("seed", S.Seed);
    In.mapOptional("tolerance", Tolerance);
    if (Tolerance)
      S.Tolerance = *static_cast<measure::OutputRules *>(In.getContext());
    In.mapOptional("accept-findings", S.AcceptFindings);
    In.mapOptional("share-folder", S.ShareFolder);
    In.mapOptional("whole-runs", S.WholeRuns);
    In.mapOptional("other-inputs", S.OtherInputs);
    In.mapOptional("distinct-pointers", S.DistinctPointers);
  }
};

std::string Scenario::placeOf(StringRef Key) const { return placeOf(Key, 0); }

std::string Scenario::placeOf(StringRef Key, size_t Character) const {
  auto [Line, Column] = Places.contains(Key)
                            ? Places.lookup(Key)
                            : std::pair<unsigned, unsigned>{1, 1};
  if (Character && AsTheyAre.contains(Key))
    Column += AsTheyAre.lookup(Key) + Character;
  return (Path + ":" + Twine(Line) + ":" + Twine(Column)).str();
}

namespace {
/// Where values are, which the reader of values does not tell; and a second
/// document, which it would not read.
class PlaceReader {
public:
  PlaceReader(StringRef Text, Scenario &S) : Documents(Text, Sources), S(S) {
    // The reader of values has told all mistakes of form.
    Sources.setDiagHandler([](const SMDiagnostic &, void *) {});
  }

  void read() {
    bool First = true;
    for (yaml::Document &D : Documents) {
      yaml::Node *Root = D.getRoot();
      if (!Root)
        return;
      if (First)
        add("", *Root);
      else if (!isa<yaml::NullNode>(Root))
        S.Places.try_emplace(SecondDocument, place(*Root));
      First = false;
    }
  }

  static constexpr StringLiteral SecondDocument = "---";

private:
  std::pair<unsigned, unsigned> place(const yaml::Node &N) {
    return Sources.getLineAndColumn(N.getSourceRange().Start);
  }
  void add(const std::string &Name, yaml::Node &N) {
    if (!Name.empty())
      S.Places[Name] = place(N);
    if (auto *Scalar = dyn_cast<yaml::ScalarNode>(&N)) {
      SmallString<128> Storage;
      StringRef Raw = Scalar->getRawValue(), Value = Scalar->getValue(Storage);
      if (size_t Before = Raw.starts_with("'") || Raw.starts_with("\"");
          Raw.substr(Before, Value.size()) == Value)
        S.AsTheyAre[Name] = Before;
    }
    if (auto *List = dyn_cast<yaml::SequenceNode>(&N)) {
      unsigned Count = 0;
      for (yaml::Node &Item : *List)
        add(Name + "[" + std::to_string(Count++) + "]", Item);
    }
    auto *Map = dyn_cast<yaml::MappingNode>(&N);
    if (!Map || !Name.empty())
      return;
    for (yaml::KeyValueNode &Pair : *Map) {
      SmallString<32> Storage;
      if (auto *Key = dyn_cast_or_null<yaml::ScalarNode>(Pair.getKey()))
        if (yaml::Node *Value = Pair.getValue())
          add(Key->getValue(Storage).str(), *Value);
    }
  }

  SourceMgr Sources;
  yaml::Stream Documents;
  Scenario &S;
};
} // namespace

Expected<Scenario> gevo::parseScenario(StringRef Text, StringRef Path) {
  // The first problem, with its place.
  struct Problems {
    std::string First;
    StringRef Path;
  } Found{"", Path};
  Scenario Result;
  measure::OutputRules Rules;
  yaml::Input In(
      Text, &Rules,
      [](const SMDiagnostic &D, void *Context) {
        auto &P = *static_cast<Problems *>(Context);
        if (P.First.empty())
          P.First = (P.Path + ":" + Twine(D.getLineNo()) + ":" +
                     Twine(D.getColumnNo() + 1) + ": " + D.getMessage())
                        .str();
      },
      &Found);
  In >> Result;
  if (In.error() || !Found.First.empty())
    return createStringError(inconvertibleErrorCode(),
                             Found.First.empty()
                                 ? (Path + ":1:1: this is no scenario").str()
                                 : Found.First);
  Result.Path = Path.str();
  PlaceReader(Text, Result).read();
  if (Result.Places.contains(PlaceReader::SecondDocument))
    return createStringError(
        inconvertibleErrorCode(),
        Result.placeOf(PlaceReader::SecondDocument) +
            ": a second scenario begins here; a file holds one: put the other "
            "into a file of its own");
  if (!Result.Places.contains("run"))
    return createStringError(inconvertibleErrorCode(),
                             Path + ":1:1: missing required key 'run'");
  if (splitCommand(Result.Run).empty())
    return createStringError(inconvertibleErrorCode(),
                             Result.placeOf("run") +
                                 ": 'run' names no program");
  return Result;
}

Expected<Scenario> gevo::readScenario(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             "cannot read '" + Path +
                                 "': " + Buffer.getError().message());
  return parseScenario((*Buffer)->getBuffer(), Path);
}
