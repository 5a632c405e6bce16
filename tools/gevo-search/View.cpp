//===- View.cpp - What a user sees ----------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything for people goes to standard error, so that --json is alone on
// standard output.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/View.h"
#include "passes/edit/JsonText.h"
#include "search/FrontVolume.h"
#include "search/Objective.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

bool Finalist::passed() const {
  return all_of(Checks, [](const Check &C) { return C.Result.valid(); });
}

Fitness Finalist::result() const {
  Fitness F = Kept.Result;
  bool Any = false;
  for (const Check &C : Checks)
    if (C.Result.valid()) {
      F.Error = std::max(Any ? F.Error : 0, C.Result.Error);
      Any = true;
    }
  return F;
}

double Finalist::baseline(const Search &S) const {
  return Baseline > 0 ? Baseline : S.state().Baseline.Time;
}

std::string gevo::counted(uint64_t Count, StringRef What) {
  StringRef Ending = Count == 1 ? "" : What.ends_with("ch") ? "es" : "s";
  return (Twine(Count) + " " + What + Ending).str();
}

// A terminal that cannot erase a line gets lines, as a file does.
static bool canErase() {
  const char *Kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) && Kind && StringRef(Kind) != "dumb";
}

View::View(bool Quiet, bool Json)
    : Quiet(Quiet), Json(Json), Terminal(canErase()) {}

// What goes beyond the edge of the window would be a line that nobody erases,
// and of a number that is cut off the rest is another number: the first of the
// texts that has room.
static std::string fitted(ArrayRef<std::string> Texts) {
  winsize Window = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &Window) || Window.ws_col < 2)
    return Texts.front();
  size_t Room = Window.ws_col - 1;
  for (const std::string &Text : Texts)
    if (Text.size() <= Room)
      return Text;
  return Texts.back().substr(0, Room);
}

// Shows how things stand, in one of several lengths, until the next one takes
// its place.
void View::show(ArrayRef<std::string> Texts, bool Last) {
  clearLine();
  LineOpen = Terminal && !Last;
  if (LineOpen)
    errs() << fitted(Texts);
  else
    errs() << Texts.front() << '\n';
}

void View::clearLine() {
  if (LineOpen)
    errs() << "\r\x1b[K";
  LineOpen = false;
}

void View::say(const Twine &Text) {
  if (Quiet)
    return;
  std::lock_guard<std::mutex> Hold(OneLine);
  clearLine();
  errs() << Text << '\n';
}

std::string gevo::duration(double Seconds) {
  std::string Text;
  raw_string_ostream OS(Text);
  // Of a budget of evaluations much more may be left.
  constexpr double Most = 1e15;
  uint64_t Whole = std::min(Seconds, Most);
  if (Whole >= 3600)
    OS << Whole / 3600 << "h";
  if (Whole >= 60)
    OS << Whole % 3600 / 60 << "m";
  OS << Whole % 60 << "s";
  return Text;
}

bool View::isTime(const Search &S) {
  double Every = Terminal ? 0.2 : 10, Now = S.elapsed();
  if (Now - LastShown < Every)
    return false;
  LastShown = Now;
  return true;
}

void View::step(const Search &S, const Twine &Text) {
  if (Quiet || !isTime(S))
    return;
  show(Text.str(), /*Last=*/false);
}

void View::progress(const Search &S, bool Last) {
  if (Quiet || (!isTime(S) && !Last))
    return;
  double Now = S.elapsed();
  const SearchState &State = S.state();
  StageCounts Stages = S.stagesSoFar();
  uint64_t Valid = Stages[static_cast<unsigned>(Stage::Done)], All = 0;
  for (uint64_t N : Stages)
    All += N;
  const Individual *Best = State.best(S.options().Tolerance);
  std::string Rate =
                  formatv("{0:f1}/s, {1:f0}% valid", All / std::max(Now, 1e-3),
                          All ? 100.0 * Valid / All : 0.0),
              Time, Gain, Error, Left;
  if (Best && State.Baseline.Time > 0) {
    Time = formatv("{0:f2}{1}", Best->Result.Time / Goal.perUnit(),
                   Goal.Kind == ObjectiveKind::Time ? " us" : "");
    Gain = formatv("{0:f2}x", State.Baseline.Time / Best->Result.Time);
    raw_string_ostream(Error) << format("%g", Best->Result.Error);
  }
  if (S.options().MaxSeconds)
    Left = duration(std::max(0.0, S.options().MaxSeconds - Now)) + " left";
  else if (uint64_t Most = S.options().MaxEvaluations; Most && All)
    Left = duration(Now / All * (Most - std::min(Most, All))) + " left";
  auto Joined = [](ArrayRef<std::string> Parts) {
    return join(make_filter_range(
                    Parts, [](const std::string &P) { return !P.empty(); }),
                ", ");
  };
  bool Known = !Gain.empty();
  std::string Count = std::to_string(All);
  show({Joined({"generation " + std::to_string(State.Generation),
                Count + " evaluations", Rate,
                Known ? "best " + Time + " (" + Gain + ") with error " + Error
                      : "",
                Left}),
        Joined({"gen " + std::to_string(State.Generation), Count + " evals",
                Rate, Known ? "best " + Gain + " error " + Error : "", Left}),
        Joined({Count + " evals", Gain, Left})},
       Last);
}

constexpr unsigned TimeEnds = 41; // Columns of a table.

static void row(StringRef Title, const Fitness &F, double Baseline,
                double PerUnit, const Twine &Edits) {
  // A long title takes of the room before its time.
  std::string Time = formatv(" {0:f2}", F.Time / PerUnit);
  errs() << Title << right_justify(Time, TimeEnds - Title.size())
         << format("  %7.2fx  %9.3g  ", Baseline / F.Time, F.Error) << Edits
         << '\n';
}

void View::table(const Search &S, ArrayRef<Finalist> Finalists,
                 const Settings &Asked, double Time) {
  Fitness Baseline = S.state().Baseline;
  Baseline.Time = Time;
  Objective Goal = cantFail(parseObjective(Asked.Objective), "it was checked");
  bool Several = Asked.gpus().size() > 1;
  clearLine();
  errs() << right_justify(Goal.unit(), TimeEnds)
         << format("  %8s      error  edits\n",
                   Goal.Kind == ObjectiveKind::Time ? "speed-up" : "gain");
  row("baseline", Baseline, Baseline.Time, Goal.perUnit(), "0");
  for (const Finalist &F : Finalists) {
    const Finalist *Same = find_if(Finalists, [&](const Finalist &Other) {
      return Other.Kept.Edits == F.Kept.Edits;
    });
    if (Same != &F) {
      errs() << format("%-28s the same edits as '", F.Title.c_str())
             << Same->Title << "'\n";
      continue;
    }
    row(F.Title, F.result(), F.baseline(S), Goal.perUnit(),
        Twine(F.Kept.Edits.size()) + " (of " + Twine(F.Before) +
            (F.Untried ? ", " + std::to_string(F.Untried) + " not minimised"
                       : "") +
            (F.PolishedInPart ? ", polished in part" : "") + ")");
    for (const Finalist::Check &C : F.Checks) {
      errs() << "  " << (C.HeldOut ? "held out" : "searched")
             << (C.HeldOut && C.Steered ? ", steered: " : ": ")
             << (Several ? C.Gpu + ": " : "") << C.Name << ": ";
      // Launches on their own and in the program do not take the same time.
      // What is counted in code is no matter of runs.
      double Unit = Goal.source() == Objective::Code ? 1000 : Goal.perUnit();
      if (C.Result.valid() && C.Original == 0)
        errs() << format("right, error %.3g\n", C.Result.Error);
      else if (C.Result.valid())
        errs() << format("%.2fx, error %.3g (%.2f, was %.2f%s)\n",
                         C.Original / C.Result.Time, C.Result.Error,
                         C.Result.Time / Unit, C.Original / Unit,
                         Unit == 1000 ? " us" : "");
      else
        errs() << "refused at stage '" << name(C.Result.End)
               << "': " << C.Result.Reason << '\n';
    }
  }
  if (std::string Unit = Asked.Tolerance.unit(); !Unit.empty())
    errs() << "errors are counted in '" << Unit
           << "'; allowed: " << join(Asked.Tolerance.texts(), "; ") << '\n';
  errs() << "evaluations that ended at each stage:";
  for (unsigned I = 0; I < NumStages; ++I)
    if (S.state().Stages[I])
      errs() << ' ' << name(static_cast<Stage>(I)) << ' '
             << S.state().Stages[I];
  errs() << '\n';
  if (uint64_t Count = S.state().Stages[static_cast<unsigned>(Stage::Pointers)])
    errs() << counted(Count, "variant") << (Count == 1 ? " was" : " were")
           << " faster, but wrong where two pointers are the same memory, as "
              "they are not in this run; if they never are, with "
              "--distinct-pointers such variants may pass\n";
}

static json::Array checksOf(const Finalist &F) {
  json::Array Checks;
  for (const Finalist::Check &C : F.Checks) {
    json::Object O{
        {"run", jsonText(C.Name)}, {"gpu", C.Gpu},
        {"held_out", C.HeldOut},   {"steered", C.Steered},
        {"times", C.Times},        {"original_us", C.Original / 1000},
        {"result", C.Result}};
    if (!C.Inputs.empty())
      O["inputs"] = json::Array(C.Inputs);
    Checks.push_back(std::move(O));
  }
  return Checks;
}

json::Object gevo::measuredOf(const Search &S, const Finalist &F,
                              const Settings &Asked) {
  double Baseline = F.baseline(S);
  Objective Goal = cantFail(parseObjective(Asked.Objective), "it was checked");
  bool IsTime = Goal.Kind == ObjectiveKind::Time;
  json::Object O{
      {"gpu", Asked.Gpu},
      {"device", "embedded"},
      {IsTime ? "baseline_us" : "baseline", Baseline / Goal.perUnit()},
      {IsTime ? "time_us" : "value", F.Kept.Result.Time / Goal.perUnit()},
      {"speedup", Baseline / F.Kept.Result.Time},
      {"error", F.result().Error},
      {"tolerance", json::Array(Asked.Tolerance.texts())},
      {"checks", "all"},
      {"validation", checksOf(F)},
      {"algorithm", Asked.Algorithm},
      {"seed", Asked.Seed},
      {"evaluations", S.state().Evaluations}};
  if (!IsTime) {
    O["objective"] = jsonText(Asked.Objective);
    O["unit"] = Goal.unit();
  }
  if (std::string Unit = Asked.Tolerance.unit(); !Unit.empty())
    O["error_unit"] = Unit;
  if (!Asked.BestOn.empty())
    O["best_on"] = Asked.BestOn;
  return O;
}

void View::verdict(StringRef File, const Fitness &F, const Finalist &Seen) {
  if (!Json)
    return;
  json::Object O{{"edit_set", jsonText(File.str())},
                 {"passed", F.valid()},
                 {"stage", name(F.End)},
                 {"reason", jsonText(F.Reason)},
                 {"validation", checksOf(Seen)}};
  if (F.valid())
    O["error"] = std::max(F.Error, Seen.result().Error);
  outs() << formatv("{0:2}\n", json::Value(std::move(O)));
}

void View::result(const Search &S, ArrayRef<Finalist> Finalists,
                  const Settings &Asked, double Baseline, uint64_t Runs,
                  double ProcessorSeconds, StringRef Written) {
  if (!Quiet)
    table(S, Finalists, Asked, Baseline);
  if (!Json)
    return;
  Objective Goal = cantFail(parseObjective(Asked.Objective), "it was checked");
  bool IsTime = Goal.Kind == ObjectiveKind::Time;
  json::Array List;
  for (const Finalist &F : Finalists) {
    json::Object O = measuredOf(S, F, Asked);
    O["title"] = F.Title;
    O["edits"] = json::Array(F.Kept.Edits);
    O["edits_before_minimising"] = F.Before;
    O["edits_not_minimised"] = F.Untried;
    O["polished_in_part"] = F.PolishedInPart;
    O["passed"] = F.passed();
    List.push_back(std::move(O));
  }
  json::Object Stages;
  for (unsigned I = 0; I < NumStages; ++I)
    Stages[name(static_cast<Stage>(I))] = S.state().Stages[I];
  outs() << formatv(
      "{0:2}\n",
      json::Value(json::Object{
          {IsTime ? "baseline_us" : "baseline", Baseline / Goal.perUnit()},
          {"evaluations", S.state().Evaluations},
          {"runs", Runs},
          {"generations", S.state().Generation},
          {"seconds", S.elapsed()},
          {"search_seconds", S.state().Seconds},
          {"processor_seconds", ProcessorSeconds},
          {"stages", std::move(Stages)},
          {"hypervolume", frontVolume(S.state().Front, S.state().Baseline,
                                      S.options().Tolerance)},
          {"finalists", std::move(List)},
          {"written", Written}}));
}
