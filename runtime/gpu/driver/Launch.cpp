//===- Launch.cpp - Launches of the driver API ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Launch.h"
#include "runtime/gpu/driver/Clock.h"
#include "runtime/gpu/driver/LaunchObserver.h"
#include "runtime/gpu/driver/Report.h"
#include "runtime/gpu/exec/HostFloat.h"
#include "runtime/gpu/ptx/Module.h"

#include <algorithm>
#include <cstring>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// What a program sees of a launch that ended as \p R says. A finding that
/// hardware has no name for is a failed launch if \p FailOnFinding.
CUresult resultOf(const gpu::LaunchResult &R, bool FailOnFinding) {
  switch (R.Status) {
  case gpu::LaunchStatus::Ok:
    return FailOnFinding && !R.clean() ? CUDA_ERROR_LAUNCH_FAILED
                                       : CUDA_SUCCESS;
  case gpu::LaunchStatus::InvalidConfiguration:
    return CUDA_ERROR_INVALID_VALUE;
  case gpu::LaunchStatus::IllegalAddress:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case gpu::LaunchStatus::MisalignedAddress:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case gpu::LaunchStatus::IllegalInstruction:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case gpu::LaunchStatus::InvalidPc:
    return CUDA_ERROR_INVALID_PC;
  case gpu::LaunchStatus::StackOverflow:
    return CUDA_ERROR_HARDWARE_STACK_ERROR;
  case gpu::LaunchStatus::Assert:
    return CUDA_ERROR_ASSERT;
  case gpu::LaunchStatus::Trap:
    return CUDA_ERROR_LAUNCH_FAILED;
  case gpu::LaunchStatus::Timeout:
  case gpu::LaunchStatus::Deadlock:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  }
  return CUDA_ERROR_UNKNOWN;
}

/// What the lines of \p K's text cost, in order of function and line.
std::vector<GevoGpuLine> costOfLines(const gpu::Kernel &K,
                                     const gpu::timing::LaunchTiming &T) {
  std::map<std::pair<uint32_t, uint32_t>, GevoGpuLine> Sums;
  for (uint32_t F = 0; F < T.Profile.size(); ++F)
    for (size_t I = 0; I < T.Profile[F].size(); ++I) {
      const gpu::timing::InstructionProfile &C = T.Profile[F][I];
      if (!C.Issues)
        continue;
      uint32_t Line = K.functions()[F]->Code[I].Line;
      GevoGpuLine &Sum = Sums[{F, Line}];
      Sum.Line = Line;
      Sum.Function = F;
      Sum.Issues += C.Issues;
      Sum.Lanes += C.Lanes;
      Sum.Stalls += C.stallCycles();
      Sum.Sectors += C.Sectors;
      Sum.Conflicts += C.BankConflicts;
    }
  std::vector<GevoGpuLine> Lines;
  for (const auto &Entry : Sums)
    Lines.push_back(Entry.second);
  return Lines;
}

CUresult runLaunch(const LaunchPlan &Plan, WorkReport &Report) {
  // Costs and times are not the program's arithmetic either.
  gpu::HostFloatScope Float;
  Context &Ctx = *Plan.F->Owner->Ctx;
  gpu::LaunchOptions Options;
  Options.Grid = Plan.Grid;
  Options.Block = Plan.Block;
  Options.DynamicSharedBytes = Plan.DynamicShared;
  Options.Params = Plan.Params.data();
  Options.ParamBytes = Plan.Params.size();
  Options.Cooperative = Plan.Cooperative;
  LaunchSettings Settings;
  uint64_t Cycles = 0;
  std::vector<GevoGpuLine> Lines;
  std::shared_ptr<gpu::TouchRecord> Writes;
  std::shared_ptr<gpu::HeapRecord> Heap;
  std::shared_ptr<std::string> Kept;
  {
    std::lock_guard<std::mutex> Guard(Ctx.Lock);
    Settings = Ctx.Settings;
    Writes = Ctx.Writes;
    Heap = Ctx.Heap;
    Kept = Ctx.Kept;
  }
  if (Kept)
    Options.Printf = [](std::string_view) {};
  Options.Printed = Kept.get();
  Options.Touches = Writes.get();
  Options.Heap = Heap.get();
  Options.Checks = Settings.Checks;
  Options.StepLimit = Settings.StepLimit;
  Options.GoOnAfterStrays = !Settings.FailOnFinding;
  gpu::LaunchResult Result;
  std::optional<gpu::timing::LaunchTiming> Timing;
  for (const auto &O : Driver::get().Observers)
    O->before(Plan, Options);
  if (Settings.Timing) {
    std::lock_guard<std::mutex> Guard(Ctx.ClockLock);
    gpu::timing::TimedResult Timed = Ctx.Clock.launch(
        *Ctx.Engine, *Plan.F->Code, Options,
        costsOf(Ctx, *Plan.F, Settings.Costs), Settings.CycleLimit);
    if (Settings.KeepLines)
      Lines = costOfLines(*Plan.F->Code, Timed.Timing);
    Result = std::move(Timed.Execution);
    Report.Microseconds = double(Timed.Timing.Nanoseconds) / 1000.0;
    Cycles = Timed.Timing.Cycles;
    Timing = std::move(Timed.Timing);
  } else {
    Options.Resident =
        residentBlocks(Ctx.Owner.Properties, attributesOf(*Plan.F),
                       unsigned(Plan.Block.count()), Plan.DynamicShared) *
        uint64_t(Ctx.Owner.Properties.Config.NumSMs);
    Result = Ctx.Engine->launch(*Plan.F->Code, Options);
    Report.Microseconds =
        launchMicroseconds(Ctx.Owner.Properties, Result.Counters);
  }
  for (const auto &O : Driver::get().Observers)
    O->after(Plan, {Result, Timing ? &*Timing : nullptr, Report.Microseconds});
  CUresult R = resultOf(Result, Settings.FailOnFinding);
  reportLaunch(Ctx, Settings, Plan.F->Code->name(), Result);
  {
    std::lock_guard<std::mutex> Guard(Ctx.Lock);
    Ctx.LastKernel = Plan.F->Code->name();
    Ctx.LastCounters = Result.Counters;
    Ctx.LastMicroseconds = Report.Microseconds;
    Ctx.LastCycles = Cycles;
    Ctx.LastFromSass =
        Timing && Timing->Source == gpu::timing::CostSource::Sass;
    Ctx.LastWhyRules = Timing ? Timing->WhyRules : "";
    Ctx.LastRulesCause = Timing ? Timing->RulesCause : gpu::FailureCause::Input;
    Ctx.LastLines = std::move(Lines);
    keepFindings(Ctx, Result.Findings);
  }
  // A launch that was refused did nothing; any other failure stays with the
  // context, as it does on a GPU.
  if (R && Result.Status != gpu::LaunchStatus::InvalidConfiguration)
    Ctx.Sticky = R;
  return R;
}

CUresult launch(LaunchPlan Plan, CUfunction Handle, CUstream StreamHandle,
                void **Params, void **Extra) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(StreamHandle, S))
    return R;
  if (CUresult R = findFunction(Handle, Plan.F))
    return R;
  if (Plan.F->Owner->Ctx != S->Ctx)
    return CUDA_ERROR_INVALID_CONTEXT;
  return guarded([&] {
    if (CUresult R = checkPlan(Plan))
      return R;
    if (CUresult R = takeParams(Plan, Params, Extra))
      return R;
    return submit(*S, launchWork(std::move(Plan)));
  });
}

/// Reads the list of names and values that ends in CU_LAUNCH_PARAM_END.
CUresult takeBuffer(LaunchPlan &Plan, void **Extra) {
  const void *Buffer = nullptr;
  size_t Bytes = 0;
  for (; reinterpret_cast<uintptr_t>(*Extra) != CU_LAUNCH_PARAM_END;
       Extra += 2) {
    switch (reinterpret_cast<uintptr_t>(*Extra)) {
    case CU_LAUNCH_PARAM_BUFFER_POINTER:
      Buffer = Extra[1];
      break;
    case CU_LAUNCH_PARAM_BUFFER_SIZE:
      Bytes = *static_cast<size_t *>(Extra[1]);
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  uint32_t Needed = Plan.F->Code->paramBytes();
  if (Bytes < Needed || (Needed && !Buffer))
    return CUDA_ERROR_INVALID_VALUE;
  const char *First = static_cast<const char *>(Buffer);
  Plan.Params.assign(First, First + Needed);
  return CUDA_SUCCESS;
}

} // namespace

CUresult gevo::driver::takeParams(LaunchPlan &Plan, void **Params,
                                  void **Extra) {
  if (Extra && *Extra)
    return Params ? CUDA_ERROR_INVALID_VALUE : takeBuffer(Plan, Extra);
  const gpu::Kernel &K = *Plan.F->Code;
  if (!K.params().empty() && !Params)
    return CUDA_ERROR_INVALID_VALUE;
  Plan.Params.assign(K.paramBytes(), 0);
  for (size_t I = 0; I < K.params().size(); ++I) {
    const gpu::KernelParam &P = K.params()[I];
    if (!Params[I])
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(Plan.Params.data() + P.Offset, Params[I], P.Size);
  }
  return CUDA_SUCCESS;
}

CUresult gevo::driver::checkPlan(LaunchPlan &Plan) {
  const DeviceProperties &P = Plan.F->Owner->Ctx->Owner.Properties;
  const gpu::KernelAttributes &A = Plan.F->Code->attributes();
  auto attribute = [&](CUdevice_attribute Name) {
    return unsigned(deviceAttribute(P, Name).value_or(0));
  };
  const gpu::Dim3 &G = Plan.Grid, &B = Plan.Block;
  bool GridFits = G.X && G.Y && G.Z &&
                  G.X <= attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) &&
                  G.Y <= attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) &&
                  G.Z <= attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  bool BlockFits = B.X && B.Y && B.Z &&
                   B.X <= attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) &&
                   B.Y <= attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) &&
                   B.Z <= attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) &&
                   B.count() <= P.Config.MaxThreadsPerBlock;
  int MaxDynamic = 0;
  cuFuncGetAttribute(&MaxDynamic,
                     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                     Plan.F->Handle);
  if (!GridFits || !BlockFits || Plan.DynamicShared > unsigned(MaxDynamic))
    return CUDA_ERROR_INVALID_VALUE;
  if (B.count() > A.MaxThreadsPerBlock)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  auto resident = [&](bool Assemble) {
    return uint64_t(residentBlocks(P, attributesOf(*Plan.F, Assemble),
                                   unsigned(B.count()), Plan.DynamicShared)) *
           P.Config.NumSMs;
  };
  // No grid is refused by an estimate if the assembler can tell.
  uint64_t Resident = resident(/*Assemble=*/false);
  if (Plan.Cooperative && G.count() > Resident)
    Resident = resident(/*Assemble=*/true);
  if (!Resident)
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (Plan.Cooperative && G.count() > Resident)
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return CUDA_SUCCESS;
}

Work gevo::driver::launchWork(LaunchPlan Plan) {
  auto Shared = std::make_shared<const LaunchPlan>(std::move(Plan));
  return {CU_GRAPH_NODE_TYPE_KERNEL,
          [Shared](Stream &, WorkReport &Report) {
            return runLaunch(*Shared, Report);
          },
          Shared};
}

namespace gevo::cuda {

CUresult cuLaunchKernel(CUfunction Handle, unsigned GridX, unsigned GridY,
                        unsigned GridZ, unsigned BlockX, unsigned BlockY,
                        unsigned BlockZ, unsigned Shared, CUstream S,
                        void **Params, void **Extra) {
  LaunchPlan Plan;
  Plan.Grid = {GridX, GridY, GridZ};
  Plan.Block = {BlockX, BlockY, BlockZ};
  Plan.DynamicShared = Shared;
  return launch(std::move(Plan), Handle, S, Params, Extra);
}

/// What does not change a result may be left undone; what somebody may wait for
/// may not.
static CUresult applyAttribute(const CUlaunchAttribute &A, LaunchPlan &Plan) {
  const auto &Cluster = A.value.clusterDim;
  switch (A.id) {
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    Plan.Cooperative = A.value.cooperative != 0;
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    return Cluster.x > 1 || Cluster.y > 1 || Cluster.z > 1
               ? lacking("a launch of clusters")
               : CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
  case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
  case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    return lacking("a launch attribute for events or updates by the device");
  case CU_LAUNCH_ATTRIBUTE_IGNORE:
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *Config, CUfunction Handle,
                          void **Params, void **Extra) {
  if (!Config || (Config->numAttrs && !Config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  LaunchPlan Plan;
  Plan.Grid = {Config->gridDimX, Config->gridDimY, Config->gridDimZ};
  Plan.Block = {Config->blockDimX, Config->blockDimY, Config->blockDimZ};
  Plan.DynamicShared = Config->sharedMemBytes;
  for (unsigned I = 0; I < Config->numAttrs; ++I)
    if (CUresult R = applyAttribute(Config->attrs[I], Plan))
      return R;
  return launch(std::move(Plan), Handle, Config->hStream, Params, Extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction Handle, unsigned GridX,
                                   unsigned GridY, unsigned GridZ,
                                   unsigned BlockX, unsigned BlockY,
                                   unsigned BlockZ, unsigned Shared, CUstream S,
                                   void **Params) {
  LaunchPlan Plan;
  Plan.Grid = {GridX, GridY, GridZ};
  Plan.Block = {BlockX, BlockY, BlockZ};
  Plan.DynamicShared = Shared;
  Plan.Cooperative = true;
  return launch(std::move(Plan), Handle, S, Params, nullptr);
}

} // namespace gevo::cuda
