//===- MachineCode.h - What ptxas makes of a variant ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers and code size, as objectives.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_MACHINECODE_H
#define GEVO_TOOLS_GEVO_SEARCH_MACHINECODE_H

#include "search/Objective.h"

namespace gevo {

/// An error if ptxas is not to be found, or \p Gpu is none.
llvm::Error checkAssembler(const std::string &Gpu);

/// The cost of code on \p Gpu by \p Kind, which is Registers or CodeSize.
CodeCost machineCodeCost(ObjectiveKind Kind, const std::string &Gpu);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_MACHINECODE_H
