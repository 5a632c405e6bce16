//===- gevo-edits.cpp - Looks into edit sets and recorded programs --------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, wires and reports; the work is in passes/.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/AtomicFile.h"
#include "passes/edit/EditSet.h"
#include "passes/edit/Merge.h"
#include "passes/edit/Version.h"
#include "passes/ir/Architecture.h"
#include "passes/ir/Describe.h"
#include "passes/ir/Lower.h"
#include "passes/ir/Record.h"
#include "passes/ir/Replay.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace gevo;

static cl::OptionCategory Category("gevo-edits options");

static cl::SubCommand KindsCommand("kinds", "List the kinds of edit");
static cl::SubCommand ShowCommand("show", "Show an edit set, an edit a line");
static cl::SubCommand
    FormatCommand("format",
                  "Check an edit set and print it back in its normal form");
static cl::SubCommand
    ModulesCommand("modules", "List the device modules that a program carries");

static cl::SubCommand
    MergeCommand("merge", "Make one edit set of several, such as one per "
                          "architecture");
static cl::SubCommand
    MakeCommand("make", "Make an edit set for a recorded module by hand");

static cl::opt<std::string> Input(cl::Positional, cl::Required,
                                  cl::desc("<edit set>"), cl::sub(ShowCommand),
                                  cl::sub(FormatCommand), cl::cat(Category));
static cl::opt<std::string> Program(cl::Positional, cl::Required,
                                    cl::desc("<program or object>"),
                                    cl::sub(ModulesCommand), cl::cat(Category));
static cl::opt<std::string> Output("o", cl::value_desc("file"),
                                   cl::desc("Write here (default: stdout)"),
                                   cl::sub(FormatCommand), cl::sub(MakeCommand),
                                   cl::sub(MergeCommand), cl::cat(Category));
static cl::list<std::string> MergeInputs(cl::Positional, cl::OneOrMore,
                                         cl::desc("<edit set>..."),
                                         cl::sub(MergeCommand),
                                         cl::cat(Category));
static cl::opt<std::string>
    Folder("extract", cl::value_desc("folder"),
           cl::desc("Write the modules' bitcode to this folder"),
           cl::sub(ModulesCommand), cl::cat(Category));

static cl::opt<std::string> Bitcode(cl::Positional, cl::Required,
                                    cl::desc("<module.bc>"),
                                    cl::sub(MakeCommand), cl::cat(Category));
static cl::list<std::string>
    Keys(cl::Positional, cl::OneOrMore, cl::sub(MakeCommand), cl::cat(Category),
         cl::desc("<edit>... as 'gevo-edits show' prints them"));
static cl::opt<std::string>
    FunctionName("function", cl::value_desc("name"),
                 cl::desc("The function to edit, or a part of its name that no "
                          "other has"),
                 cl::sub(MakeCommand), cl::cat(Category));
static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

static Error printKinds() {
  for (const EditKindInfo &K : editKinds()) {
    outs() << format("%-9s", K.Name.data()) << K.Summary << "\n         ";
    for (const EditFieldInfo &F : editFields())
      if (K.has(F.Field))
        outs() << (K.needs(F.Field) ? " " : " [") << F.Name
               << (K.needs(F.Field) ? "" : "]");
    outs() << '\n';
  }
  return Error::success();
}

static Error show() {
  Expected<EditSet> Set = readEditSet(Input);
  if (!Set)
    return Set.takeError();
  for (const ArchitectureEdits &A : Set->Architectures)
    for (const FunctionEdits &F : A.Functions) {
      outs() << A.Architecture << ' ' << demangle(F.Name) << " in " << F.Source
             << ": " << F.Edits.size()
             << (F.Edits.size() == 1 ? " edit\n" : " edits\n");
      for (const Edit &E : F.Edits) {
        outs() << "  " << E.key();
        if (!E.Note.empty())
          outs() << "  ; " << E.Note;
        if (E.Location)
          outs() << " at " << E.Location.str();
        outs() << '\n';
      }
    }
  return Error::success();
}

static Error write(const EditSet &Set) {
  if (!Output.empty())
    return writeEditSet(Set, Output);
  printEditSet(Set, outs());
  return Error::success();
}

static Error formatSet() {
  Expected<EditSet> Set = readEditSet(Input);
  if (!Set)
    return Set.takeError();
  return write(*Set);
}

static Error mergeSets() {
  EditSet All;
  All.Producer = producer();
  for (const std::string &Path : MergeInputs) {
    Expected<EditSet> Set = readEditSet(Path);
    if (!Set)
      return Set.takeError();
    if (Error E = merge(*Set, All))
      return E;
  }
  return write(All);
}

static Error listModules() {
  Expected<std::vector<RecordedModule>> Records = readRecords(Program);
  if (!Records)
    return Records.takeError();
  if (Records->empty())
    return createStringError(inconvertibleErrorCode(),
                             "'" + Program +
                                 "' carries no device module; build it with "
                                 "GEVO_RECORD=embed");
  if (!Folder.empty())
    if (Error E = makeFolder(Folder))
      return E;
  for (size_t I = 0; I < Records->size(); ++I) {
    const RecordedModule &R = (*Records)[I];
    outs() << R.Source << ' ' << R.Architecture << " -O" << R.Options.OptLevel
           << ' ' << R.Bitcode.size() << " bytes";
    if (!Folder.empty()) {
      SmallString<128> Path(Folder.getValue());
      sys::path::append(Path, Twine(I) + "-" + sys::path::stem(R.Source) + "-" +
                                  R.Architecture + ".bc");
      if (Error E = writeFileAtomically(
              Path, [&](raw_ostream &OS) { OS << R.Bitcode; }))
        return E;
      outs() << " -> " << Path;
    }
    outs() << '\n';
  }
  return Error::success();
}

// The only function whose name contains the text.
static Expected<Function *> findFunction(Module &M) {
  SmallVector<Function *, 4> Found;
  for (Function &F : M)
    if (!F.isDeclaration() && F.getName().contains(FunctionName))
      Found.push_back(&F);
  for (Function *F : Found)
    if (F->getName() == FunctionName)
      return F;
  if (Found.size() == 1)
    return Found.front();
  std::string Names;
  for (Function &F : M)
    if (!F.isDeclaration())
      Names += "\n  " + F.getName().str();
  if (FunctionName.empty())
    return failure("name a function with --function; the module has" + Names);
  return failure((Found.empty() ? "no function has '" : "several have '") +
                 FunctionName + "' in its name; the module has" + Names);
}

static Error make() {
  // The clean-up asks the code generator what things cost.
  initializeNVPTX();
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M = parseIRFile(Bitcode, Diagnostic, Context);
  if (!M)
    return failure("cannot read '" + Bitcode + "': " + Diagnostic.getMessage());
  Expected<Function *> F = findFunction(*M);
  if (!F)
    return F.takeError();
  std::vector<Edit> Edits;
  EditedFunction Original(**F);
  for (const std::string &Key : Keys) {
    Expected<Edit> E = parseEditKey(Key);
    if (!E)
      return E.takeError();
    describe(Original, *E);
    Edits.push_back(std::move(*E));
  }
  EditSet Set;
  Set.Producer = producer();
  Set.section(architectureOf(*M))
      .Functions.push_back(describeEdits(**F, Edits));
  ReplayReport Report = replay(*M, Set, {});
  const FunctionReplay &R = Report.Functions.front();
  if (R.Status != ReplayStatus::Applied)
    return failure(R.Why.Edit ? "'" + Keys[*R.Why.Edit] +
                                    "' does not apply: " + R.Why.Reason
                              : R.Why.Reason);
  return write(Set);
}

int main(int Count, char **Arguments) {
  InitLLVM Init(Count, Arguments);
  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter([](raw_ostream &OS) { OS << producer() << '\n'; });
  cl::ParseCommandLineOptions(Count, Arguments,
                              "looks into edit sets and recorded programs\n\n"
                              "  gevo-edits show app.gevo.json\n");
  Error E = Error::success();
  if (KindsCommand)
    E = printKinds();
  else if (ShowCommand)
    E = show();
  else if (FormatCommand)
    E = formatSet();
  else if (MergeCommand)
    E = mergeSets();
  else if (ModulesCommand)
    E = listModules();
  else if (MakeCommand)
    E = make();
  else
    cl::PrintHelpMessage();
  if (!E)
    return 0;
  WithColor::error(errs(), "gevo-edits") << toString(std::move(E)) << '\n';
  return 1;
}
