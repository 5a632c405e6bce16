//===- Occupancy.cpp - How many blocks an SM holds ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Occupancy.h"

#include <algorithm>

using namespace gevo::gpu;

namespace {

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
