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

/// Those of \p All for the newest architecture that all \p Gpus can run, as the
/// driver would choose. That one of them would choose a newer one is an error:
/// what was found would be of no use there.
llvm::Expected<std::vector<RecordedModule>>
chooseModules(std::vector<RecordedModule> All,
              llvm::ArrayRef<std::string> Gpus);

/// What to type to build \p Program, which \p Records are of, with the edit set
/// \p Edits: as it was built, if that is known. Lines, indented.
std::string buildCommands(llvm::ArrayRef<RecordedModule> Records,
                          llvm::StringRef Edits, llvm::StringRef Program);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_MODULES_H
