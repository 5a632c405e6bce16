//===- DeviceProperties.cpp - What a device says of itself ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/DeviceProperties.h"

#include <algorithm>
#include <strings.h>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// A row of GpuModels.def.
struct ModelRow {
  const char *Name, *FullName;
  unsigned Arch, SMs, GlobalGiB, ThreadsPerSM, BlocksPerSM, SharedKiBPerSM,
      SharedKiBPerBlock, ClockMHz, MemoryMHz, BusBits, L2KiB, DoubleRatio, ECC;
};

const ModelRow Models[] = {
#define GPU_MODEL(Name, ...) {#Name, __VA_ARGS__},
#include "runtime/gpu/driver/GpuModels.def"
};

size_t roundUp(size_t Value, size_t Unit) {
  return (Value + Unit - 1) / Unit * Unit;
}

} // namespace

double DeviceProperties::memoryBytesPerMicrosecond() const {
  // Two transfers a clock; kHz / 1000 is transfers per microsecond.
  return 2.0 * MemoryClockKHz / 1000.0 * MemoryBusBits / 8.0;
}

std::optional<DeviceProperties>
gevo::driver::gpuModel(const std::string &Name) {
  for (const ModelRow &Row : Models) {
    if (strcasecmp(Row.Name, Name.c_str()))
      continue;
    DeviceProperties P;
    P.Model = Row.Name;
    P.FullName = Row.FullName;
    P.Config.SmArch = Row.Arch;
    P.Config.NumSMs = Row.SMs;
    P.Config.GlobalBytes = uint64_t(Row.GlobalGiB) << 30;
    P.Config.MaxThreadsPerSM = Row.ThreadsPerSM;
    P.Config.MaxBlocksPerSM = Row.BlocksPerSM;
    P.Config.SharedBytesPerSM = Row.SharedKiBPerSM * 1024;
    P.Config.MaxSharedBytesPerBlock = Row.SharedKiBPerBlock * 1024;
    P.Config.ClockKHz = Row.ClockMHz * 1000;
    P.ReservedSharedBytesPerBlock = Row.Arch >= 80 ? 1024 : 0;
    P.MemoryClockKHz = int(Row.MemoryMHz * 1000);
    P.MemoryBusBits = int(Row.BusBits);
    P.L2Bytes = int(Row.L2KiB * 1024);
    P.SingleToDoubleRatio = int(Row.DoubleRatio);
    P.HasECC = int(Row.ECC);
    return P;
  }
  return std::nullopt;
}

std::string gevo::driver::gpuModelNames() {
  std::string Names;
  for (const ModelRow &Row : Models)
    Names += (Names.empty() ? "" : ", ") + std::string(Row.Name);
  return Names;
}

std::optional<int>
gevo::driver::deviceAttribute(const DeviceProperties &P,
                              cuda::CUdevice_attribute Attribute) {
  switch (Attribute) {
#define CU_ATTRIBUTE(Name, Number, Value)                                      \
  case cuda::CU_DEVICE_ATTRIBUTE_##Name:                                       \
    return int(Value);
#include "runtime/gpu/driver/DeviceAttributes.def"
  }
  return std::nullopt;
}

unsigned gevo::driver::residentBlocks(const DeviceProperties &P,
                                      const gpu::KernelAttributes &Kernel,
                                      unsigned Threads, size_t DynamicShared) {
  if (Threads == 0 || Threads > Kernel.MaxThreadsPerBlock ||
      Threads > P.Config.MaxThreadsPerBlock)
    return 0;
  size_t Warps = (Threads + 31) / 32;
  size_t Blocks = std::min<size_t>(P.Config.MaxBlocksPerSM,
                                   P.Config.MaxThreadsPerSM / 32 / Warps);
  // Registers are given to a warp in units of 256 and come from one of four
  // equal parts of the register file.
  size_t WarpRegisters =
      roundUp(size_t(std::max(Kernel.RegistersPerThread, 1u)) * 32, 256);
  size_t RegisterWarps = P.Config.RegistersPerSM / 4 / WarpRegisters * 4;
  Blocks = std::min(Blocks, RegisterWarps / Warps);
  size_t Unit = P.Config.SmArch >= 80 ? 128 : 256;
  size_t Shared = roundUp(Kernel.StaticSharedBytes + DynamicShared +
                              size_t(P.ReservedSharedBytesPerBlock),
                          Unit);
  if (Kernel.StaticSharedBytes + DynamicShared >
      P.Config.MaxSharedBytesPerBlock)
    return 0;
  if (Shared)
    Blocks = std::min(Blocks, P.Config.SharedBytesPerSM / Shared);
  return unsigned(Blocks);
}
