//===- Validation.cpp - Validation of what is left at the end -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Judges that comes after the search: which exams there are, and
// what a finalist costs as machine code.
//
//===----------------------------------------------------------------------===//

#include "search/MachineError.h"
#include "search/ProofRunner.h"
#include "search/ShellText.h"
#include "tools/gevo-search/Judges.h"
#include "tools/gevo-search/Measuring.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace gevo;

Fitness Judges::judged(Fitness F) const {
  if (!F.Judged && Troubled)
    Troubled(make_error<MachineError>(F.Reason));
  return F;
}

Exam Judges::runExam(const Target &T, const WholeCase &Case,
                     bool HeldOut) const {
  WholeScenario S = T.Scenario;
  bool Loss = Asked.BestOn.empty() && Targets.size() > 1;
  S.TimeBound = Loss && !HeldOut ? 1 : S.TimeBound;
  // Of many that a noisy clock takes for faster, the luckiest one is here.
  constexpr unsigned PairsToProve = 9;
  S.Pairs = PairsToProve;
  S.MustGain = S.Goal.Kind == ObjectiveKind::Wall && !HeldOut;
  Exam E;
  E.What.Name = shellText(Case.Run.Words);
  E.What.Gpu = S.Gpu;
  E.What.HeldOut = HeldOut;
  E.What.Steered = !HeldOut;
  E.What.Original = Case.Time;
  std::string Where = scratch("validation");
  E.Take = [this, S, &Case, Where](const Payload &Code, Finalist::Check &) {
    return judged(WholeRunner(S, Case, Where, /*CheckAlways=*/true).run(Code));
  };
  E.Verdict = [this, S, &Case, Where](const Payload &Code) {
    return judged(WholeRunner(S, Case, Where).verdict(Code));
  };
  return E;
}

std::unique_ptr<Runner> Judges::inputsRunner(const LaunchScenario &Inputs,
                                             const Target &T,
                                             ProofClock Clock) const {
  if (!Launches)
    return std::make_unique<ProofRunner>(*Seen, Inputs, T.Scenario.Gpu, Clock);
  return std::make_unique<LaunchRunner>(Inputs, T.Scenario.Gpu,
                                        /*CheckAlways=*/true,
                                        Clock == ProofClock::MachineCode);
}

std::optional<Exam> Judges::inputsExam(const Target &T, size_t Round) {
  constexpr size_t MostRounds = 8;
  if (Round >= MostRounds)
    return std::nullopt;
  if (Round == Others.size()) {
    Expected<std::optional<LaunchScenario>> Made =
        drawInputs(Round, /*Again=*/false);
    if (Error E = Made.takeError()) {
      bool Mendable = E.isA<MachineError>();
      std::string Why = toString(std::move(E));
      if (Mendable)
        judged(Fitness::notJudged(Why));
      else
        V.say("validated with no further inputs: " + Why);
      return std::nullopt;
    }
    if (!*Made)
      return std::nullopt;
    Others.push_back(std::make_unique<LaunchScenario>(std::move(**Made)));
  }
  const LaunchScenario &Inputs = *Others[Round];
  auto Make = [&](ProofClock Clock) {
    return std::make_shared<IsolatedRunner>(Limits, [this, &Inputs, &T, Clock] {
      return inputsRunner(Inputs, T, Clock);
    });
  };
  // The clock of the runs and of captured launches; the quicker one refuses.
  auto R = Make(ProofClock::None), Timer = R;
  auto TakeBy = [this, R](const std::shared_ptr<IsolatedRunner> &Timer,
                          const Payload &Code) {
    Fitness F = judged(R->run(Code));
    if (!F.valid() || Timer == R)
      return F;
    Fitness Timed = judged(Timer->run(Code));
    Timed.Error = std::max(Timed.Error, F.Error);
    return Timed;
  };
  if (T.Scenario.Goal.Kind == ObjectiveKind::Time)
    Timer = Make(ProofClock::MachineCode);
  Fitness Before = TakeBy(Timer, Original);
  // By one clock or by the other, but both of what is compared.
  if (Before.End == Stage::Lower) {
    Timer = Launches ? R : Make(ProofClock::Rules);
    Before = TakeBy(Timer, Original);
  }
  auto Take = [TakeBy, Timer](const Payload &Code) {
    return TakeBy(Timer, Code);
  };
  // They were made on the first GPU; what fails the original proves nothing.
  if (!Before.Judged)
    return std::nullopt;
  if (!Before.valid()) {
    V.say("not validated with inputs made from these on " + T.Scenario.Gpu +
          ", as the original fails: " + Before.Reason);
    return std::nullopt;
  }
  Exam E;
  E.What.Name =
      counted(Inputs.Names.size(), "input") +
      (Launches ? " made from these" : " made from launches of the run");
  if (Round)
    E.What.Name += ", draw " + std::to_string(Round + 1);
  E.What.Gpu = T.Scenario.Gpu;
  E.What.HeldOut = true;
  E.What.Inputs = Inputs.Names;
  E.What.Original = Before.Time;
  E.Take = [Take](const Payload &Code, Finalist::Check &) {
    return Take(Code);
  };
  E.Verdict = [this, R](const Payload &Code) { return judged(R->run(Code)); };
  E.Renew = [this, &T, Round] { return inputsExam(T, Round + 1); };
  return E;
}

// By GPU; held-out runs first, as they refuse most.
Exams &Judges::exams() {
  if (Finals)
    return *Finals;
  Finals.emplace();
  for (const Target &T : Targets) {
    for (bool HeldOut : {true, false})
      for (const WholeCase &Case : HeldOut ? T.HeldOut : T.Cases)
        Finals->add(runExam(T, Case, HeldOut));
    if (!Others.empty())
      if (std::optional<Exam> E = inputsExam(T, /*Round=*/0))
        Finals->add(std::move(*E));
  }
  return *Finals;
}

// Another ptxas may make other code of the same PTX.
Error Judges::keepPrices(const Store &Disk) {
  Expected<std::unique_ptr<AppendLog>> Log =
      Disk.openPrices(assemblingIdentity());
  if (!Log)
    return Log.takeError();
  Prices = std::move(*Log);
  return Error::success();
}

std::unique_ptr<Runner> Judges::codeRunner(const Target &T) const {
  return std::make_unique<LaunchRunner>(*Launches, T.Scenario.Gpu,
                                        /*CheckAlways=*/false,
                                        /*MachineCode=*/true);
}

// Where there is no machine code of the original, a price would be by rules,
// and no other than what the search saw.
void Judges::findPriced() {
  for (const Target *T : countedTargets()) {
    Fitness F = judged(
        IsolatedRunner(Limits, [&] { return codeRunner(*T); }).run(Original));
    if (F.valid() || !F.Judged)
      PricedOn.push_back(T);
    else if (F.End == Stage::Lower)
      V.say("not timed as machine code on " + T->Scenario.Gpu + ": " +
            F.Reason);
    else
      V.say(OriginalUnpriced = "launches as machine code on " +
                               T->Scenario.Gpu + " say nothing: " + F.Reason);
  }
}

// Rules about PTX, quick enough for every variant, say what is worth a try;
// what ptxas would have done anyway they do not know. So what they found is
// timed again as machine code before it counts.
BatchRunner *Judges::pricer() {
  if (!wantsPrices())
    return nullptr;
  if (!PricesSought)
    findPriced();
  PricesSought = true;
  if (PricedOn.empty() || !OriginalUnpriced.empty())
    return nullptr;
  if (!Pricer) {
    WorkerLimits Each = Limits;
    Each.Count = Jobs;
    auto Make = [this] {
      return onTargets(PricedOn,
                       [this](const Target &T) { return codeRunner(T); });
    };
    Pricer = std::make_unique<BatchRunner>(Device, Each, Make, Prices.get());
  }
  return Pricer.get();
}

std::optional<Fitness> Judges::priced(const EditList &Edits) {
  BatchRunner *R = pricer();
  return R ? std::optional(judged(R->run(Edits))) : std::nullopt;
}

void Judges::priceAhead(ArrayRef<const Individual *> All,
                        const std::function<bool()> &Stop) {
  std::vector<EditList> Batch;
  for (const Individual *I : All)
    Batch.push_back(I->Edits);
  if (BatchRunner *R = pricer())
    for (const std::optional<Fitness> &F : R->run(Batch, Stop))
      if (F)
        judged(*F);
}

std::optional<double> Judges::price(const Individual &I) {
  std::optional<Fitness> Now = priced(I.Edits);
  return Now && Now->valid() ? std::optional(Now->Time) : std::nullopt;
}

size_t Judges::mostPriced() const {
  constexpr size_t Most = 64, Least = 8, Large = 2000;
  return std::clamp(Most * Large / Device.instructionCount(), Least, Most);
}

std::optional<double> Judges::originalPrice() { return price(Individual()); }

// Whether it is faster as machine code, which nothing else shows.
Fitness Judges::againstOriginal(Finalist &F, Finalist::Check &C) {
  std::optional<Fitness> Now = priced(F.Kept.Edits),
                         Before = priced(EditList());
  if (!Now || !Before)
    return Fitness::failed(Stage::Time, OriginalUnpriced);
  if (!Before->valid()) {
    Before->Reason = "the original has no such time: " + Before->Reason;
    if (Before->Judged)
      V.say(C.Name + ": " + Before->Reason);
    return *Before;
  }
  C.Original = Before->Time;
  if (Now->valid() && Now->Time >= Before->Time)
    return Fitness::failed(
        Stage::Time,
        "no faster than the original; ptxas makes this of it, too");
  if (Now->valid()) {
    F.Baseline = Before->Time;
    F.Kept.Result.Time = Now->Time;
  }
  return *Now;
}

static constexpr StringRef PriceName = "captured launches ";

void Judges::price(Finalist &F) {
  auto IsPrice = [](const Finalist::Check &C) {
    return StringRef(C.Name).starts_with(PriceName);
  };
  if (!wantsPrices() || any_of(F.Checks, IsPrice))
    return;
  pricer();
  Finalist::Check C;
  C.Name = (PriceName + "as machine code").str();
  C.Gpu =
      join(map_range(PricedOn, [](const Target *T) { return T->Scenario.Gpu; }),
           ",");
  C.Steered = true;
  if (!PricedOn.empty() || !OriginalUnpriced.empty()) {
    C.Result = againstOriginal(F, C);
  } else {
    C.Name = (PriceName + "by rules about PTX, not as machine code").str();
    C.Gpu = Asked.BestOn.empty() ? Asked.Gpu : Asked.BestOn;
    C.Result.Error = F.Kept.Result.Error;
  }
  F.Checks.push_back(std::move(C));
}

Finalist Judges::validate(const Individual &I) {
  Finalist F;
  F.Kept = I;
  Built B = Device.build(F.Kept.Edits);
  assert(B.ok() && "what was measured builds");
  if (!exams().standsSteered(B.Code, F))
    return F;
  price(F);
  if (F.passed())
    exams().take(B.Code, F);
  return F;
}

Fitness Judges::judgeThoroughly(const Individual &I, Finalist &Seen) {
  // The stages that run code must see through it, too.
  Device.setJudged({});
  Built B = Device.build(I.Edits);
  // Of two reasons, what runs show comes first.
  std::optional<Fitness> Unproven;
  if (B.Failure.End == Stage::Reach) {
    Unproven = B.Failure;
    Device.forgetReached();
    B = Device.build(I.Edits);
  }
  if (!B.ok())
    return B.Failure;
  Fitness F = IsolatedRunner(Limits, [&] {
                return runner(/*Judging=*/true);
              }).run(B.Code);
  if (!F.valid())
    return F;
  exams().take(B.Code, Seen);
  for (const Finalist::Check &C : Seen.Checks)
    if (!C.Result.valid() && F.valid()) {
      F = C.Result;
      F.Reason = C.Name + ": " + F.Reason;
    }
  std::set<std::string> Silent = silentKernels(),
                        Namesakes = Device.namesakes();
  for (const WholeCase &Case : Targets[0].HeldOut)
    for (const WholeRun::Kernel &K : Case.Original.Kernels)
      if (K.Silent < K.Launches && !Namesakes.count(K.Name))
        Silent.erase(K.Name);
  for (const PlacedEdit &E : I.Edits)
    if (std::string Name = Device.functionName(E.Function).str();
        F.valid() && Silent.count(Name))
      F = Fitness::failed(Stage::Compare,
                          demangle(Name) + " writes nothing in these runs, so "
                                           "nothing shows that its edits are "
                                           "right");
  return F.valid() && Unproven ? *Unproven : F;
}
