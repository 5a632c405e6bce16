//===- CommandLine.h - How gevo-run refuses a command line ------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_COMMANDLINE_H
#define GEVO_TOOLS_GEVO_RUN_COMMANDLINE_H

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gevo::run {

/// Prints \p Message and ends the tool with status 1.
[[noreturn]] void fail(const std::string &Message);

/// The value \p Text of \p Option, which counts something, from \p Least on;
/// fails if it does not.
uint64_t number(const std::string &Option, const std::string &Text,
                uint64_t Least = 0);

/// The PTX of the file \p Name, whose kernels are to be substituted; fails if
/// it cannot be read or is no PTX.
std::string substitutePtx(const std::string &Name);

/// Ends the tool, as an --original belongs to no --substitute.
[[noreturn]] void failNoSubstitute();

/// Fails because there is no \p Option; names the nearest of \p Known.
[[noreturn]] void failUnknown(const std::string &Option,
                              const std::vector<std::string> &Known);

/// Writes \p Report to \p File, complete or not at all; "-" is standard output.
/// What is not UTF-8 in it, as names of files may be, is replaced. Returns
/// false and sets \p Error if it cannot.
bool writeReport(const std::string &File, const nlohmann::ordered_json &Report,
                 std::string &Error);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_COMMANDLINE_H
