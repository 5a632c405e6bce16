//===- LaunchFile.h - What launch.json says ---------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader of the file that describes buffers and launches, down to the bytes
// of every buffer. docs/gevo-run.md is the reference of its format.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_LAUNCHFILE_H
#define GEVO_TOOLS_GEVO_RUN_LAUNCHFILE_H

#include "runtime/gpu/exec/Finding.h"
#include "tools/gevo-run/Values.h"

#include <optional>
#include <string>
#include <vector>

namespace gevo::run {

/// A buffer and what it holds at the start.
struct BufferSpec {
  std::string Name;
  const ElementType *Type = nullptr;
  uint64_t Count = 0;
  std::vector<char> Contents;
};

/// One argument of a launch.
struct ArgumentSpec {
  std::string Text;        ///< As written, for messages.
  std::string Buffer;      ///< Name of a buffer, or empty.
  uint64_t Offset = 0;     ///< Into the buffer, in bytes.
  std::vector<char> Bytes; ///< Of a value.
};

struct LaunchSpec {
  std::string Kernel;
  gpu::Dim3 Grid, Block;
  uint32_t SharedBytes = 0;
  bool Cooperative = false;
  std::vector<ArgumentSpec> Arguments;
};

struct LaunchFile {
  std::vector<BufferSpec> Buffers;
  std::vector<LaunchSpec> Launches;
  std::vector<std::string> Dumps;

  const BufferSpec *findBuffer(const std::string &Name) const;
};

/// Reads the file \p Name. On failure returns nothing and says in \p Error
/// what is wrong and where, the file's name included.
std::optional<LaunchFile> readLaunchFile(const std::string &Name,
                                         std::string &Error);

/// The contents of the file \p Name, or nothing and \p Error.
std::optional<std::string> readFile(const std::string &Name,
                                    std::string &Error);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_LAUNCHFILE_H
