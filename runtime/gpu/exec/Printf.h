//===- Printf.h - printf of device code -------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// printf as device code calls it. Every address comes from the program, so
// every access is checked.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_PRINTF_H
#define GEVO_RUNTIME_GPU_EXEC_PRINTF_H

#include "runtime/gpu/exec/Warp.h"

#include <string>

namespace gevo::gpu {

/// Formats and prints; returns the number of conversions, or -1.
int32_t devicePrintf(Warp &W, unsigned Lane, uint64_t Format, uint64_t Args);
/// The string at a generic address, at most 4 KiB of it.
std::string readString(Warp &W, unsigned Lane, uint64_t Address);
/// Copies from a generic address; false if it is not all accessible.
bool readGeneric(Warp &W, unsigned Lane, uint64_t Address, void *To,
                 uint64_t Bytes);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_PRINTF_H
