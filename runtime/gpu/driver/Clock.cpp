//===- Clock.cpp - Time on the modelled GPU -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Clock.h"
#include "runtime/gpu/driver/Driver.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::driver;

double gevo::driver::launchMicroseconds(const DeviceProperties &P,
                                        const gpu::LaunchCounters &Counters) {
  constexpr double SchedulersPerSM = 4;
  double SMs =
      double(std::clamp<uint64_t>(Counters.Blocks, 1, P.Config.NumSMs));
  double Cycles = double(Counters.WarpInstructions) / (SMs * SchedulersPerSM);
  return Cycles / (P.Config.ClockKHz / 1000.0);
}

namespace {

MachineCode assembleFunction(const Function &F) {
  // A text is read for each of its kernels, and the assembler may need all of
  // it; what takes longer than most programs run is left to the rules.
  constexpr size_t LongestText = size_t(4) << 20;
  MachineCode Made;
  // Of code that was linked, no text has all.
  const std::vector<std::string> &Texts = F.Owner->Texts;
  if (Texts.size() != 1) {
    Made.Why = "its module was linked";
    return Made;
  }
  if (Texts[0].size() > LongestText) {
    Made.Why = "its module has more than 4 MiB of PTX";
    return Made;
  }
  gpu::Result<gpu::timing::SassModule> Machine = gpu::timing::assemble(
      gpu::timing::findSassTools(), Texts[0],
      F.Owner->Ctx->Owner.Properties.Profile.Arch, F.Code->name());
  if (!Machine) {
    Made.Why = Machine.error().Message;
    Made.Cause = Machine.error().Cause;
    return Made;
  }
  auto It = Machine->find(F.Code->name());
  if (It != Machine->end())
    Made.Registers = It->second.Registers;
  Made.Why = Machine->WhyNoCode;
  Made.Code = std::move(*Machine);
  return Made;
}

/// The machine code of \p F, made if it was not; its MachineLock must be held.
MachineCode &machineCodeOf(Function &F) {
  if (!F.Machine)
    F.Machine = assembleFunction(F);
  return *F.Machine;
}

bool needsAssembler(gpu::timing::CostChoice Choice) {
  return Choice == gpu::timing::CostChoice::Auto ||
         Choice == gpu::timing::CostChoice::Sass;
}

} // namespace

const gpu::timing::CostProgram &
gevo::driver::costsOf(Context &Ctx, Function &F,
                      gpu::timing::CostChoice Choice) {
  if (!needsAssembler(Choice)) {
    if (!F.RuleCosts) {
      Ctx.Clock.setTextOrder(Choice == gpu::timing::CostChoice::Text);
      F.RuleCosts = Ctx.Clock.costs(*F.Code);
    }
    return *F.RuleCosts;
  }
  if (F.CodeCosts)
    return *F.CodeCosts;
  std::lock_guard<std::mutex> Guard(F.MachineLock);
  MachineCode &Machine = machineCodeOf(F);
  F.CodeCosts =
      Ctx.Clock.costs(*F.Code, Machine.Code ? &*Machine.Code : nullptr);
  if (!Machine.Code) {
    F.CodeCosts->WhyRules = Machine.Why;
    F.CodeCosts->RulesCause = Machine.Cause;
  }
  Machine.Code.reset();
  return *F.CodeCosts;
}

gpu::KernelAttributes gevo::driver::attributesOf(Function &F, bool Assemble) {
  gpu::KernelAttributes A = F.Code->attributes();
  Context &Ctx = *F.Owner->Ctx;
  {
    std::lock_guard<std::mutex> Guard(Ctx.Lock);
    if (!needsAssembler(Ctx.Settings.Costs))
      return A;
    Assemble |= Ctx.Settings.Timing;
  }
  std::lock_guard<std::mutex> Guard(F.MachineLock);
  if (Assemble || F.Machine)
    if (uint32_t Registers = machineCodeOf(F).Registers) {
      A.RegistersPerThread = Registers;
      A.RegistersEstimated = false;
    }
  return A;
}

void gevo::driver::wroteThroughCache(uint64_t Address, uint64_t Bytes) {
  std::optional<MemoryRange> Range = Driver::get().findMemory(Address);
  if (!Range || !Range->Ctx || Range->Kind == gpu::MemoryKind::Host ||
      Range->Kind == gpu::MemoryKind::HostRegistered)
    return;
  Context &Owner = *Range->Ctx;
  {
    std::lock_guard<std::mutex> Guard(Owner.Lock);
    if (!Owner.Settings.Timing)
      return;
  }
  std::lock_guard<std::mutex> Guard(Owner.ClockLock);
  Owner.Clock.copied(*Owner.Engine, Address, Bytes);
}
