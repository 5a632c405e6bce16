//===- Replay.cpp - Run a captured launch again ---------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"
#include "runtime/measure/MemoryImage.h"
#include "runtime/measure/Placement.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <tuple>

using namespace gevo;
using namespace gevo::cuda;
using namespace gevo::measure;

namespace {

/// What a launch without opt-in may have.
constexpr uint32_t PlainSharedBytes = 48 * 1024;
/// Instructions that every launch may take, however short the original is.
constexpr uint64_t LeastSteps = 100000;

void fail(ReplayResult &R, Outcome What, std::string Reason) {
  R.Result = What;
  R.Reason = std::move(Reason);
}

double processorMicroseconds() {
  timespec T;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
  return double(T.tv_sec) * 1e6 + double(T.tv_nsec) * 1e-3;
}

/// The kind of failure that a driver's result is.
Outcome outcomeOf(CUresult R) {
  switch (R) {
  case CUDA_ERROR_LAUNCH_TIMEOUT:
    return Outcome::StepLimit;
  case CUDA_ERROR_INVALID_VALUE:
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
  case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    return Outcome::LaunchRefused;
  default:
    return Outcome::Fault;
  }
}

} // namespace

struct Replay::Impl {
  Impl(Device &D, const capture::Case &C)
      : D(D), T(D.driver()), C(C), Memory(D), Image(C) {}

  bool enter(ReplayResult &R);
  void leave();
  bool find(const LoadedModule &M, ReplayResult &R);
  bool configure(const ReplayOptions &O, ReplayResult &R);
  void warmCaches(bool Warm);
  CUresult launch(size_t Index);
  CUresult launchTimed(size_t Index, const ReplayOptions &O, ReplayResult &R);
  bool launchAll(const ReplayOptions &O, ReplayResult &R);
  void takeCounters(const ReplayOptions &O, ReplayResult &R);
  bool settle(CUresult Status, const ReplayOptions &O, ReplayResult &R);
  bool readBack();
  bool watchHeap(ReplayResult &R);
  void checkHeap(ReplayResult &R);
  bool again(ReplayResult &R);
  void runOnce(const ReplayOptions &O, ReplayResult &R);

  Device &D;
  const DriverTable &T;
  const capture::Case &C;
  Placement Memory;
  MemoryImage Image;
  std::map<std::string, uint64_t> Bindings;
  std::vector<CUfunction> Functions; ///< By launch.
  std::vector<uint64_t> Pages;
  bool Lost = false; ///< A fault ended the context.
  double Called = 0; ///< When run() was, in processor time.
};

Replay::Replay(Device &D, const capture::Case &C)
    : D(D), C(C), P(std::make_unique<Impl>(D, C)) {
  for (const capture::Buffer &B : C.Buffers)
    if (!B.Variable.empty() && D.isEmbedded())
      P->Bindings[B.Variable] = B.Address;
}

Replay::~Replay() {
  if (D.CachesOf == P.get())
    D.CachesOf = nullptr;
  if (D.Resident != this) {
    P->Memory.forget();
    return;
  }
  D.makeCurrent();
  P->leave();
  D.Resident = nullptr;
}

/// Makes the memory of the case the device's.
bool Replay::Impl::enter(ReplayResult &R) {
  std::string Error;
  if (C.usesHeap() && !D.isEmbedded()) {
    fail(R, Outcome::DeviceFailed,
         "the launch uses memory of malloc in device code, which only the "
         "embedded GPU can replay");
    return false;
  }
  // L2 is set up for each run, whatever these copies leave there.
  if (D.isEmbedded())
    T.gevoGpuSetTiming(0);
  if (!Memory.place(C.Buffers, Error)) {
    fail(R, Outcome::DeviceFailed, Error);
    return false;
  }
  // Variables of other drivers are written when their module is known.
  if (D.isEmbedded() && !Image.write(D)) {
    fail(R, Outcome::DeviceFailed, "the memory of the case cannot be written");
    return false;
  }
  return true;
}

void Replay::Impl::leave() {
  if (C.usesHeap() && D.isEmbedded()) {
    T.gevoGpuPlaceHeap(nullptr, 0, nullptr);
    T.gevoGpuWatchHeap(0, nullptr, 0);
  }
  Memory.clear();
}

bool Replay::Impl::find(const LoadedModule &M, ReplayResult &R) {
  Functions.assign(C.Launches.size(), nullptr);
  for (size_t K = 0; K < C.Launches.size(); ++K) {
    const capture::Launch &L = C.Launches[K];
    if (T.cuModuleGetFunction(&Functions[K], M.Handle, L.Kernel.c_str())) {
      fail(R, Outcome::KernelMissing,
           "the PTX has no kernel '" + L.Kernel + "'");
      return false;
    }
    if (L.SharedBytes > PlainSharedBytes)
      T.cuFuncSetAttribute(Functions[K],
                           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           int(L.SharedBytes));
  }
  if (D.isEmbedded())
    return true;
  for (size_t B = 0; B < C.Buffers.size(); ++B) {
    CUdeviceptr Address = 0;
    if (C.Buffers[B].Variable.empty())
      continue;
    if (!T.cuModuleGetGlobal_v2(&Address, nullptr, M.Handle,
                                C.Buffers[B].Variable.c_str()))
      Image.moveBuffer(B, Address);
  }
  if (!Image.write(D)) {
    fail(R, Outcome::DeviceFailed, "the memory of the case cannot be written");
    return false;
  }
  return true;
}

bool Replay::Impl::configure(const ReplayOptions &O, ReplayResult &R) {
  if (!D.isEmbedded())
    return true;
  uint64_t Limit = O.StepLimit;
  if (!Limit && C.WarpInstructions)
    Limit = uint64_t(O.StepFactor * double(C.WarpInstructions)) + LeastSteps;
  if (T.gevoGpuSetChecks(O.Checks.c_str())) {
    fail(R, Outcome::DeviceFailed, "unknown checks '" + O.Checks + "'");
    return false;
  }
  T.gevoGpuSetTiming(O.Timing);
  T.gevoGpuSetMachineCode(O.MachineCode);
  T.gevoGpuSetStepLimit(Limit);
  T.gevoGpuKeepLines(O.Lines);
  T.gevoGpuClear();
  warmCaches(O.Timing && O.WarmCaches);
  return !C.usesHeap() || watchHeap(R);
}

bool Replay::Impl::watchHeap(ReplayResult &R) {
  static_assert(sizeof(capture::HeapCallRun) == sizeof(GevoGpuHeapCallRun),
                "they are the same by another name");
  if (T.gevoGpuWatchHeap(
          1, reinterpret_cast<const GevoGpuHeapCallRun *>(C.HeapCalls.data()),
          C.HeapCalls.size())) {
    fail(R, Outcome::DeviceFailed, "the device heap cannot be watched");
    return false;
  }
  return true;
}

/// The heap must grow or shrink as it did.
void Replay::Impl::checkHeap(ReplayResult &R) {
  int64_t Change = 0;
  if (!C.usesHeap() || !D.isEmbedded() || T.gevoGpuGetHeapChange(&Change) ||
      Change == C.HeapChange)
    return;
  fail(R, Outcome::InputChanged,
       "the device heap grows by " + std::to_string(Change) +
           " bytes, with the original by " + std::to_string(C.HeapChange));
}

/// Makes memory what it is before a run, after another one.
bool Replay::Impl::again(ReplayResult &R) {
  if (C.usesHeap() && D.isEmbedded()) {
    leave();
    if (!enter(R))
      D.Resident = nullptr;
  } else if (!Image.restore(D))
    fail(R, Outcome::DeviceFailed, "its memory cannot be written");
  return R.passed();
}

/// Empties L2 and, with \p Warm, fills it with the case's memory.
void Replay::Impl::warmCaches(bool Warm) {
  bool Again = D.CachesOf == this;
  if (Warm && Again && D.CachesKept && !T.gevoGpuRecallCaches())
    return;
  T.gevoGpuFlushCaches();
  D.CachesOf = nullptr;
  if (!Warm)
    return;
  D.fillCaches(C);
  // Cases that take turns would copy a whole L2 for nothing.
  D.CachesKept = Again && !T.gevoGpuKeepCaches();
  D.CachesOf = this;
}

CUresult Replay::Impl::launch(size_t Index) {
  const capture::Launch &L = C.Launches[Index];
  size_t Size = L.Params.size();
  void *Extra[] = {reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_POINTER),
                   const_cast<uint8_t *>(L.Params.data()),
                   reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_SIZE), &Size,
                   reinterpret_cast<void *>(CU_LAUNCH_PARAM_END)};
  if (!L.Cooperative)
    return T.cuLaunchKernel(Functions[Index], L.Grid.X, L.Grid.Y, L.Grid.Z,
                            L.Block.X, L.Block.Y, L.Block.Z, L.SharedBytes,
                            nullptr, nullptr, Extra);
  CUlaunchAttribute Together = {};
  Together.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  Together.value.cooperative = 1;
  CUlaunchConfig Config = {};
  Config.gridDimX = L.Grid.X;
  Config.gridDimY = L.Grid.Y;
  Config.gridDimZ = L.Grid.Z;
  Config.blockDimX = L.Block.X;
  Config.blockDimY = L.Block.Y;
  Config.blockDimZ = L.Block.Z;
  Config.sharedMemBytes = L.SharedBytes;
  Config.attrs = &Together;
  Config.numAttrs = 1;
  return T.cuLaunchKernelEx(&Config, Functions[Index], nullptr, Extra);
}

/// Launches and waits; adds to the times of \p R.
CUresult Replay::Impl::launchTimed(size_t Index, const ReplayOptions &O,
                                   ReplayResult &R) {
  if (D.isEmbedded()) {
    // What is left of the bound; at least a cycle, as 0 means none.
    uint64_t Left =
        std::max<uint64_t>(1, O.CycleLimit - std::min(O.CycleLimit, R.Cycles));
    T.gevoGpuSetCycleLimit(O.CycleLimit ? Left : 0);
    T.gevoGpuSetNextGrid(C.gridNumber(Index));
    CUresult Status = launch(Index);
    takeCounters(O, R);
    return Status;
  }
  auto [Start, Stop] = D.events();
  if (!Start || !Stop)
    return CUDA_ERROR_UNKNOWN;
  T.cuEventRecord(Start, nullptr);
  CUresult Status = launch(Index);
  T.cuEventRecord(Stop, nullptr);
  if (CUresult After = T.cuCtxSynchronize())
    Status = After;
  float Milliseconds = 0;
  if (!Status && !T.cuEventElapsedTime(&Milliseconds, Start, Stop))
    R.Microseconds += double(Milliseconds) * 1000;
  return Status;
}

void Replay::Impl::takeCounters(const ReplayOptions &O, ReplayResult &R) {
  GevoGpuCounters Counters = {};
  T.gevoGpuGetCounters(&Counters, sizeof(Counters));
  R.Microseconds += Counters.Microseconds;
  R.Cycles += Counters.Cycles;
  if (O.MachineCode && !Counters.FromSass && R.WhyRules.empty())
    std::tie(R.WhyRules, R.RulesCause) = D.whyRules();
  R.FromSass = Counters.FromSass && R.WhyRules.empty();
  R.WarpInstructions += Counters.WarpInstructions;
  R.RaceWork += Counters.RaceWork;
}

/// Turns the status of a launch and its findings into a result; true to go on.
bool Replay::Impl::settle(CUresult Status, const ReplayOptions &O,
                          ReplayResult &R) {
  const Finding *Worst = nullptr;
  for (const Finding &F : R.Findings)
    if ((O.Variant ? F.FailsVariant : F.IsError) &&
        !O.AcceptedFindings.count(F.key()) && !Worst)
      Worst = &F;
  // The embedded GPU calls a launch failed that ended with findings.
  bool FindingsOnly = Status == CUDA_ERROR_LAUNCH_FAILED && !R.Findings.empty();
  if (Status == CUDA_ERROR_LAUNCH_TIMEOUT && O.CycleLimit &&
      R.Cycles > O.CycleLimit) {
    fail(R, Outcome::TimeLimit,
         "stopped after " + std::to_string(O.CycleLimit) + " cycles");
    return false;
  }
  if (Status && !FindingsOnly) {
    fail(R, outcomeOf(Status), Worst ? Worst->Message : D.errorName(Status));
    return false;
  }
  if (Worst) {
    fail(R, Outcome::Finding, Worst->reason());
    return false;
  }
  return true;
}

bool Replay::Impl::launchAll(const ReplayOptions &O, ReplayResult &R) {
  R.StartMicroseconds = processorMicroseconds() - Called;
  for (size_t K = 0; K < C.Launches.size(); ++K) {
    CUresult Status = launchTimed(K, O, R);
    if (D.isEmbedded()) {
      std::vector<Finding> More = findingsOf(T);
      R.Findings.insert(R.Findings.end(), More.begin(), More.end());
      if (Status || !More.empty())
        T.gevoGpuClear();
    }
    Lost |= !D.isEmbedded() && Status &&
            outcomeOf(Status) != Outcome::LaunchRefused;
    if (!settle(Status, O, R))
      return false;
  }
  return true;
}

/// Reads memory as far as it was written.
bool Replay::Impl::readBack() {
  if (!D.isEmbedded())
    return Image.read(D, nullptr);
  size_t Needed = 0;
  Pages.resize(std::max<size_t>(Pages.capacity(), 64));
  if (T.gevoGpuTakeWrites(Pages.data(), Pages.size(), &Needed))
    return false;
  if (Needed > Pages.size()) {
    Pages.resize(Needed);
    if (T.gevoGpuTakeWrites(Pages.data(), Pages.size(), &Needed))
      return false;
  }
  Pages.resize(Needed);
  return Image.read(D, &Pages);
}

void Replay::Impl::runOnce(const ReplayOptions &O, ReplayResult &R) {
  if (!configure(O, R))
    return;
  if (D.isEmbedded())
    T.gevoGpuKeepPrinted(1);
  bool Clean = launchAll(O, R);
  if (Lost)
    return;
  if (Clean)
    checkHeap(R);
  if (!R.passed())
    Clean = false;
  if (!readBack()) {
    fail(R, Outcome::DeviceFailed, "the memory of the case cannot be read");
    return;
  }
  if (!Clean)
    return;
  Image.judge(O, R);
  if (D.isEmbedded() && C.Printed)
    judgePrinted(*C.Printed, D.printed(), O, R);
  R.Compared = !R.Outputs.empty() || C.callsHeap();
}

ReplayResult Replay::run(const std::string &Ptx, const ReplayOptions &O) {
  ReplayResult R;
  P->Called = processorMicroseconds();
  if (!D.makeCurrent()) {
    fail(R, Outcome::DeviceFailed, "the device has no context");
    return R;
  }
  if (D.Resident != this) {
    if (D.Resident)
      D.Resident->P->leave();
    D.Resident = P->enter(R) ? this : nullptr;
    if (!D.Resident)
      return R;
  } else if (!P->again(R)) {
    return R;
  }
  const LoadedModule &M = D.load(Ptx, P->Bindings);
  if (!M.Handle) {
    fail(R, Outcome::LoadFailed, M.Log);
    return R;
  }
  if (!P->find(M, R))
    return R;
  P->runOnce(O, R);
  for (unsigned K = 1; K < O.Repeats && R.passed(); ++K) {
    ReplayResult Again;
    P->Called = processorMicroseconds();
    if (P->again(Again))
      P->runOnce(O, Again);
    Again.Microseconds = std::min(Again.Microseconds, R.Microseconds);
    Again.Error = std::max(Again.Error, R.Error);
    R = std::move(Again);
  }
  Lines = O.Lines && D.isEmbedded() ? D.lines() : std::vector<GevoGpuLine>();
  if (P->Lost) {
    P->Lost = false;
    P->Memory.forget();
    D.reset();
  }
  return R;
}

capture::Bytes Replay::variableOf(const std::string &Ptx,
                                  const std::string &Name) {
  const DriverTable &T = D.driver();
  const LoadedModule &M = D.load(Ptx, P->Bindings);
  CUdeviceptr Address = 0;
  size_t Size = 0;
  if (!M.Handle ||
      T.cuModuleGetGlobal_v2(&Address, &Size, M.Handle, Name.c_str()))
    return {};
  capture::Bytes Value(Size);
  if (T.cuMemcpyDtoH_v2(Value.data(), Address, Size))
    return {};
  return Value;
}

capture::Bytes Replay::outputOf(size_t Buffer) const {
  return P->Image.contents(Buffer);
}
