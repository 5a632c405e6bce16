//===- DeviceProperties.cpp - What a device says of itself ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/DeviceProperties.h"
#include "runtime/gpu/exec/Occupancy.h"
#include "runtime/gpu/timing/TimedLaunch.h"

#include <algorithm>
#include <strings.h>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// A row of GpuModels.def.
struct ModelRow {
  const char *Name;
  int MemoryMHz, BusBits, HasECC;
};

const ModelRow Models[] = {
#define GPU_MODEL(Name, ...) {#Name, __VA_ARGS__},
#include "runtime/gpu/driver/GpuModels.def"
};

} // namespace

double DeviceProperties::memoryBytesPerMicrosecond() const {
  return double(Profile.DramMBs) * double(Profile.DramPercent) / 100.0;
}

std::optional<DeviceProperties> gevo::driver::gpuModel(const std::string &Name,
                                                       std::string &Error) {
  using namespace gpu::timing;
  gpu::Result<Profile> Found = findProfile(Name, profileFolders());
  if (!Found) {
    Error = Found.error().str();
    return std::nullopt;
  }
  DeviceProperties P;
  P.Profile = *Found;
  P.Model = Found->Name;
  P.FullName = Found->FullName;
  P.Config = deviceConfig(*Found);
  P.SharedBytesPerBlock =
      std::min(P.SharedBytesPerBlock, int(Found->SharedPerBlock));
  P.ReservedSharedBytesPerBlock = int(Found->SharedReserved);
  P.L2Bytes = int(Found->L2Bytes);
  P.SingleToDoubleRatio =
      int(Found->pipe(Unit::Fp64).Interval / Found->pipe(Unit::Fp32).Interval);
  // Two transfers a clock over 256 bits.
  P.MemoryBusBits = 256;
  P.MemoryClockKHz = int(Found->DramMBs * 1000 / (2 * 256 / 8));
  for (const ModelRow &Row : Models) {
    if (strcasecmp(Row.Name, P.Model.c_str()))
      continue;
    P.MemoryClockKHz = Row.MemoryMHz * 1000;
    P.MemoryBusBits = Row.BusBits;
    P.HasECC = Row.HasECC;
  }
  return P;
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
  size_t Shared = Kernel.StaticSharedBytes + DynamicShared;
  if (Shared > P.Config.MaxSharedBytesPerBlock)
    return 0;
  uint32_t Registers = Kernel.RegistersPerThread;
  // An estimate may be too high, and what runs on a GPU must run here.
  if (Kernel.RegistersEstimated)
    Registers = std::min(Registers, gpu::mostRegisters(P.Config, Threads));
  return gpu::occupancyOf(P.Config, {Threads, Shared, Registers}).BlocksPerSM;
}
