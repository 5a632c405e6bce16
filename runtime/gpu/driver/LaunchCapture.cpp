//===- LaunchCapture.cpp - Keeps launches of a program --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/LaunchCapture.h"
#include "runtime/gpu/capture/CaptureFile.h"
#include "runtime/gpu/capture/Sampling.h"
#include "runtime/gpu/driver/CaseBuilder.h"
#include "runtime/gpu/driver/LogObserver.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <regex>
#include <thread>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// What a launch looks like, pointers left out: those of two buffers that take
/// turns make no difference.
capture::LaunchShape shapeOf(const LaunchPlan &Plan) {
  capture::LaunchShape S;
  for (unsigned N : {Plan.Grid.X, Plan.Grid.Y, Plan.Grid.Z, Plan.Block.X,
                     Plan.Block.Y, Plan.Block.Z, Plan.DynamicShared})
    S.Configuration += std::to_string(N) + " ";
  S.Arguments.assign(Plan.Params.begin(), Plan.Params.end());
  for (size_t K = 0; K + 8 <= S.Arguments.size(); K += 8) {
    uint64_t Word;
    std::memcpy(&Word, &S.Arguments[K], 8);
    if (Driver::get().findMemory(Word))
      std::memset(&S.Arguments[K], 0, 8);
  }
  return S;
}

capture::Behaviour behaviourOf(const gpu::LaunchCounters &C) {
  return {
      C.WarpInstructions, C.ThreadInstructions, C.Branches, C.DivergentBranches,
      C.GlobalLoads,      C.GlobalStores,       C.Atomics,  C.Barriers};
}

bool isPowerOfTwo(uint64_t N) { return !(N & (N - 1)); }

class CaptureObserver : public LaunchObserver {
public:
  CaptureObserver(std::string Folder, const std::string &Kernels,
                  size_t MaxSamples)
      : Folder(std::move(Folder)), Kernels(Kernels), MaxSamples(MaxSamples) {}

  void before(const LaunchPlan &Plan, gpu::LaunchOptions &Options) override;
  void after(const LaunchPlan &Plan, const LaunchOutcome &Outcome) override;
  /// The program ends: weights are final.
  void finish();
  /// In a new process: what was kept is the parent's.
  void restart();

  std::mutex Lock;

private:
  struct Watched {
    explicit Watched(size_t MaxSamples) : Launches(MaxSamples) {}
    capture::Sampling Launches;
    bool Wanted = false;
  };
  /// The launch that the calling thread is in.
  struct Recording {
    std::unique_ptr<gpu::TouchRecord> Touches;
    std::unique_ptr<gpu::HeapRecord> Heap;
    std::unique_ptr<std::string> Printed;
    capture::LaunchShape Shape;
    Watched *Kernel = nullptr;
  };

  size_t textNumber(const std::shared_ptr<Module> &M);
  Watched &watched(const LaunchPlan &Plan);
  std::optional<uint32_t> moduleOf(const LaunchPlan &Plan);
  bool keep(const LaunchPlan &Plan, const LaunchOutcome &Outcome,
            const Recording &Now, size_t &Number);
  bool writeIndex();
  void complain();

  std::map<std::thread::id, Recording> Current; ///< By thread.
  const std::string Folder;
  const std::regex Kernels;
  const size_t MaxSamples;
  std::unique_ptr<capture::CaptureWriter> Writer;
  bool Failed = false;
  uint64_t Launches = 0;
  /// By the number of its module's text, and by name.
  std::map<std::pair<size_t, std::string>, Watched> ByKernel;
  /// The numbers of texts; of a module that was seen before without looking at
  /// its text again.
  std::map<std::string, size_t> TextNumbers;
  std::map<std::weak_ptr<Module>, size_t, std::owner_less<>> TextOfModule;
  /// By the number of a text: that of the module in the capture.
  std::map<size_t, uint32_t> Modules;
};

CaptureObserver *Only = nullptr;

size_t CaptureObserver::textNumber(const std::shared_ptr<Module> &M) {
  auto [Known, IsNew] = TextOfModule.try_emplace(M);
  if (IsNew) {
    std::string All;
    for (const std::string &Text : M->Texts)
      All += Text + '\0';
    Known->second =
        TextNumbers.try_emplace(All, TextNumbers.size()).first->second;
  }
  return Known->second;
}

CaptureObserver::Watched &CaptureObserver::watched(const LaunchPlan &Plan) {
  std::string Name = Plan.F->Code->name();
  // Kernels of the same name in different code are different kernels.
  auto Key = std::make_pair(textNumber(Plan.F->Owner), Name);
  auto It = ByKernel.find(Key);
  if (It != ByKernel.end())
    return It->second;
  Watched W(MaxSamples);
  W.Wanted = std::regex_search(Name, Kernels);
  if (W.Wanted && Plan.F->Owner->Texts.size() != 1) {
    W.Wanted = false;
    std::fprintf(stderr,
                 "gevo-gpu: warning: launches of '%s' are not captured: its "
                 "module is linked from several\n",
                 Name.c_str());
  }
  return ByKernel.emplace(Key, std::move(W)).first->second;
}

void CaptureObserver::before(const LaunchPlan &Plan,
                             gpu::LaunchOptions &Options) {
  std::lock_guard<std::mutex> Guard(Lock);
  // Of a launch that never ended.
  Current.erase(std::this_thread::get_id());
  if (Failed)
    return;
  Watched &W = watched(Plan);
  if (!W.Wanted)
    return;
  Recording &Now = Current[std::this_thread::get_id()];
  Now.Kernel = &W;
  Now.Shape = shapeOf(Plan);
  if (!W.Launches.wants(Now.Shape))
    return;
  Now.Touches = std::make_unique<gpu::TouchRecord>(/*Bytes=*/true);
  Now.Heap = std::make_unique<gpu::HeapRecord>();
  markVariables(Plan, *Now.Touches);
  Options.Touches = Now.Touches.get();
  Options.Heap = Now.Heap.get();
  Now.Printed = std::make_unique<std::string>();
  Options.Printed = Now.Printed.get();
}

std::optional<uint32_t> CaptureObserver::moduleOf(const LaunchPlan &Plan) {
  const std::shared_ptr<Module> &Owner = Plan.F->Owner;
  size_t Text = textNumber(Owner);
  if (auto Known = Modules.find(Text); Known != Modules.end())
    return Known->second;
  std::optional<uint32_t> Number = Writer->addModule(Owner->Texts.front());
  if (Number)
    Modules[Text] = *Number;
  return Number;
}

/// Writes the launch down; \p Number becomes its number.
bool CaptureObserver::keep(const LaunchPlan &Plan, const LaunchOutcome &Outcome,
                           const Recording &Now, size_t &Number) {
  if (!Writer) {
    std::string Program = program_invocation_name;
    Writer = std::make_unique<capture::CaptureWriter>(
        Folder, Program, Plan.F->Owner->Ctx->Owner.Properties.Model);
  }
  if (!Writer->error().empty())
    return false;
  std::optional<uint32_t> Module = moduleOf(Plan);
  if (!Module)
    return false;
  capture::Case C = buildCase(Plan, Outcome, *Now.Touches, *Now.Heap);
  C.Module = *Module;
  C.Index = Launches;
  C.Printed = std::move(*Now.Printed);
  std::optional<size_t> Added = Writer->addCase(C);
  if (Added)
    Number = *Added;
  return Added.has_value();
}

void CaptureObserver::after(const LaunchPlan &Plan,
                            const LaunchOutcome &Outcome) {
  std::lock_guard<std::mutex> Guard(Lock);
  Recording Now;
  if (auto It = Current.find(std::this_thread::get_id()); It != Current.end()) {
    Now = std::move(It->second);
    Current.erase(It);
  }
  uint64_t Index = Launches++;
  if (!Now.Kernel || Failed || Outcome.Result.Status != gpu::LaunchStatus::Ok)
    return;
  // A number for the sample is known only when it is written.
  capture::Sampling &S = Now.Kernel->Launches;
  size_t Placeholder = ~size_t(0);
  capture::Sampling::Verdict V =
      S.add(Now.Shape, behaviourOf(Outcome.Result.Counters),
            Now.Touches != nullptr, Placeholder);
  bool Ok = true;
  if (V.Keep) {
    size_t Number = 0;
    Launches = Index;
    Ok = keep(Plan, Outcome, Now, Number);
    Launches = Index + 1;
    S.setNumber(Placeholder, Number);
  }
  if (Writer)
    Writer->countLaunch();
  if (Ok && V.Drop)
    Writer->dropCase(*V.Drop);
  // A program that is killed, or ends by _exit, keeps its captures; at most
  // half of its launches are missing in the weights, and counted as such.
  if (Ok && Writer && (V.Keep || isPowerOfTwo(Launches)))
    Ok = writeIndex();
  if (!Ok)
    complain();
}

bool CaptureObserver::writeIndex() {
  for (auto &[Key, W] : ByKernel) {
    W.Launches.settle();
    for (const capture::Sampling::Sample &S : W.Launches.samples())
      Writer->setWeight(S.Number, S.Weight);
  }
  return Writer->writeIndex();
}

void CaptureObserver::complain() {
  Failed = true;
  std::string Text = "nothing more is captured: " + Writer->error();
  std::fprintf(stderr, "gevo-gpu: error: %s\n", Text.c_str());
  if (LaunchLog *Log = launchLog())
    Log->add(LogKind::Note, "problem\n" + Text, 1);
}

void CaptureObserver::finish() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Writer && !Failed && !writeIndex())
    complain();
}

void CaptureObserver::restart() {
  Writer.reset();
  Failed = false;
  Launches = 0;
  Current.clear();
  ByKernel.clear();
  TextNumbers.clear();
  TextOfModule.clear();
  Modules.clear();
}

} // namespace

std::unique_ptr<LaunchObserver>
gevo::driver::makeCaptureObserver(std::string &Error) {
  const char *Folder = std::getenv("GEVO_CAPTURE");
  if (!Folder || !*Folder)
    return nullptr;
  const char *Kernels = std::getenv("GEVO_CAPTURE_KERNELS");
  const char *Count = std::getenv("GEVO_CAPTURE_LAUNCHES");
  char *End = nullptr;
  unsigned long MaxSamples = Count ? std::strtoul(Count, &End, 10) : 4;
  if (Count && (*End || MaxSamples < 1 || MaxSamples > 10000)) {
    Error = "GEVO_CAPTURE_LAUNCHES: '" + std::string(Count) +
            "' is no number from 1 to 10000";
    return nullptr;
  }
  try {
    auto O = std::make_unique<CaptureObserver>(Folder, Kernels ? Kernels : "",
                                               MaxSamples);
    Only = O.get();
    std::atexit([] { Only->finish(); });
    pthread_atfork([] { Only->Lock.lock(); }, [] { Only->Lock.unlock(); },
                   [] {
                     Only->restart();
                     Only->Lock.unlock();
                   });
    return O;
  } catch (const std::regex_error &E) {
    Error = "GEVO_CAPTURE_KERNELS: '" + std::string(Kernels) +
            "' is no regular expression: " + E.what();
    return nullptr;
  }
}
