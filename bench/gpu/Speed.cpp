//===- Speed.cpp - The speed of the embedded GPU --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread instructions a second of one core, timing off, without checks, with
// those of bounds and with all; and what loading a module of 1,000 lines takes.
// A row with a goal carries it as a counter, and its label says "pass" or
// "miss". A launch runs on the thread that asks for it, so a row is one core's;
// rates and goals go by CPU time, as the machine may have other work.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Device.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

using namespace gevo::gpu;

namespace {

std::string ptxText() {
  std::ifstream In(GEVO_BENCH_PTX);
  std::stringstream Text;
  Text << In.rdbuf();
  return Text.str();
}

double cpuSeconds() {
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return double(T.tv_sec) + 1e-9 * double(T.tv_nsec);
}

/// A device with the kernels, and launches with their arguments.
class Bench {
public:
  Bench() : Module(std::move(*Gpu.load(ptxText()))) {}

  template <typename T> uint64_t array(const std::vector<T> &Values) {
    uint64_t A = Gpu.allocate(Values.size() * sizeof(T));
    Gpu.copyToDevice(A, Values.data(), Values.size() * sizeof(T));
    return A;
  }

  /// Arguments are 64-bit values, cut to the size of their parameter.
  void run(const char *Name, Dim3 Grid, Dim3 Block,
           const std::vector<uint64_t> &Arguments) {
    const Kernel *K = Module->kernel(Name);
    std::vector<char> Params(K->paramBytes());
    for (size_t I = 0; I < Arguments.size(); ++I)
      std::memcpy(Params.data() + K->params()[I].Offset, &Arguments[I],
                  K->params()[I].Size);
    LaunchOptions O;
    O.Grid = Grid;
    O.Block = Block;
    O.Params = Params.data();
    O.ParamBytes = Params.size();
    O.Checks = Checks;
    double Start = cpuSeconds();
    LaunchResult R = Gpu.launch(*K, O);
    Seconds += cpuSeconds() - Start;
    Instructions += double(R.Counters.ThreadInstructions);
    if (!R.clean())
      Failure = R.Findings.empty() ? R.Message : R.Findings[0].str();
  }

  /// Sets the counters of a benchmark.
  void finish(benchmark::State &State, double Goal) {
    double Rate = Instructions / Seconds;
    State.counters["thread_instructions"] = Rate;
    if (!Failure.empty())
      State.SkipWithError(Failure.c_str());
    if (Goal == 0)
      return;
    State.counters["goal"] = Goal;
    State.SetLabel(Rate >= Goal ? "pass" : "miss");
  }

  Device Gpu;
  std::unique_ptr<LoadedModule> Module;
  CheckSet Checks;
  double Seconds = 0, Instructions = 0;
  std::string Failure;
};

/// Every node has up to 16 edges to anywhere; lists of edges in one array.
struct Graph {
  explicit Graph(int Nodes) : First(size_t(Nodes) + 1) {
    std::mt19937 Random(7);
    for (int N = 0; N < Nodes; ++N) {
      First[size_t(N)] = int(Edges.size());
      for (unsigned Left = Random() % 17; Left; --Left)
        Edges.push_back(int(Random() % unsigned(Nodes)));
    }
    First[size_t(Nodes)] = int(Edges.size());
  }
  std::vector<int> First, Edges;
};

void arithmetic(benchmark::State &State, CheckSet Checks, double Goal) {
  Bench B;
  B.Checks = Checks;
  uint64_t Out = B.array(std::vector<float>(16384));
  for (auto _ : State)
    B.run("arithmetic", {64, 1, 1}, {256, 1, 1}, {Out, 1000});
  B.finish(State, Goal);
}

void matmul(benchmark::State &State, CheckSet Checks, double Goal) {
  Bench B;
  B.Checks = Checks;
  const unsigned N = 256;
  std::vector<float> Values(N * N);
  std::iota(Values.begin(), Values.end(), 1.0f);
  uint64_t X = B.array(Values), Y = B.array(Values), Z = B.array(Values);
  for (auto _ : State)
    B.run("matmul", {N / 16, N / 16, 1}, {16, 16, 1}, {X, Y, Z, N});
  B.finish(State, Goal);
}

/// A whole search, a launch a level.
void search(benchmark::State &State, CheckSet Checks, double Goal) {
  Bench B;
  B.Checks = Checks;
  const int Nodes = 1 << 17;
  Graph G(Nodes);
  uint64_t First = B.array(G.First), Edges = B.array(G.Edges);
  std::vector<int> Depth(Nodes, -1), Start(Nodes, 0);
  Depth[0] = 0;
  Start[0] = 1;
  uint64_t Depths = B.array(Depth), Found = B.array(std::vector<int>(1));
  uint64_t Frontiers[2] = {B.array(Start), B.array(Start)};
  int Total = 0;
  for (auto _ : State) {
    B.Gpu.copyToDevice(Depths, Depth.data(), Depth.size() * 4);
    B.Gpu.copyToDevice(Frontiers[0], Start.data(), Start.size() * 4);
    B.Gpu.set(Frontiers[1], 0, 4, Nodes);
    B.Gpu.set(Found, 0, 4, 1);
    Total = 0;
    for (int Level = 0, Before = -1; Total != Before; ++Level) {
      Before = Total;
      B.run("search", {Nodes / 128, 1, 1}, {128, 1, 1},
            {First, Edges, Nodes, Depths, uint64_t(Level), Frontiers[Level & 1],
             Frontiers[~Level & 1], Found});
      B.Gpu.copyFromDevice(&Total, Found, 4);
    }
  }
  if (Total < Nodes / 2)
    State.SkipWithError("the search did not find its nodes");
  B.finish(State, Goal);
}

/// Copies of the kernels, renamed, until there are 1,000 lines.
std::string thousandLines() {
  std::string Text = ptxText(), Module;
  size_t Body = Text.find("// .globl");
  Module = Text.substr(0, Body);
  size_t Lines = size_t(std::count(Module.begin(), Module.end(), '\n'));
  for (char Copy = 'a'; Lines < 1000; ++Copy) {
    std::istringstream In(Text.substr(Body));
    for (std::string Line; Lines < 1000 || Line != "}"; ++Lines) {
      if (!std::getline(In, Line))
        break;
      // Names of kernels, and of what belongs to them.
      for (const char *Name : {"arithmetic", "matmul", "search"})
        for (size_t At = 0; (At = Line.find(Name, At)) != std::string::npos;) {
          At += std::strlen(Name);
          Line.insert(At, 1, Copy);
        }
      Module += Line + "\n";
    }
  }
  return Module;
}

void load(benchmark::State &State) {
  Device Gpu;
  std::string Text = thousandLines();
  double Seconds = 0;
  uint64_t Loads = 0;
  for (auto _ : State) {
    double Start = cpuSeconds();
    auto M = Gpu.load(Text);
    Seconds += cpuSeconds() - Start;
    ++Loads;
    if (!M)
      State.SkipWithError(M.error().str().c_str());
  }
  double Mean = Seconds / double(Loads), Goal = 2e-3;
  State.counters["lines"] = double(std::count(Text.begin(), Text.end(), '\n'));
  State.counters["seconds"] = Mean;
  State.counters["goal"] = Goal;
  State.SetLabel(Mean < Goal ? "pass" : "miss");
}

// Goals are for bounds checks.
#define KERNEL(Name, Goal)                                                     \
  BENCHMARK_CAPTURE(Name, bounds, CheckSet::bounds(), Goal)                    \
      ->Unit(benchmark::kMillisecond);                                         \
  BENCHMARK_CAPTURE(Name, none, CheckSet::none(), 0.0)                         \
      ->Unit(benchmark::kMillisecond);                                         \
  BENCHMARK_CAPTURE(Name, all, CheckSet::all(), 0.0)                           \
      ->Unit(benchmark::kMillisecond)

KERNEL(arithmetic, 300e6);
KERNEL(matmul, 300e6);
KERNEL(search, 100e6);
BENCHMARK(load)->Unit(benchmark::kMillisecond);

} // namespace
