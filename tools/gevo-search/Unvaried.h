//===- Unvaried.h - What made inputs have as the run has it -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Edits that hold for that alone would not be noticed, so the user is told.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_UNVARIED_H
#define GEVO_TOOLS_GEVO_SEARCH_UNVARIED_H

#include "tools/gevo-search/Capturing.h"
#include "tools/gevo-search/View.h"
#include <set>

namespace gevo {

/// Of each, what no input has otherwise than the run.
struct Unvaried {
  /// Kernels, as people call them, whose buffers always have the same size.
  std::vector<std::string> Sizes;
  /// Kernels that ask how many threads a block has, which never are more.
  std::vector<std::string> Blocks;
  /// "smooth: arg0, arg2": of what is read, what always has the same values.
  std::vector<std::string> Values;
  /// "smooth: arg0 and arg1 are never the same", "copy: those in arg0 are as
  /// they were".
  std::vector<std::string> Pointers;
};

/// What \p Made, inputs made from \p From, has of that. Values are told of
/// kernels that \p Edited names, or of all if an edited function is no kernel,
/// and so are pointers; of these nothing if \p Pairs is null.
Unvaried findUnvaried(const LaunchScenario &From, const LaunchScenario &Made,
                      const PairsOfKernel &Pairs,
                      const std::set<std::string> &Edited);

void tellUnvaried(const Unvaried &Not, View &V);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_UNVARIED_H
