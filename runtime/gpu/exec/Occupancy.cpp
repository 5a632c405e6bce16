//===- Occupancy.cpp - How many blocks an SM holds ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Occupancy.h"
#include "runtime/gpu/ptx/Module.h"

#include <algorithm>

using namespace gevo::gpu;

namespace {

/// The encoding of an instruction has no more.
constexpr uint64_t MostRegisters = 255;

uint64_t roundUp(uint64_t Value, uint64_t Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}

} // namespace

Occupancy gevo::gpu::occupancyOf(const DeviceConfig &C,
                                 const BlockNeeds &Needs) {
  uint64_t Warps = std::max<uint64_t>(1, (Needs.Threads + 31) / 32);
  // A warp gets its registers in units, from its scheduler's part of the file.
  uint64_t WarpRegisters = roundUp(
      std::max<uint64_t>(1, Needs.RegistersPerThread) * 32, C.RegisterUnit);
  uint64_t WarpsByRegisters =
      C.RegistersPerSM / C.Schedulers / WarpRegisters * C.Schedulers;
  uint64_t Shared =
      roundUp(Needs.SharedBytes + C.SharedReservedPerBlock, C.SharedUnit);
  struct {
    uint64_t Blocks;
    const char *Name;
  } Limits[] = {
      {C.MaxThreadsPerSM / 32 / Warps, "warps"},
      {C.MaxBlocksPerSM, "blocks"},
      {WarpsByRegisters / Warps, "registers"},
      {Shared ? C.SharedBytesPerSM / Shared : C.MaxBlocksPerSM, "shared"}};
  uint64_t Least = UINT64_MAX;
  Occupancy O;
  for (const auto &L : Limits)
    if (L.Blocks < Least) {
      Least = L.Blocks;
      O.Limit = L.Name;
    }
  O.BlocksPerSM = uint32_t(Least);
  O.WarpsPerSM = uint32_t(Least * Warps);
  return O;
}

uint32_t gevo::gpu::mostRegisters(const DeviceConfig &C, uint64_t Threads,
                                  uint64_t Blocks) {
  uint64_t Warps = std::max<uint64_t>(1, (Threads + 31) / 32 * Blocks);
  // The fullest scheduler decides.
  uint64_t OfScheduler = (Warps + C.Schedulers - 1) / C.Schedulers;
  uint64_t Units =
      C.RegistersPerSM / C.Schedulers / OfScheduler / C.RegisterUnit;
  return uint32_t(std::min(Units * C.RegisterUnit / 32, MostRegisters));
}

uint32_t gevo::gpu::registerLimit(const DeviceConfig &C,
                                  const ptx::Function &F) {
  if (F.MaxRegisters)
    return uint32_t(std::min<uint64_t>(F.MaxRegisters, MostRegisters));
  const uint32_t *Size = F.ReqNtid[0] ? F.ReqNtid : F.MaxNtid;
  uint64_t Warps = (uint64_t(Size[0]) * Size[1] * Size[2] + 31) / 32;
  uint64_t Most = C.MaxThreadsPerSM / 32;
  // As the assembler, leave out what no SM can hold.
  if (!Warps || Warps > Most)
    return MostRegisters;
  uint64_t Blocks = std::max(1u, F.MinBlocksPerSM);
  // It takes warps four by four, also where there are two schedulers.
  DeviceConfig Assumed = C;
  Assumed.Schedulers = 4;
  return mostRegisters(Assumed, Warps * 32, Warps * Blocks > Most ? 1 : Blocks);
}

std::string gevo::gpu::registerShortage(const DeviceConfig &C, uint64_t Threads,
                                        uint32_t Registers) {
  uint32_t Most = mostRegisters(C, Threads);
  if (Registers <= Most)
    return {};
  return "a thread has " + std::to_string(Registers) +
         " registers, but in a block of " + std::to_string(Threads) +
         " threads it can have at most " + std::to_string(Most) +
         ", as an SM has " + std::to_string(C.RegistersPerSM);
}
