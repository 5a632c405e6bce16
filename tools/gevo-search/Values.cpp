//===- Values.cpp - Values that a user gives, checked ---------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Values.h"
#include "runtime/gpu/driver/DeviceProperties.h"
#include "search/Objective.h"
#include "search/Search.h"
#include "search/ShellText.h"
#include "search/Store.h"
#include "tools/gevo-search/Settings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

Error gevo::checkAlgorithm(StringRef Name) {
  if (findAlgorithm(Name))
    return Error::success();
  std::string Names;
  for (const AlgorithmInfo &A : algorithms())
    Names += (Names.empty() ? "" : ", ") + A.Name.str();
  return failure("there is no algorithm '" + Name + "'; there are " + Names);
}

Error gevo::checkKernels(StringRef Pattern) {
  std::string Message;
  return Pattern.empty() || Regex(Pattern).isValid(Message)
             ? Error::success()
             : failure("--kernels: '" + Pattern +
                       "' is no regular expression: " + Message);
}

Error gevo::checkGpus(StringRef List, StringRef BestOn) {
  Settings S;
  S.Gpu = List.str();
  if (S.gpus().empty())
    return failure("--gpu names no GPU");
  for (const std::string &Name : S.gpus())
    if (std::string Problem; !driver::gpuModel(Name, Problem))
      return failure(Problem);
  return BestOn.empty() || is_contained(S.gpus(), BestOn)
             ? Error::success()
             : failure("--best-on=" + BestOn + " is none of --gpu=" + List);
}

Error gevo::checkOut(StringRef Path) {
  SmallString<128> Full(Path);
  sys::fs::make_absolute(Full);
  StringRef Into = sys::path::parent_path(Full);
  auto Fail = [&](const Twine &Why) {
    return failure("cannot write '" + Path + "': " + Why);
  };
  if (!sys::fs::is_directory(Into))
    return Fail("there is no folder '" + Into + "'; make it, or name another");
  if (sys::fs::is_directory(Full))
    return Fail("it is a folder; name a file in it");
  if (sys::fs::access(Into, sys::fs::AccessMode::Write))
    return Fail("nothing can be written in '" + Into + "'");
  return Error::success();
}

Error gevo::checkStore(StringRef Folder, StringRef Program) {
  auto Log = MemoryBuffer::getFile(Folder + "/" + EvaluationsName);
  if (!Log)
    return Error::success();
  // What is no store others tell.
  Expected<json::Value> Header = json::parse(
      (*Log)->getBuffer().take_until([](char C) { return C == '\n'; }));
  if (!Header) {
    consumeError(Header.takeError());
    return Error::success();
  }
  const json::Object *O = Header->getAsObject();
  const json::Object *Setup = O ? O->getObject("setup") : nullptr;
  const json::Array *Of = Setup ? Setup->getArray("program") : nullptr;
  std::optional<StringRef> Other =
      Of && !Of->empty() ? Of->front().getAsString() : std::nullopt;
  return !Other || *Other == Program
             ? Error::success()
             : failure("--store: '" + Folder +
                       "' holds the search of another program, '" + *Other +
                       "'; name another folder, or remove it if nobody needs "
                       "it");
}

Error gevo::checkEvaluations(uint64_t Count) {
  return Count ? Error::success()
               : failure("--evals=0 tries nothing; the first evaluation is "
                         "that of the program itself");
}

Error gevo::checkCommand(StringRef Option, StringRef Text) {
  if (std::optional<size_t> Open = findOpenQuote(Text))
    return failure(Option + ": the quote " + Text.substr(*Open, 1) +
                   " at column " + Twine(*Open + 1) + " of \"" + Text.rtrim() +
                   "\" is not closed");
  if (std::optional<size_t> Found = findShellWord(Text)) {
    StringRef Word = Text.substr(*Found).take_until(isSpace);
    return failure(Option + ": '" + Word + "' at column " + Twine(*Found + 1) +
                   " is for a shell, and there is none; name a program and its "
                   "arguments, a script of your own, or write \"" +
                   Word + "\" in quotes if the program wants it");
  }
  return splitCommand(Text).empty() ? failure(Option + ": names no program")
                                    : Error::success();
}

Expected<uint64_t> gevo::parsePopulation(StringRef Text) {
  // Two, to be crossed; and a generation has an end.
  constexpr uint64_t Least = 2, Most = 10000;
  uint64_t Count = 0;
  if (!Text.getAsInteger(10, Count) && Count >= Least && Count <= Most)
    return Count;
  return failure("--population=" + Text + " is no number from " + Twine(Least) +
                 " to " + Twine(Most));
}

namespace {
/// Puts the place of a key in front of what is wrong with its value.
class Checker {
public:
  explicit Checker(const Scenario &S) : S(S) {}

  template <typename Value, typename Check>
  void check(StringRef Key, const std::optional<Value> &V, Check Of) {
    if (V && !Wrong)
      note(Key, Of(*V));
  }
  void checkWords(StringRef Key, const std::string &Name, StringRef Text) {
    size_t Quote = findOpenQuote(Text).value_or(0);
    note(Name, checkCommand(Key, Text),
         Quote ? Quote : findShellWord(Text).value_or(0));
  }
  void note(StringRef Key, Error E, size_t Character = 0) {
    if (!E || Wrong)
      return consumeError(std::move(E));
    std::string Text = toString(std::move(E));
    StringRef What = Text;
    // A file has keys, not options.
    What.consume_front("--");
    Wrong = S.placeOf(Key, Character) + ": " + What.str();
  }
  Error take() { return Wrong ? failure(*Wrong) : Error::success(); }

private:
  const Scenario &S;
  std::optional<std::string> Wrong;
};
} // namespace

Error gevo::checkValues(const Scenario &S) {
  Checker C(S);
  C.check("budget", S.Budget,
          [](StringRef Text) { return parseDuration(Text).takeError(); });
  C.check("evals", S.Evals, checkEvaluations);
  C.check("algorithm", S.Algorithm, checkAlgorithm);
  C.check("population", S.Population,
          [](StringRef Text) { return parsePopulation(Text).takeError(); });
  C.check("objective", S.Objective,
          [](StringRef Text) { return parseObjective(Text).takeError(); });
  C.check("kernels", S.Kernels, checkKernels);
  C.check("gpu", S.Gpu, [](StringRef List) { return checkGpus(List, ""); });
  C.check("best-on", S.BestOn, [&](StringRef Name) {
    return checkGpus(S.Gpu.value_or(Settings().Gpu), Name);
  });
  C.check("out", S.Out, checkOut);
  if (S.Build && !StringRef(*S.Build).trim().empty())
    C.checkWords("build", "build", *S.Build);
  C.checkWords("run", "run", S.Run);
  for (size_t I = 0; I < S.HeldOut.size(); ++I) {
    // One needs no list.
    std::string Item = ("held-out[" + Twine(I) + "]").str();
    C.checkWords("held-out", S.Places.contains(Item) ? Item : "held-out",
                 S.HeldOut[I]);
  }
  return C.take();
}
