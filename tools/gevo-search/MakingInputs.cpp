//===- MakingInputs.cpp - Inputs like those of captured launches ----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a process of its own, as captures are. How many are tried out is bounded
// by what that executes, so that every machine makes the same.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/AtomicFile.h"
#include "search/MachineError.h"
#include "search/OtherSizes.h"
#include "tools/gevo-search/Capturing.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <numeric>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

// The cases to make others of: of each kernel those that stand for most time.
static std::vector<size_t> typicalCases(const LaunchScenario &From,
                                        unsigned PerKernel) {
  const capture::Capture &All = From.Captured;
  std::vector<size_t> Order(All.Cases.size()), Chosen;
  std::iota(Order.begin(), Order.end(), 0);
  llvm::stable_sort(Order, [&](size_t A, size_t B) {
    auto Share = [&](size_t I) {
      return All.Cases[I].Microseconds * All.Cases[I].Weight;
    };
    return Share(A) > Share(B);
  });
  std::map<std::pair<std::string, unsigned>, unsigned> Count;
  for (size_t I : Order) {
    const std::string &Kernel = All.Cases[I].Launches[0].Kernel;
    unsigned Module = From.Namesakes.count(Kernel) ? From.ModuleOf[I] + 1 : 0;
    if (Count[{Kernel, Module}]++ < PerKernel)
      Chosen.push_back(I);
  }
  return Chosen;
}

std::string gevo::shortName(const std::string &Kernel) {
  std::string Name = demangle(Kernel);
  return Name.substr(0, Name.find('('));
}

namespace {
/// Runs the original on inputs, up to a number of steps.
class Trials {
public:
  Trials(measure::Device &D, const LaunchScenario &From) : D(D) {
    O.AcceptedFindings = From.AcceptedFindings;
    O.Rules = From.Rules;
    // The original is held to what its variants are.
    O.Variant = true;
  }

  /// From now on it may take as many more.
  void allow(uint64_t Steps) { Left = Steps; }
  uint64_t left() const { return Left; }
  /// Something was not run, as there were no steps left.
  bool gaveUp() const { return GaveUp; }

  bool run(capture::Case &C, const std::string &Ptx,
           std::vector<uint64_t> &Ends) {
    if (!goesOn())
      return false;
    std::string Problem;
    uint64_t Steps = 0;
    bool Works = measure::renewExpected(D, C, Ptx, O, Problem, &Ends, &Steps);
    take(Steps);
    return Works;
  }

  /// Does the original stand \p C as its variants will have to? What is found
  /// in memory that others write may depend on the order of blocks, and so on
  /// whether time is modelled.
  bool stands(const capture::Case &C, const std::string &Ptx) {
    measure::Replay R(D, C);
    measure::ReplayOptions Judged = O;
    for (bool Timing : {false, true}) {
      if (!goesOn())
        return false;
      Judged.Timing = Timing;
      measure::ReplayResult Result = R.run(Ptx, Judged);
      take(Result.steps());
      // Sums in another order are no mistake; who compares them knows that.
      bool OtherOrder =
          !Timing && Result.Result == measure::Outcome::WrongOutput;
      if (!Result.passed() && !OtherOrder)
        return false;
    }
    return true;
  }

private:
  bool goesOn() {
    GaveUp |= !Left;
    return Left;
  }
  void take(uint64_t Steps) { Left -= std::min(Left, Steps); }

  measure::Device &D;
  measure::ReplayOptions O;
  uint64_t Left = 0;
  bool GaveUp = false;
};
} // namespace

// Hands inputs like \p C that the original stands to \p Take, one by one, as
// all of them may be more than memory holds. \p T tries them out in \p Steps:
// half of them to find values that it gets along with, and what is left for
// what is expected and for seeing that it stands that. Of the latter larger
// inputs, which take most, may have half to be found.
static void makeLike(const capture::Case &C, const std::string &Ptx,
                     const KernelTraits &Traits, Random &Dice, Trials &T,
                     uint64_t Steps, function_ref<void(OtherInput &)> Take) {
  capture::Case Same = C;
  std::vector<uint64_t> Before, Now;
  auto Run = [&](capture::Case &Changed, std::vector<uint64_t> &Ends) {
    return T.run(Changed, Ptx, Ends);
  };
  auto Works = [&](capture::Case &Changed) { return Run(Changed, Now); };
  auto Add = [&](OtherInput &Other) {
    Other.Changed.Weight = 1;
    if (T.stands(Other.Changed, Ptx))
      Take(Other);
  };
  T.allow(Steps / 2);
  bool Known = Run(Same, Before);
  std::vector<OtherInput> Drawn = drawOtherInputs(C, Traits, Dice, Works);
  T.allow(T.left() + Steps / 2);
  for (OtherInput &Next : Drawn) {
    OtherInput Other = std::move(Next);
    if (!Works(Other.Changed))
      continue;
    if (Known)
      fitBuffers(Other, Before, Now);
    Add(Other);
  }
  if (!Known)
    return;
  uint64_t ToStand = T.left() / 2;
  T.allow(T.left() - ToStand);
  std::vector<OtherInput> Larger =
      drawLargerInputs(C, Before, Traits, Dice, Run);
  T.allow(T.left() + ToStand);
  for (OtherInput &Next : Larger) {
    OtherInput Other = std::move(Next);
    Add(Other);
  }
}

// Draws, lets the original tell what is expected, and writes what it got along
// with. The reply: names of the inputs, as JSON, and after them the kernels
// that had no more steps left, if any.
static std::string makeInputs(const LaunchScenario &From,
                              const std::string &Gpu, const MakeInputs &Which,
                              const std::string &Folder) {
  std::string Problem;
  measure::DeviceOptions DO;
  DO.Model = Gpu;
  std::unique_ptr<measure::Device> D = measure::Device::open(DO, Problem);
  if (!D)
    return Problem;
  std::optional<capture::CaptureWriter> Made;
  auto Write = [&](const capture::Case &C) {
    if (!Made) {
      Made.emplace(Folder, From.Captured.Program, From.Captured.Gpu);
      for (const std::string &Text : From.Captured.Modules)
        Made->addModule(Text);
    }
    Made->addCase(C);
  };
  json::Array Names, GivenUp;
  Random Dice(Which.Seed);
  std::vector<size_t> Cases = typicalCases(From, Which.PerKernel);
  for (size_t I : Cases) {
    const capture::Case &C = From.Captured.Cases[I];
    std::string Kernel = shortName(C.Launches[0].Kernel);
    const std::string &Ptx = From.Captured.Modules[C.Module];
    KernelTraits Traits = traitsOf(Ptx, C.Launches[0].Kernel);
    Traits.Inexact = From.Rules.largestError() > 0;
    if (Which.Pairs)
      Traits.Pairs = Which.Pairs(From.ModuleOf[I], C.Launches[0].Kernel);
    Trials T(*D, From);
    makeLike(C, Ptx, Traits, Dice, T, Which.MostSteps / Cases.size(),
             [&](OtherInput &Other) {
               Names.push_back(Kernel + " with " + Other.What);
               Write(Other.Changed);
             });
    if (Made && !Made->error().empty())
      return Made->error();
    if (T.gaveUp() && !is_contained(GivenUp, json::Value(Kernel)))
      GivenUp.push_back(Kernel);
  }
  if (Made && !Made->writeIndex())
    return Made->error();
  if (GivenUp.empty())
    return formatv("{0}", json::Value(std::move(Names))).str();
  return formatv("{0}",
                 json::Value(json::Object{{"names", std::move(Names)},
                                          {"given up", std::move(GivenUp)}}))
      .str();
}

// What makeInputs() replies, or a file that it wrote.
static Error readNames(StringRef Text, std::vector<std::string> &Names,
                       std::vector<std::string> &GivenUp) {
  Expected<json::Value> Value = json::parse(Text);
  if (!Value)
    return Value.takeError();
  json::Path::Root Root;
  const json::Object *O = Value->getAsObject();
  const json::Value *List = O ? O->get("names") : &*Value;
  const json::Value *Others = O ? O->get("given up") : nullptr;
  if (!List || !json::fromJSON(*List, Names, Root) ||
      (Others && !json::fromJSON(*Others, GivenUp, Root)))
    return failure("it is no list of inputs");
  return Error::success();
}

Expected<std::optional<LaunchScenario>>
gevo::otherInputs(const LaunchScenario &From, const std::string &Gpu,
                  const MakeInputs &Which, const Payload &Original,
                  const std::string &Folder, bool Again,
                  std::vector<std::string> &GivenUp) {
  std::string List = Folder + ".json", Text;
  auto File = MemoryBuffer::getFile(List);
  bool Known = Again && File;
  if (Known) {
    Text = (*File)->getBuffer().str();
  } else {
    Expected<std::string> Said =
        askOnce({"making inputs", "--other-inputs=0", Which.Memory}, [&] {
          // One that was killed may have left something.
          sys::fs::remove_directories(Folder);
          return makeInputs(From, Gpu, Which, Folder);
        });
    if (!Said)
      return Said.takeError();
    Text = *Said;
  }
  std::vector<std::string> Names;
  if (Error E = readNames(Text, Names, GivenUp)) {
    consumeError(std::move(E));
    constexpr uint64_t ForInputs = 1 << 20;
    if (Error Full =
            checkRoom({sys::path::parent_path(Folder).str(), temporaryFolder()},
                      ForInputs))
      return Full;
    return failure("no other inputs can be made: " + Text +
                   "; --other-inputs=0 goes without");
  }
  // Once they are known to be there: a search that is resumed takes them.
  if (!Known) {
    if (!Names.empty())
      if (Error E = syncFilesIn(Folder))
        return E;
    if (Error E = writeFileAtomically(
            List, [&](raw_ostream &OS) { OS << Text; }, Outlives::Machine))
      return E;
  }
  if (Names.empty())
    return std::nullopt;
  Expected<LaunchScenario> Made = readLaunches(Folder, Original);
  if (!Made)
    return Made.takeError();
  Made->Names = std::move(Names);
  Made->Rules = From.Rules;
  Made->AcceptedFindings = From.AcceptedFindings;
  // On other inputs a variant only has to be right.
  Made->TimeBound = 10;
  return std::move(*Made);
}
