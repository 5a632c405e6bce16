//===- DeviceProperties.h - What a device says of itself --------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts about a GPU model that programs can ask the driver API for, and
// what follows from them alone: attributes and occupancy.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_DEVICEPROPERTIES_H
#define GEVO_RUNTIME_GPU_DRIVER_DEVICEPROPERTIES_H

#include "runtime/gpu/driver/cuda_abi.h"
#include "runtime/gpu/exec/Device.h"
#include "runtime/gpu/timing/Profile.h"

#include <optional>
#include <string>

namespace gevo::driver {

/// A GPU model as the driver API shows it.
struct DeviceProperties {
  gpu::timing::Profile Profile; ///< What its clock goes by.
  std::string Model;            ///< The name that GEVO_GPU takes: "V100".
  std::string FullName;         ///< What cuDeviceGetName says.
  gpu::DeviceConfig Config;
  int SharedBytesPerBlock = 48 * 1024; ///< Without opt-in.
  int ReservedSharedBytesPerBlock = 0; ///< Taken by the system, from sm_80 on.
  int MemoryClockKHz = 0;
  int MemoryBusBits = 0;
  int L2Bytes = 0;
  int SingleToDoubleRatio = 2;
  int HasECC = 0;
  int PCIBus = 1;

  /// Bytes per microsecond that the memory moves in practice.
  double memoryBytesPerMicrosecond() const;
};

/// The GPU of the profile \p Name, a name in any case of letters or a file. On
/// failure returns nothing and says in \p Error what is wrong with it, or which
/// names there are.
std::optional<DeviceProperties> gpuModel(const std::string &Name,
                                         std::string &Error);

/// The value of \p Attribute, or nothing if there is no such attribute.
std::optional<int> deviceAttribute(const DeviceProperties &P,
                                   cuda::CUdevice_attribute Attribute);

/// How many blocks of \p Threads threads of a kernel with \p Kernel's needs
/// and \p DynamicShared bytes more are resident on one multiprocessor. Where
/// its registers are an estimate, these do not make it none.
unsigned residentBlocks(const DeviceProperties &P,
                        const gpu::KernelAttributes &Kernel, unsigned Threads,
                        size_t DynamicShared);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_DEVICEPROPERTIES_H
