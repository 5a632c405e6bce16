//===- Overview.h - What a search found before it began ---------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels and their times, and what is compared: what a user reads first.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_OVERVIEW_H
#define GEVO_TOOLS_GEVO_SEARCH_OVERVIEW_H

#include "runtime/gpu/capture/Case.h"
#include "search/WholeRunner.h"
#include "search/ir/IrProgram.h"
#include "tools/gevo-search/View.h"

namespace gevo {

/// Tells the kernels that \p Case launched, and what is compared after it and
/// what is not.
void tellProgram(const Settings &Asked, const IrProgram &Device,
                 const WholeCase &Case, View &V);

/// "smooth: arg1 f32, rel:0.1; sum: arg1 f32", as the stores of the original
/// tell.
std::string outputsOf(const capture::Capture &Captured,
                      const measure::OutputRules &Rules);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_OVERVIEW_H
