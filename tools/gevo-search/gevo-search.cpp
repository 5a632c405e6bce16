//===- gevo-search.cpp - Evolves edits of a CUDA program ------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the command line, signals and ranks, and lets the pipeline do the rest.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/Version.h"
#include "tools/gevo-search/Building.h"
#include "tools/gevo-search/CommandLine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include <csignal>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static void handleSignal(int Signal) {
  if (!stopBuild(Signal))
    stopSearch(Signal);
}

static void handleSignals() {
  struct sigaction Action = {}, Before;
  Action.sa_handler = handleSignal;
  // LLVM takes an interrupted wait for a child that did not end in time.
  Action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &Action, nullptr);
  // Ctrl-C makes mpirun kill all ranks; this signal it hands on.
  sigaction(SIGUSR1, &Action, nullptr);
  // Under nohup one of them is ignored.
  for (int Signal : {SIGTERM, SIGHUP})
    if (!sigaction(Signal, nullptr, &Before) && Before.sa_handler != SIG_IGN)
      sigaction(Signal, &Action, nullptr);
  // A full disk is an error to tell, not an end.
  std::signal(SIGXFSZ, SIG_IGN);
}
static Error search(std::vector<std::string> Program, RankLink *Ranks) {
  Expected<PipelineOptions> O = pipelineOptions(std::move(Program));
  if (!O)
    return O.takeError();
  O->Ranks = Ranks;
  View V = chosenView();
  return runPipeline(*O, V);
}

int main(int Count, char **Arguments) {
  InitLLVM Init(Count, Arguments);
  cl::SetVersionPrinter([](raw_ostream &OS) { OS << producer() << '\n'; });
  std::vector<std::string> Program = parseCommandLine(Count, Arguments);
  handleSignals();
  Expected<std::unique_ptr<RankLink>> Ranks = openRanks();
  Error E = Ranks ? Error::success() : Ranks.takeError();
  std::optional<RankSigns> Signs;
  if (!E && *Ranks) {
    Signs.emplace(**Ranks);
    if ((*Ranks)->rank())
      std::signal(SIGUSR1, SIG_IGN);
  }
  if (Signs && (*Ranks)->rank()) {
    E = followPipeline(**Ranks);
  } else if (!E) {
    E = search(Program, Ranks->get());
    if (*Ranks)
      dismissRanks(**Ranks);
  }
  Signs.reset();
  int Status = E ? 1 : 0;
  if (E)
    WithColor::error(errs(), "gevo-search") << toString(std::move(E)) << '\n';
  if (Status || !*Ranks)
    return Status;
  // MPI would wait for a rank that is dead.
  if ((*Ranks)->broken())
    _exit(0);
  (*Ranks)->end();
  return 0;
}
