//===- bench-measure.cpp - How fast replays start -------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a replay takes beyond the kernel's own time: a kernel of one warp on a
// case with much memory, with PTX that is known, with PTX that is new each
// time, and with two cases that take turns.
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"

#include <benchmark/benchmark.h>

using namespace gevo;
using namespace gevo::measure;
using capture::Buffer;
using capture::Bytes;

namespace {

constexpr uint64_t In = 0x200000000100, Out = 0x200040000100;

const char Kernel[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  st.global.u32 [%rd5], %r2;
  ret;
}
)";

capture::Case copying(size_t Size, uint8_t Value) {
  capture::Case C;
  capture::Launch L;
  L.Kernel = "k";
  L.Block = {32, 1, 1};
  for (uint64_t Pointer : {In, Out})
    for (int K = 0; K < 8; ++K)
      L.Params.push_back(uint8_t(Pointer >> 8 * K));
  C.Launches.push_back(L);
  C.Buffers.push_back(Buffer::input(In, Bytes(Size, Value)));
  Buffer Written =
      Buffer::output(Out, Bytes(128), Bytes(128, Value), ElementType::U32);
  C.Buffers.push_back(std::move(Written));
  C.WarpInstructions = 11;
  return C;
}

Device &device() {
  static std::unique_ptr<Device> D = [] {
    std::string Error;
    DeviceOptions O;
    O.Library = GEVO_GPU_LIBRARY;
    return Device::open(O, Error);
  }();
  return *D;
}

bool runs(benchmark::State &State, Replay &R, const std::string &Ptx) {
  ReplayResult Result = R.run(Ptx, {});
  if (!Result.passed())
    State.SkipWithError(Result.Reason.c_str());
  return Result.passed();
}

void knownPtx(benchmark::State &State) {
  capture::Case C = copying(size_t(State.range(0)), 7);
  Replay R(device(), C);
  for (auto _ : State)
    if (!runs(State, R, Kernel))
      return;
}

void newPtx(benchmark::State &State) {
  capture::Case C = copying(size_t(State.range(0)), 7);
  Replay R(device(), C);
  unsigned Version = 0;
  for (auto _ : State)
    if (!runs(State, R,
              std::string(Kernel) + "// " + std::to_string(Version++) + "\n"))
      return;
}

void twoCases(benchmark::State &State) {
  capture::Case A = copying(size_t(State.range(0)), 7),
                B = copying(size_t(State.range(0)), 8);
  Replay First(device(), A), Second(device(), B);
  bool Odd = false;
  for (auto _ : State)
    if (!runs(State, (Odd = !Odd) ? First : Second, Kernel))
      return;
}

void firstRun(benchmark::State &State) {
  capture::Case C = copying(size_t(State.range(0)), 7);
  for (auto _ : State) {
    Replay R(device(), C);
    if (!runs(State, R, Kernel))
      return;
  }
}

BENCHMARK(knownPtx)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);
BENCHMARK(newPtx)->Arg(1 << 16)->Arg(1 << 20);
BENCHMARK(twoCases)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);
BENCHMARK(firstRun)->Arg(1 << 16)->Arg(1 << 20)->Arg(1 << 24);

} // namespace
