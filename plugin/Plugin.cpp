//===- Plugin.cpp - libGevo.so for clang and opt --------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration and options only. With nothing asked for, no pass is added:
// clang with an idle plugin is clang.
//
// -fpass-plugin= alone is loaded too late for -mllvm to know our options, so
// each has an environment variable that works everywhere:
//
//   clang++ -fplugin=libGevo.so -fpass-plugin=libGevo.so -mllvm -gevo-edits=F
//   GEVO_EDITS=F clang++ -fpass-plugin=libGevo.so
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Passes.h"
#include "plugin/CompilerArguments.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace gevo;

static cl::OptionCategory Category("Gevo options");

static cl::opt<std::string>
    Edits("gevo-edits", cl::cat(Category), cl::value_desc("file"),
          cl::desc("Replay this edit set on device code (GEVO_EDITS)"));
static cl::opt<std::string>
    Record("gevo-record", cl::cat(Category), cl::value_desc("embed|folder"),
           cl::desc("Keep device modules in the program, or in a folder "
                    "(GEVO_RECORD)"));
static cl::opt<std::string>
    Report("gevo-report", cl::cat(Category), cl::value_desc("folder"),
           cl::desc("Write a JSON replay report per source and architecture "
                    "(GEVO_REPORT)"));
static cl::opt<bool>
    Strict("gevo-strict", cl::cat(Category), cl::init(false),
           cl::desc("An edit that does not apply is an error (GEVO_STRICT=1)"));
static cl::opt<bool>
    Remap("gevo-remap", cl::cat(Category), cl::init(false),
          cl::desc("Find the places of a stale edit set anew (GEVO_REMAP=1)"));

// The flag if it was given, or else the variable.
static std::string text(const cl::opt<std::string> &Option,
                        StringRef Variable) {
  if (Option.getNumOccurrences())
    return Option;
  return sys::Process::GetEnv(Variable).value_or("");
}

static bool flag(const cl::opt<bool> &Option, StringRef Variable) {
  if (Option.getNumOccurrences())
    return Option;
  std::string Value = sys::Process::GetEnv(Variable).value_or("");
  return !StringSwitch<bool>(Value)
              .CasesLower("", "0", "no", "off", "false", true)
              .Default(false);
}

// A plugin that is named twice, as by a configuration file and on the command
// line, is asked twice; the second replay would find every function changed.
static bool isThere(ModulePassManager &MPM) {
  std::string Passes;
  raw_string_ostream OS(Passes);
  MPM.printPipeline(OS, [](StringRef Name) { return Name; });
  return StringRef(Passes).contains("gevo-record") ||
         StringRef(Passes).contains("gevo-replay");
}

static void addPasses(ModulePassManager &MPM, OptimizationLevel Level) {
  RecordPassOptions R;
  R.To = text(Record, "GEVO_RECORD");
  ReplayPassOptions O;
  O.Edits = text(Edits, "GEVO_EDITS");
  if ((R.To.empty() && O.Edits.empty()) || isThere(MPM))
    return;
  if (!R.To.empty()) {
    R.Compile = {{Level.getSpeedupLevel(), compilerFuses()},
                 sys::Process::GetEnv("GEVO_COMMAND").value_or("")};
    MPM.addPass(RecordPass(std::move(R)));
  }
  if (O.Edits.empty())
    return;
  O.Report = text(Report, "GEVO_REPORT");
  O.Strict = flag(Strict, "GEVO_STRICT");
  // Of gevo-clang++, which was told the file on its command line.
  O.MustRead = sys::Process::GetEnv("GEVO_EDITS_NEEDED") == "1";
  O.Remap = flag(Remap, "GEVO_REMAP");
  MPM.addPass(ReplayPass(std::move(O)));
}

static bool parse(StringRef Element, ModulePassManager &MPM,
                  ArrayRef<PassBuilder::PipelineElement>) {
  Expected<bool> Found = parsePass(Element, MPM);
  if (Found)
    return *Found;
  // The parser knows only "unknown pass"; the reason is ours to tell.
  errs() << "gevo: " << toString(Found.takeError()) << '\n';
  return false;
}

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::llvm::PassPluginLibraryInfo
    llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Gevo", GEVO_VERSION, [](PassBuilder &PB) {
            PB.registerPipelineParsingCallback(parse);
            PB.registerOptimizerLastEPCallback(addPasses);
          }};
}
