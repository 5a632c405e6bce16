//===- MemoryLimit.h - How much memory there is to take ---------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine has more memory than a batch job or a container may take: what goes
// beyond is killed by the kernel, with whoever is there. So the limits of
// control groups count as well.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_MEMORYLIMIT_H
#define GEVO_SEARCH_MEMORYLIMIT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace gevo {

struct MemoryLimit {
  uint64_t Bytes = 0;
  /// Who sets it, for people: "the machine", "the control group /job".
  std::string Who;
};

/// The least that the control groups of this process and those above them
/// allow, of version 1 and 2, below the folder \p Root; at most \p Physical
/// bytes, those of the machine.
MemoryLimit memoryForAll(uint64_t Physical, llvm::StringRef Root = "");

/// The share of one of \p Count processes that work at once: four fifths of
/// memoryForAll() together, and no more than one process may have by itself
/// (RLIMIT_AS).
MemoryLimit memoryForEach(unsigned Count);

} // namespace gevo

#endif // GEVO_SEARCH_MEMORYLIMIT_H
