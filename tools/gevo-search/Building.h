//===- Building.h - The build of a scenario ---------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is run before there is a program to search.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_BUILDING_H
#define GEVO_TOOLS_GEVO_SEARCH_BUILDING_H

#include "llvm/Support/Error.h"
#include <string>

namespace gevo {

/// Runs the command \p Text, which may name one of our own tools, and waits for
/// its end. If it was stopped, this process exits as a shell would.
llvm::Error build(const std::string &Text);

/// Stops the build, with all that it started. False if none is under way; for a
/// signal handler.
bool stopBuild(int Signal);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_BUILDING_H
