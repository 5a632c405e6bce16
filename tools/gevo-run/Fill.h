//===- Fill.h - What a buffer holds at the start ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_FILL_H
#define GEVO_TOOLS_GEVO_RUN_FILL_H

#include "tools/gevo-run/LaunchFile.h"

#include <initializer_list>

namespace gevo::run {

/// Fills \p B as \p J says. Relative file names start at \p Folder. On failure
/// \p Error says what is wrong with which part of \p Path.
bool fillBuffer(const nlohmann::ordered_json &J, const std::string &Folder,
                const std::string &Path, BufferSpec &B, std::string &Error);

/// Checks that \p J is an object with no keys but those of \p Known.
bool checkKeys(const nlohmann::ordered_json &J, const std::string &Path,
               std::initializer_list<const char *> Known, std::string &Error);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_FILL_H
