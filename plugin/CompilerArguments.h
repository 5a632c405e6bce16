//===- CompilerArguments.h - What the running compiler was told -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module does not say how multiplications and additions are fused later
// on; clang's own command line does.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PLUGIN_COMPILERARGUMENTS_H
#define GEVO_PLUGIN_COMPILERARGUMENTS_H

namespace gevo {

/// Whether this clang lowers with -ffp-contract=fast, its default for CUDA.
bool compilerFuses();

} // namespace gevo

#endif // GEVO_PLUGIN_COMPILERARGUMENTS_H
