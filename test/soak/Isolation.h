//===- Isolation.h - Work in a process of its own ------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A crash, a fatal error of LLVM, an endless loop or a flood of memory ends the
// child and not the soak.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_SOAK_ISOLATION_H
#define GEVO_TEST_SOAK_ISOLATION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <string>

namespace gevo {

struct IsolationLimits {
  uint64_t MemoryBytes = uint64_t(4) << 30;
};

/// Runs \p Work in a forked child. Empty if it came to its end, or else how the
/// child ended and the last it wrote to standard error.
std::string runIsolated(llvm::function_ref<void()> Work,
                        const IsolationLimits &Limits);

/// Inside the child: ends it unless this is called again within so many seconds
/// of processor time.
void restartClock(unsigned Seconds);

/// Zeroed memory that children write and the parent reads. Lives until exit.
void *sharedMemory(size_t Bytes);

} // namespace gevo

#endif // GEVO_TEST_SOAK_ISOLATION_H
