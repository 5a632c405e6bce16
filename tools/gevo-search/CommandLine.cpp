//===- CommandLine.cpp - What the command line asks for -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options, and how those of a scenario and of a search that is resumed take
// their places.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/CommandLine.h"
#include "search/Scenario.h"
#include "search/ShellText.h"
#include "tools/gevo-search/Building.h"
#include "tools/gevo-search/MachineCode.h"
#include "tools/gevo-search/Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static cl::OptionCategory Category("gevo-search options");

static cl::opt<std::string> ScenarioFile(cl::Positional,
                                         cl::desc("[scenario.yaml]"),
                                         cl::cat(Category));
static cl::list<std::string> Surplus(cl::Positional, cl::cat(Category));
static cl::opt<std::string> Out("o", cl::value_desc("file"),
                                cl::desc("Write the edit set here (default: "
                                         "PROGRAM.gevo.json)"),
                                cl::cat(Category));
static cl::opt<std::string>
    Budget("budget", cl::value_desc("time"), cl::cat(Category),
           cl::desc("How long to search: 90s, 10m, 1.5h (default: 4m, if "
                    "--evals is not given)"));
static cl::opt<uint64_t> Evals("evals", cl::value_desc("n"),
                               cl::desc("Try this many variants"),
                               cl::cat(Category));
static cl::opt<uint64_t> Seed("seed", cl::value_desc("n"), cl::init(1),
                              cl::desc("Of the random streams (default: 1)"),
                              cl::cat(Category));
static cl::opt<std::string>
    Gpu("gpu", cl::value_desc("names"), cl::init("V100"), cl::cat(Category),
        cl::desc("The GPU to optimise for (default: V100); of several, as in "
                 "P100,V100, none may lose"));
static cl::opt<std::string>
    BestOn("best-on", cl::value_desc("name"), cl::cat(Category),
           cl::desc("The one of several GPUs whose time counts; on the others "
                    "the result is only validated"));
static cl::opt<std::string>
    ObjectiveName("objective", cl::value_desc("name"), cl::init("time"),
                  cl::cat(Category),
                  cl::desc("What to minimise: time (default), registers, "
                           "code-size, wall, stdout:PATTERN, "
                           "stdout-max:PATTERN"));
static cl::list<std::string>
    Tolerance("tolerance", cl::value_desc("[output=]rule"), cl::cat(Category),
              cl::desc("How far numbers in outputs may be off: exact "
                       "(default), abs:X, rel:X, ulp:X, sd:X, or X, which "
                       "means rel:X; may be repeated, for one output each"));
static cl::opt<std::string>
    Kernels("kernels", cl::value_desc("regex"), cl::cat(Category),
            cl::desc("Edit only functions whose names match"));
static cl::opt<std::string> Algorithm("algorithm", cl::value_desc("name"),
                                      cl::init("default"),
                                      cl::desc("default, gevo, hill-climb or "
                                               "random"),
                                      cl::cat(Category));
static cl::opt<std::string>
    Population("population", cl::value_desc("n"), cl::cat(Category),
               cl::desc("Individuals (default: the algorithm's own)"));
static cl::list<std::string>
    HeldOut("held-out", cl::value_desc("command"), cl::cat(Category),
            cl::desc("A run that only validates the result; may be repeated"));
static cl::opt<bool>
    OtherInputs("other-inputs", cl::init(true), cl::cat(Category),
                cl::desc("Guard the search and validate with inputs made from "
                         "the captured ones (default: true)"));
static cl::opt<bool> DistinctPointers(
    "distinct-pointers", cl::cat(Category),
    cl::desc("Promise that no launch has the same memory for two pointers, of "
             "which it writes through one: no inputs are made in which it "
             "has"));
static cl::list<std::string>
    Outputs("output", cl::value_desc("file"), cl::cat(Category),
            cl::desc("A file that the program writes in its working "
                     "directory, compared like its standard output"));
static cl::opt<bool>
    AcceptFindings("accept-findings", cl::cat(Category),
                   cl::desc("Accept what the checks find in the program "
                            "itself; variants may have no others"));
static cl::opt<bool>
    ShareFolder("share-folder", cl::cat(Category),
                cl::desc("Let all runs write in the folder of an argument that "
                         "is too large to copy; what they write is not "
                         "compared"));
static cl::opt<bool>
    WholeRuns("whole-runs", cl::cat(Category),
              cl::desc("Judge variants by whole runs of the program instead of "
                       "launches captured from it: slower, and right where "
                       "only what the program prints counts"));
static cl::opt<std::string> Folder("store", cl::value_desc("folder"),
                                   cl::desc("Keep the search here (default: "
                                            "the edit set's name and .search)"),
                                   cl::cat(Category));
static cl::opt<std::string> Resume("resume", cl::value_desc("folder"),
                                   cl::desc("Go on with the search kept there"),
                                   cl::cat(Category));
static cl::opt<std::string>
    Judge("judge", cl::value_desc("file"), cl::cat(Category),
          cl::desc("Do not search: say whether this edit set stands all "
                   "checks"));
static cl::opt<unsigned> Jobs("jobs", cl::value_desc("n"),
                              cl::desc("Workers (default: one per core)"),
                              cl::cat(Category));
static cl::opt<bool> Quiet("quiet", cl::desc("Say nothing but errors"),
                           cl::cat(Category));
static cl::opt<bool> Json("json",
                          cl::desc("Print the result as JSON on standard "
                                   "output"),
                          cl::cat(Category));

static std::string absolute(StringRef Name) {
  SmallString<128> Path(Name);
  sys::fs::make_absolute(Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/false);
  return Path.str().str();
}

// Arguments that name files keep their meaning in another working directory.
static std::string anchored(StringRef Word) {
  bool IsFile = !Word.starts_with("-") && sys::fs::exists(Word);
  return IsFile ? absolute(Word) : Word.str();
}

// GPUs may be files, told apart from names as the embedded GPU does it.
static std::string anchoredGpus(StringRef List) {
  SmallVector<StringRef, 4> Names;
  List.split(Names, ',');
  std::vector<std::string> All;
  for (StringRef Name : Names)
    All.push_back(Name.contains('/') || Name.ends_with(".gpu")
                      ? absolute(Name.trim())
                      : Name.str());
  return join(All, ",");
}

static Expected<Command> commandOf(ArrayRef<std::string> Words) {
  ErrorOr<std::string> Path = sys::findProgramByName(Words.front());
  if (!Path)
    return createStringError(Path.getError(),
                             "cannot find the program '" + Words.front() + "'");
  Command C = {anchored(*Path)};
  for (const std::string &Word : Words.drop_front())
    C.push_back(anchored(Word));
  return C;
}

// What the command line does not say, the file does.
template <typename Option, typename Value>
static void preset(Option &O, const std::optional<Value> &V) {
  if (V && !O.getNumOccurrences())
    O = *V;
}

// A program where a scenario is expected: what is easily forgotten is --.
static Error checkScenario() {
  file_magic Magic;
  if (identify_magic(ScenarioFile, Magic) || Magic == file_magic::unknown)
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "'" + ScenarioFile +
                               "' is a program, not a scenario; write it after "
                               "--, as in gevo-search -- " +
                               shellWord(ScenarioFile));
}

// What options name is where they were typed.
static void anchorOptions() {
  for (cl::opt<std::string> *File : {&Out, &Folder, &Judge})
    if (!File->empty())
      *File = absolute(*File);
  for (cl::opt<std::string> *Names : {&Gpu, &BestOn})
    *Names = anchoredGpus(*Names);
}

// Relative names in a scenario start at its folder, where all runs are.
static Expected<std::vector<std::string>> takeScenario() {
  if (Error E = checkScenario())
    return E;
  Expected<Scenario> S = readScenario(ScenarioFile);
  if (!S)
    return S.takeError();
  anchorOptions();
  StringRef Home = sys::path::parent_path(ScenarioFile);
  if (!Home.empty())
    if (std::error_code EC = sys::fs::set_current_path(Home))
      return createStringError(EC, "cannot enter '" + Home + "'");
  if (Error E = checkValues(*S))
    return E;
  preset(Out, S->Out);
  preset(Gpu, S->Gpu);
  preset(BestOn, S->BestOn);
  preset(ObjectiveName, S->Objective);
  preset(WholeRuns, S->WholeRuns);
  preset(OtherInputs, S->OtherInputs);
  preset(DistinctPointers, S->DistinctPointers);
  preset(Kernels, S->Kernels);
  preset(Algorithm, S->Algorithm);
  preset(Population, S->Population);
  // A budget of either kind on the command line takes the place of both.
  if (!Budget.getNumOccurrences() && !Evals.getNumOccurrences()) {
    preset(Budget, S->Budget);
    preset(Evals, S->Evals);
  }
  preset(Seed, S->Seed);
  if (S->Tolerance && !Tolerance.getNumOccurrences())
    for (const std::string &Rule : S->Tolerance->texts())
      Tolerance.push_back(Rule);
  preset(AcceptFindings, S->AcceptFindings);
  preset(ShareFolder, S->ShareFolder);
  for (const std::string &Text : S->HeldOut)
    HeldOut.push_back(Text);
  for (const std::string &Name : S->Outputs)
    Outputs.push_back(Name);
  if (S->Build)
    if (Error E = build(*S->Build))
      return E;
  return splitCommand(S->Run);
}

static Error checkGoal(const Settings &S) {
  Expected<Objective> Goal = parseObjective(S.Objective);
  if (!Goal)
    return Goal.takeError();
  if (Error E = checkGpus(S.Gpu, S.BestOn))
    return E;
  return Goal->source() == Objective::Code ? checkAssembler(S.gpus()[0])
                                           : Error::success();
}

static Error fill(ArrayRef<std::string> Program, PipelineOptions &O) {
  Settings &S = O.Asked;
  SmallString<128> Here;
  sys::fs::current_path(Here);
  S.Directory = Here.str().str();
  Expected<Command> C = commandOf(Program);
  if (!C)
    return C.takeError();
  S.Program = std::move(*C);
  for (const std::string &Text : HeldOut) {
    Expected<Command> Other = commandOf(splitCommand(Text));
    if (!Other)
      return Other.takeError();
    if (!sys::fs::can_execute(Other->front()))
      return createStringError(inconvertibleErrorCode(),
                               "--held-out: there is no program '" +
                                   Other->front() + "' that can be run");
    if (*Other == S.Program)
      return createStringError(
          inconvertibleErrorCode(),
          "--held-out: '" + Text +
              "' is the run that is searched on, which proves nothing new; "
              "give it another input");
    S.HeldOut.push_back(std::move(*Other));
  }
  S.Outputs.assign(Outputs.begin(), Outputs.end());
  S.Out = absolute(
      Out.empty() ? (sys::path::filename(Program.front()) + ".gevo.json").str()
                  : Out.getValue());
  if (Judge.empty())
    if (Error E = checkOut(S.Out))
      return E;
  S.Gpu = anchoredGpus(Gpu);
  S.BestOn = anchoredGpus(BestOn);
  S.Objective = ObjectiveName;
  S.OtherInputs = OtherInputs;
  S.DistinctPointers = DistinctPointers;
  S.Kernels = Kernels;
  S.Algorithm = Algorithm;
  S.Seed = Seed;
  if (!Population.empty())
    if (Error E = parsePopulation(Population).moveInto(S.Population))
      return E;
  std::string Problem;
  for (const std::string &Rule : Tolerance)
    if (!S.Tolerance.add(Rule, Problem))
      return createStringError(inconvertibleErrorCode(),
                               "--tolerance: " + Problem);
  S.AcceptFindings = AcceptFindings;
  S.ShareFolder = ShareFolder;
  S.WholeRuns = WholeRuns;
  if (!Folder.empty() && Judge.empty())
    if (Error E = checkStore(Folder, S.Program.front()))
      return E;
  O.Folder = Folder.empty() ? S.Out + ".search" : Folder.getValue();
  if (Error E = checkText(S))
    return E;
  return checkGoal(S);
}

// One of either kind takes the place of both that a resumed search had.
static Error setBudget(PipelineOptions &O) {
  constexpr double DefaultSeconds = 240;
  Settings &S = O.Asked;
  if (Evals.getNumOccurrences())
    if (Error E = checkEvaluations(Evals))
      return E;
  O.NewBudget = Evals || !Budget.empty();
  if (O.NewBudget) {
    S.Evaluations = Evals;
    S.Seconds = 0;
  }
  if (!Budget.empty()) {
    Expected<double> Seconds = parseDuration(Budget);
    if (!Seconds)
      return Seconds.takeError();
    S.Seconds = *Seconds;
  }
  if (!S.Evaluations && S.Seconds == 0)
    S.Seconds = DefaultSeconds;
  return checkAlgorithm(S.Algorithm);
}

// A search that goes on is the one that was begun, but for these.
static Error checkResume(bool HasProgram) {
  constexpr StringLiteral Allowed[] = {"resume", "budget", "evals",
                                       "jobs",   "quiet",  "json"};
  auto Refuse = [](const Twine &What) {
    return createStringError(inconvertibleErrorCode(),
                             "a search that is resumed keeps " + What +
                                 " that it was begun with; leave that away, or "
                                 "begin anew, without --resume");
  };
  if (HasProgram || !ScenarioFile.empty())
    return Refuse("the program");
  for (const auto &[Name, Option] : cl::getRegisteredOptions())
    if (Option->getNumOccurrences() &&
        is_contained(Option->Categories, &Category) &&
        !is_contained(Allowed, Name))
      return Refuse("the " + Twine(Name.size() > 1 ? "--" : "-") + Name);
  return Error::success();
}

// Of the command line, before a scenario is built.
static Error checkOptions(bool HasProgram) {
  if (!Surplus.empty())
    return createStringError(
        inconvertibleErrorCode(),
        "a search takes one scenario, not '" + ScenarioFile + "' and '" +
            Surplus.front() +
            "'; write a program after --, as in gevo-search -- " +
            shellWord(ScenarioFile) + " " + shellText(Surplus));
  if (!Resume.empty())
    if (Error E = checkResume(HasProgram))
      return E;
  for (const std::string &Text : HeldOut)
    if (Error E = checkCommand("--held-out", Text))
      return E;
  return Population.getNumOccurrences()
             ? parsePopulation(Population).takeError()
             : Error::success();
}
// What a resumed search was begun with, or what is asked for now.
static Error settle(std::vector<std::string> Program, PipelineOptions &O) {
  if (!ScenarioFile.empty()) {
    Expected<std::vector<std::string>> Run = takeScenario();
    if (!Run)
      return Run.takeError();
    // A program on the command line takes the place of the file's.
    if (Program.empty())
      Program = std::move(*Run);
  }
  if (!Resume.empty()) {
    O.Resume = true;
    O.Folder = Resume;
    Expected<Settings> S = settingsOf(O.Folder);
    if (!S)
      return S.takeError();
    O.Asked = std::move(*S);
    return Error::success();
  }
  if (Program.empty())
    return createStringError(inconvertibleErrorCode(),
                             "no program to search; write it after --, as in "
                             "gevo-search -o app.gevo.json -- ./app input");
  return fill(Program, O);
}

Expected<PipelineOptions>
gevo::pipelineOptions(std::vector<std::string> Program) {
  PipelineOptions O;
  if (Error E = checkOptions(!Program.empty()))
    return E;
  if (Error E = settle(std::move(Program), O))
    return E;
  if (Error E = setBudget(O))
    return E;
  O.Folder = absolute(O.Folder);
  if (!Judge.empty()) {
    O.Judge = absolute(Judge);
    // What is captured to judge is not what a search goes on with.
    O.JudgeFolders = O.Folder + ".judge-";
    O.Folder = O.JudgeFolders + std::to_string(getpid());
  }
  O.Jobs = Jobs ? Jobs : std::max(1u, std::thread::hardware_concurrency());
  return O;
}

std::vector<std::string> gevo::parseCommandLine(int Count, char **Arguments) {
  char **End = Arguments + Count;
  char **Dashes = std::find(Arguments, End, StringRef("--"));
  std::vector<std::string> Program;
  for (char **A = Dashes; A != End && A + 1 != End; ++A)
    Program.push_back(A[1]);
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(
      Dashes - Arguments, Arguments,
      "evolves edits that make the kernels of a CUDA program faster\n\n"
      "  gevo-search -o app.gevo.json -- ./app input\n"
      "  gevo-search scenario.yaml\n");
  return Program;
}

View gevo::chosenView() { return View(Quiet, Json); }
