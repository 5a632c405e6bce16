//===- bench-replay.cpp - What a replay costs -----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device module of about 2,000 instructions and 1,000 edits of it: what
// reading the edit set and replaying it take, and of the replay its parts. The
// clean-up of an unedited function is what remains of a replay with no edits.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/CleanUp.h"
#include "passes/ir/Fingerprint.h"
#include "passes/ir/Lower.h"
#include "passes/ir/Mutate.h"
#include "passes/ir/Replay.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <benchmark/benchmark.h>

using namespace llvm;
using namespace gevo;

// A kernel of this many steps, ten instructions each: memory, arithmetic, a
// comparison and a branch, as a real kernel has them. No branch leads past many
// steps, so that edits of branches leave most of the code alive.
static std::string kernel(unsigned Number, unsigned Steps) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "define void @k" << Number << "(ptr %p, ptr %q, float %x, i32 %n) "
     << "\"target-cpu\"=\"sm_70\" {\nentry:\n  br label %s0\n";
  for (unsigned S = 0; S < Steps; ++S)
    OS << "s" << S << ":\n"
       << "  %i" << S << " = add i32 %n, " << S << "\n"
       << "  %a" << S << " = getelementptr float, ptr %p, i32 %i" << S << "\n"
       << "  %v" << S << " = load float, ptr %a" << S << "\n"
       << "  %m" << S << " = fmul float %v" << S << ", %x\n"
       << "  %b" << S << " = getelementptr float, ptr %q, i32 %i" << S << "\n"
       << "  store float %m" << S << ", ptr %b" << S << "\n"
       << "  %c" << S << " = fcmp ogt float %m" << S << ", 0.0\n"
       << "  br i1 %c" << S << ", label %t" << S << ", label %s" << S + 1
       << "\nt" << S << ":\n"
       << "  store float %v" << S << ", ptr %a" << S << "\n"
       << "  br label %s" << S + 1 << "\n";
  OS << "s" << Steps << ":\n  ret void\n}\n";
  return Text;
}

namespace {

/// The module and the edits, made once.
struct Workload {
  LLVMContext Context;
  std::unique_ptr<Module> M;
  EditSet Set;
  std::string Text;

  Workload() {
    initializeNVPTX();
    constexpr unsigned Kernels = 5, Steps = 40, Edits = 1000;
    std::string Source = "source_filename = \"bench.cu\"\n"
                         "target triple = \"nvptx64-nvidia-cuda\"\n";
    for (unsigned K = 0; K < Kernels; ++K)
      Source += kernel(K, Steps);
    SMDiagnostic Diagnostic;
    M = parseAssemblyString(Source, Diagnostic, Context);
    assert(M && "the text above is IR");
    MutateOptions Draw;
    Draw.Count = Edits;
    Set = drawEdits(*M, Draw);
    raw_string_ostream OS(Text);
    printEditSet(Set, OS);
  }
};

} // namespace

static Workload &workload() {
  static Workload W;
  return W;
}

static void count(benchmark::State &State) {
  State.counters["instructions"] = workload().M->getInstructionCount();
  State.counters["edits"] = workload().Set.Architectures[0].editCount();
}

static void BM_ReadEditSet(benchmark::State &State) {
  for (auto _ : State)
    cantFail(parseEditSet(workload().Text, "bench.json"));
  count(State);
  State.counters["bytes"] = workload().Text.size();
}
BENCHMARK(BM_ReadEditSet)->Unit(benchmark::kMillisecond);

static void BM_Fingerprint(benchmark::State &State) {
  for (auto _ : State)
    for (Function &F : *workload().M)
      benchmark::DoNotOptimize(fingerprint(F));
}
BENCHMARK(BM_Fingerprint)->Unit(benchmark::kMillisecond);

// The copies that the rows below work on are not part of their times.
static void BM_ApplyEdits(benchmark::State &State) {
  for (auto _ : State) {
    State.PauseTiming();
    std::unique_ptr<Module> Copy = CloneModule(*workload().M);
    State.ResumeTiming();
    for (const FunctionEdits &F : workload().Set.Architectures[0].Functions)
      if (applyEdits(*Copy->getFunction(F.Name), F.Edits))
        State.SkipWithError("what was drawn must apply");
    State.PauseTiming();
    Copy.reset();
    State.ResumeTiming();
  }
  count(State);
}
BENCHMARK(BM_ApplyEdits)->Unit(benchmark::kMillisecond);

static void BM_CleanUpUnedited(benchmark::State &State) {
  for (auto _ : State) {
    State.PauseTiming();
    std::unique_ptr<Module> Copy = CloneModule(*workload().M);
    std::vector<Function *> Functions;
    for (Function &F : *Copy)
      Functions.push_back(&F);
    State.ResumeTiming();
    CleanUpPasses Passes;
    CleanUp(*Copy, Passes).run(Functions);
    State.PauseTiming();
    Copy.reset();
    State.ResumeTiming();
  }
}
BENCHMARK(BM_CleanUpUnedited)->Unit(benchmark::kMillisecond);

static void replayCopy(benchmark::State &State, bool FromText) {
  for (auto _ : State) {
    State.PauseTiming();
    std::unique_ptr<Module> Copy = CloneModule(*workload().M);
    State.ResumeTiming();
    EditSet Read;
    if (FromText)
      Read = cantFail(parseEditSet(workload().Text, "bench.json"));
    ReplayReport Report = replay(*Copy, FromText ? Read : workload().Set, {});
    if (Report.applied() != Report.total())
      State.SkipWithError("what was drawn must apply");
    State.PauseTiming();
    Copy.reset();
    State.ResumeTiming();
  }
  count(State);
}

static void BM_Replay(benchmark::State &State) { replayCopy(State, false); }
BENCHMARK(BM_Replay)->Unit(benchmark::kMillisecond);

// All that a compilation with edits does more than one without.
static void BM_ReadAndReplay(benchmark::State &State) {
  replayCopy(State, true);
}
BENCHMARK(BM_ReadAndReplay)->Unit(benchmark::kMillisecond);
