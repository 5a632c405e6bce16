//===- CommandLine.h - What the command line asks for -----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the words after gevo-search, and the scenario or the earlier search that
// they name, to what the pipeline does.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_COMMANDLINE_H
#define GEVO_TOOLS_GEVO_SEARCH_COMMANDLINE_H

#include "tools/gevo-search/Pipeline.h"

namespace gevo {

/// Reads the options; the words after -- are the program, which it returns.
/// Ends the process if there is an option that it does not know, or --help.
std::vector<std::string> parseCommandLine(int Count, char **Arguments);

/// What the options that were read ask for, with \p Program. Builds it if the
/// scenario says so.
llvm::Expected<PipelineOptions>
pipelineOptions(std::vector<std::string> Program);

/// What they say about what is shown.
View chosenView();

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_COMMANDLINE_H
