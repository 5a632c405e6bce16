//===- Modules.h - Which recorded modules a GPU runs ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may carry its device code for several architectures.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_MODULES_H
#define GEVO_TOOLS_GEVO_SEARCH_MODULES_H

#include "passes/ir/Record.h"

namespace gevo {

/// Those of \p All for the newest architecture that \p Gpu can run, as the
/// driver would choose.
llvm::Expected<std::vector<RecordedModule>>
chooseModules(std::vector<RecordedModule> All, const std::string &Gpu);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_MODULES_H
