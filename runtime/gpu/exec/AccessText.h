//===- AccessText.h - What reports say of a memory access -------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "shared write of 4 bytes at 0x80" and " is 4 bytes past the end of variable
// 's' of 128 bytes".
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_ACCESSTEXT_H
#define GEVO_RUNTIME_GPU_EXEC_ACCESSTEXT_H

#include "runtime/gpu/exec/SlowAccess.h"

#include <string>
#include <vector>

namespace gevo::gpu {

struct NamedRange;
struct Neighbour;

std::string hexText(uint64_t V);
/// "read", "write" or "atomic access".
const char *verb(AccessKind K);
std::string describe(const char *Space, AccessKind K, uint32_t Bytes,
                     uint64_t Address);

/// " is 4 bytes past the end of variable 's' of 128 bytes".
std::string beside(int64_t Distance, bool Inside, const std::string &What,
                   uint64_t Bytes);
/// The same of the nearest of some variables; empty if there is none.
std::string besideNearest(const std::vector<NamedRange> &All, uint64_t Base,
                          uint64_t Offset);
/// The same of what is near an address of constant memory.
std::string besideConstant(const Neighbour &N, uint64_t Address);

/// The local variables of all frames of the current path.
std::vector<NamedRange> variablesOf(const Warp &W);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_ACCESSTEXT_H
