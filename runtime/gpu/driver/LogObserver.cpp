//===- LogObserver.cpp - Launches into the launch log ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/LogObserver.h"
#include "runtime/gpu/driver/FindingJson.h"
#include "runtime/gpu/driver/Report.h"
#include "runtime/gpu/timing/HotLines.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>

using namespace gevo;
using namespace gevo::driver;

namespace {

class LogObserver : public LaunchObserver {
public:
  LogObserver(LaunchLog &Log, bool Profile) : Log(Log), Profile(Profile) {}

  void after(const LaunchPlan &Plan, const LaunchOutcome &Outcome) override {
    const std::string &Kernel = Plan.F->Code->name();
    Log.add(LogKind::Kernel, Kernel, 1, Outcome.Microseconds);
    if (Outcome.Timing &&
        Outcome.Timing->Source == gpu::timing::CostSource::Sass)
      Log.add(LogKind::FromSass, Kernel, 1);
    if (Outcome.Timing &&
        Outcome.Timing->Source == gpu::timing::CostSource::PtxText)
      Log.add(LogKind::InTextOrder, Kernel, 1);
    if (Outcome.Timing && !Outcome.Timing->WhyRules.empty())
      Log.add(LogKind::WhyRules,
              Kernel + "\n" + std::to_string(int(Outcome.Timing->RulesCause)) +
                  Outcome.Timing->WhyRules,
              1);
    const gpu::LaunchCounters &Counters = Outcome.Result.Counters;
    if (!Counters.GlobalStores && !Counters.Atomics)
      Log.add(LogKind::Silent, Kernel, 1);
    if (Profile && Outcome.Timing)
      addLines(*Plan.F, *Outcome.Timing);
    for (const gpu::Finding &F : Outcome.Result.Findings)
      Log.add(LogKind::Finding, gpu::findingJson(F).dump(), F.Count, 0,
              findingKey(F));
    // A launch can fail without a finding when its checks are off.
    if (Outcome.Result.Findings.empty() && !Outcome.Result.Message.empty())
      Log.add(LogKind::Note,
              "failed\n" + Kernel + ": " + Outcome.Result.Message, 1);
  }

private:
  LaunchLog &Log;
  bool Profile;

  /// Adds up what lines of the source, or of the PTX, cost.
  void addLines(const Function &F, const gpu::timing::LaunchTiming &T) {
    using namespace gpu::timing;
    // Lines of texts that were linked are of one that nobody sees.
    const std::vector<std::string> &Texts = F.Owner->Texts;
    std::string_view Ptx = Texts.size() == 1 ? Texts[0] : std::string_view();
    for (const HotLine &L : hotLines(*F.Code, T, LineKind::Source, Ptx))
      Log.addCounters(LogKind::Line, F.Code->name() + '\n' + placeOf(L),
                      L.Cost.counters());
  }
};

LaunchLog *openLog() {
  const char *Folder = std::getenv("GEVO_LAUNCH_LOG");
  if (!Folder || !*Folder)
    return nullptr;
  std::string Error;
  // Never destroyed: it has to outlive the program's own destructors.
  auto *Log = new LaunchLog(Folder, Error);
  if (!Error.empty())
    std::fprintf(stderr, "gevo-gpu: error: %s\n", Error.c_str());
  pthread_atfork(nullptr, nullptr, [] {
    if (LaunchLog *Ours = launchLog())
      Ours->restart();
  });
  return Log;
}

} // namespace

LaunchLog *gevo::driver::launchLog() {
  static LaunchLog *Log = openLog();
  return Log;
}

std::unique_ptr<LaunchObserver> gevo::driver::makeLogObserver() {
  LaunchLog *Log = launchLog();
  if (!Log)
    return nullptr;
  const char *Profile = std::getenv("GEVO_PROFILE");
  return std::make_unique<LogObserver>(*Log,
                                       Profile && std::string(Profile) == "on");
}
