//===- KeptRuns.h - Outputs of runs, kept in a folder -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference of gevo-run --compare: one file for each run that --keep kept,
//
//   {"format": "gevo-run-outputs", "version": 1, ...}\n   one line of JSON
//   the outputs, one after the other, as they were
//
// The line has the sizes of the outputs and a hash of what follows it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_KEPTRUNS_H
#define GEVO_TOOLS_GEVO_RUN_KEPTRUNS_H

#include "runtime/measure/RunOutputs.h"

namespace gevo::run {

/// Adds \p Run to \p Folder, which is made if need be: all of it or, with the
/// reason in \p Error, nothing.
bool keepRun(const std::string &Folder, const measure::RunRecord &Run,
             std::string &Error);

/// All runs in \p Folder, which have the same outputs; empty, with the reason
/// in \p Error, if there are none or one is damaged.
std::vector<measure::RunRecord> readKeptRuns(const std::string &Folder,
                                             std::string &Error);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_KEPTRUNS_H
