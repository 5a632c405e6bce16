//===- Occupancy.h - How many blocks an SM holds ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Execution asks which blocks may wait for each other, the driver what a
// program may launch, and the clock what runs at once. All of them ask here.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_OCCUPANCY_H
#define GEVO_RUNTIME_GPU_EXEC_OCCUPANCY_H

#include "runtime/gpu/exec/Device.h"

#include <cstdint>
#include <string>

namespace gevo::gpu {

/// What one block wants of an SM.
struct BlockNeeds {
  uint64_t Threads = 1;
  uint64_t SharedBytes = 0; ///< Static and dynamic.
  uint64_t RegistersPerThread = 1;
};

/// How full an SM is.
struct Occupancy {
  uint32_t BlocksPerSM = 0;
  uint32_t WarpsPerSM = 0;
  const char *Limit = ""; ///< What binds: "warps", "blocks", ...
};

/// What an SM of \p C holds of such blocks; none if one asks for too much.
Occupancy occupancyOf(const DeviceConfig &C, const BlockNeeds &Needs);

/// The most registers a thread may have if \p Blocks blocks of \p Threads
/// threads are to be on an SM of \p C at once.
uint32_t mostRegisters(const DeviceConfig &C, uint64_t Threads,
                       uint64_t Blocks = 1);

/// The most registers the assembler gives a thread of the kernel \p F: what it
/// says of its blocks (.maxntid, .reqntid, .minnctapersm) must be possible,
/// unless .maxnreg says otherwise.
uint32_t registerLimit(const DeviceConfig &C, const ptx::Function &F);

/// Why no block of \p Threads threads with \p Registers registers each starts
/// on \p C; empty if one does.
std::string registerShortage(const DeviceConfig &C, uint64_t Threads,
                             uint32_t Registers);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_OCCUPANCY_H
