//===- Judges.cpp - Who judges variants -----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole runs happen in folders of the store, which go when all is done.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Judges.h"
#include "tools/gevo-search/MachineCode.h"
#include "tools/gevo-search/Measuring.h"
#include "tools/gevo-search/Overview.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

std::string Judges::scratch(const Twine &Name) const {
  return (Scratch + "/" + Name).str();
}

void Judges::removeScratch() { sys::fs::remove_directories(Scratch); }

template <typename Number>
static Error readNumber(const char *Variable, Number &To) {
  std::optional<std::string> Text = sys::Process::GetEnv(Variable);
  return !Text || to_integer(*Text, To)
             ? Error::success()
             : failure(Variable + (": '" + *Text) + "' is not a number");
}

Error Judges::readVariables() {
  uint64_t Steps = 0;
  if (Error E = readNumber("GEVO_INPUT_STEPS", Steps))
    return E;
  if (sys::Process::GetEnv("GEVO_INPUT_STEPS"))
    InputSteps = Steps;
  return readNumber("GEVO_PATIENCE_SECONDS", PatienceSeconds);
}

Error Judges::prepare(bool Again, bool Validates) {
  if (Error E = readVariables())
    return E;
  Built B = Device.build({});
  if (!B.ok())
    return failure("the program itself fails at stage '" + name(B.Failure.End) +
                   "': " + B.Failure.Reason);
  Original = std::move(B.Code);
  if (Error E = observeAll(Again))
    return E;
  tellProgram(Asked, Device, Targets[0].Cases[0], V);
  std::map<std::string, double> Times;
  for (const WholeRun::Kernel &K : Targets[0].Cases[0].Original.Kernels)
    Times[K.Name] = K.Microseconds;
  Device.setHeat(Device.estimateHeat([&](StringRef Name) {
    auto Found = Times.find(Name.str());
    return Found == Times.end() ? 1.0 : Found->second;
  }));
  bool Spread =
      Asked.Tolerance.Others.Limits.Mode == measure::CompareMode::Deviations;
  if (Spread && !Asked.WholeRuns)
    V.say("judging by whole runs, which is slower: '" +
          measure::ruleText(Asked.Tolerance.Others) +
          "' is about repeated runs of the program");
  bool Whole = Asked.WholeRuns || Spread ||
               Targets[0].Scenario.Goal.source() == Objective::Runs;
  if (!Whole)
    if (Error E = capture(Again, Validates))
      return E;
  // Before inputs are made, which takes long, if launches were captured.
  if (Error E = checkRules())
    return E;
  if (Whole && Asked.OtherInputs && Validates)
    if (Error E = makeProof(Again))
      return E;
  return leaveSilent();
}

// A rule for an output that is not there would be followed by nobody.
Error Judges::checkRules() const {
  std::set<std::string> Known = {measure::OutputSpec::StdoutName};
  for (const std::vector<WholeCase> *Cases :
       {&Targets[0].Cases, &Targets[0].HeldOut})
    for (const WholeCase &C : *Cases)
      for (const measure::OutputSpec &Output : C.Outputs)
        Known.insert(Output.name());
  if (Launches)
    for (const capture::Case &C : Launches->Captured.Cases)
      Known.merge(measure::Replay::outputNames(C));
  const std::string *Unknown = Asked.Tolerance.findUnknown(Known);
  return Unknown ? failure("--tolerance names the output '" + *Unknown +
                           "', which is not compared; there are " +
                           join(Known, ", "))
                 : Error::success();
}

std::string Judges::identity() const {
  std::string All = Device.identity() + Asked.Gpu + "\n" + Asked.BestOn + "\n" +
                    Asked.MeasuredBy;
  // Where ptxas is asked for every variant.
  if (!Launches || Targets[0].Scenario.Goal.source() == Objective::Code)
    All += assemblingIdentity();
  // Where launches judge, what the runs print is no part of it.
  for (const Target &T : Targets)
    All += Launches ? T.Scenario.identity() : T.identity();
  if (Launches)
    All += Launches->identity();
  if (Guards)
    All += Guards->identity() + join(Guards->Names, "\n");
  Command Own;
  for (const OwnFile &File : Targets[0].Cases[0].Run.Own)
    Own.push_back(File.Word);
  for (const std::string &Word : Asked.Program) {
    All += "\n" + Word;
    // A device may have no end, and what is written there shows in the outputs.
    if (!sys::fs::is_regular_file(Word) || is_contained(Own, Word))
      continue;
    if (auto File = MemoryBuffer::getFile(Word))
      All += utohexstr(xxh3_64bits((*File)->getBuffer()));
  }
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}

std::unique_ptr<Runner> Judges::runnerFor(const Target &T, bool Judging) const {
  // The cheaper of two that cost the same to run must be as clean.
  bool CheckAlways = Judging || T.Scenario.Goal.source() == Objective::Code;
  if (!Launches)
    return std::make_unique<WholeRunner>(
        T.Scenario, T.Cases, scratch("worker-" + Twine(getpid())), CheckAlways);
  auto R =
      std::make_unique<LaunchRunner>(*Launches, T.Scenario.Gpu, CheckAlways);
  if (Guards && !Judging)
    R->guardWith(&*Guards);
  return R;
}

std::vector<const Target *> Judges::countedTargets() const {
  std::vector<const Target *> All;
  for (const Target &T : Targets)
    if (Asked.BestOn.empty() || Asked.BestOn == T.Scenario.Gpu)
      All.push_back(&T);
  return All;
}

std::unique_ptr<Runner> Judges::onTargets(
    ArrayRef<const Target *> Which,
    const std::function<std::unique_ptr<Runner>(const Target &)> &Make) const {
  if (Which.size() == 1)
    return Make(*Which[0]);
  std::vector<std::unique_ptr<Runner>> Each;
  for (const Target *T : Which)
    Each.push_back(
        std::make_unique<IsolatedRunner>(Limits, [=] { return Make(*T); }));
  return std::make_unique<DevicesRunner>(std::move(Each), Original);
}

std::unique_ptr<Runner> Judges::runner(bool Judging) const {
  const Objective &Goal = Targets[0].Scenario.Goal;
  std::unique_ptr<Runner> R = onTargets(
      countedTargets(), [=](const Target &T) { return runnerFor(T, Judging); });
  if (Goal.source() == Objective::Code)
    R = std::make_unique<CostRunner>(
        std::move(R),
        machineCodeCost(Goal.Kind, countedTargets()[0]->Scenario.Gpu));
  return R;
}

Service Judges::service() {
  std::shared_ptr<Runner> R = runner(/*Judging=*/false);
  Service Serve = variantService(Device, *R);
  return [R, Serve](StringRef Message) { return Serve(Message); };
}
