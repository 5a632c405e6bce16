//===- ReplayMain.h - gevo-run --replay -------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_REPLAYMAIN_H
#define GEVO_TOOLS_GEVO_RUN_REPLAYMAIN_H

namespace gevo::run {

/// Does the command line ask for a replay?
bool asksForReplay(int Argc, char **Argv);

/// gevo-run --replay=FOLDER: returns the exit status.
int replayMain(int Argc, char **Argv);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_REPLAYMAIN_H
