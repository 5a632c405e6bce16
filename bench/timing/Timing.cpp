//===- Timing.cpp - The speed of the clock --------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread instructions a second with and without timing, bounds checks on, for a
// tiled matrix product and a stencil. The counter "thread_instructions" is a
// rate; compare timed and untimed runs for what the clock costs. Timed 1
// samples the blocks of large grids, 2 times every one.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/TimedLaunch.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <sstream>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

std::string ptxText() {
  std::ifstream In(GEVO_BENCH_PTX);
  std::stringstream Text;
  Text << In.rdbuf();
  return Text.str();
}

/// A device with the kernels and three square matrices.
struct Bench {
  explicit Bench(int N)
      : Time(*findProfile("V100", {GEVO_PROFILE_FOLDER})),
        Gpu(deviceConfig(Time.profile())), N(N) {
    Module = std::move(*Gpu.load(ptxText()));
    for (uint64_t &A : Arrays)
      A = Gpu.allocate(uint64_t(N) * N * 4);
  }

  LaunchCounters run(const char *Name, Dim3 Block, bool Timed) {
    const Kernel *K = Module->kernel(Name);
    bool Product = !std::strcmp(Name, "matmul");
    std::vector<char> Params(K->paramBytes());
    auto Set = [&](unsigned I, const void *P, size_t Bytes) {
      std::memcpy(Params.data() + K->params()[I].Offset, P, Bytes);
    };
    unsigned Pointers = Product ? 3 : 2;
    for (unsigned I = 0; I < Pointers; ++I)
      Set(I, &Arrays[I], 8);
    for (unsigned I = Pointers; I < K->params().size(); ++I)
      Set(I, &N, 4);
    LaunchOptions O;
    O.Block = Block;
    O.Grid = {N / Block.X, N / Block.Y, 1};
    O.Params = Params.data();
    O.ParamBytes = Params.size();
    if (!Timed)
      return Gpu.launch(*K, O).Counters;
    TimedResult R = Time.launch(Gpu, *K, O);
    Cycles = R.Timing.Cycles;
    return R.Execution.Counters;
  }

  Clock Time;
  Device Gpu;
  unsigned N;
  std::unique_ptr<LoadedModule> Module;
  uint64_t Arrays[3];
  uint64_t Cycles = 0;
};

void kernel(benchmark::State &State, const char *Name, int N, Dim3 Block) {
  Bench B(N);
  bool Timed = State.range(0) != 0;
  // The host's pages of device memory come with the first access to them.
  B.run(Name, Block, false);
  B.Time.setExact(State.range(0) == 2);
  double Instructions = 0;
  for (auto _ : State)
    Instructions += double(B.run(Name, Block, Timed).ThreadInstructions);
  State.counters["thread_instructions"] =
      benchmark::Counter(Instructions, benchmark::Counter::kIsRate);
  if (Timed)
    State.counters["cycles"] = double(B.Cycles);
}

void matmul(benchmark::State &S) { kernel(S, "matmul", 512, {16, 16, 1}); }
void stencil(benchmark::State &S) { kernel(S, "stencil", 2048, {32, 8, 1}); }

BENCHMARK(matmul)->ArgName("timed")->DenseRange(0, 2)->Unit(
    benchmark::kMillisecond);
BENCHMARK(stencil)->ArgName("timed")->DenseRange(0, 2)->Unit(
    benchmark::kMillisecond);

} // namespace
