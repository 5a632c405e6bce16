//===- Substitution.h - Other PTX in place of a module's --------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GEVO_SUBSTITUTE names PTX files, separated by colons. A module that has a
// kernel of the name of one in such a file takes it from there.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_SUBSTITUTION_H
#define GEVO_RUNTIME_CUDART_SUBSTITUTION_H

#include "runtime/cudart/Registry.h"

namespace gevo::cudart {

/// Loads what stands in for kernels of \p M. A file that cannot be read or
/// loaded, or that would tear a module's variables in two, is an error.
cudaError_t loadSubstitutes(const DriverTable &D, Module &M);

/// Loads \p Image, or says why it cannot be. \p What names it in messages.
cudaError_t loadLibrary(const DriverTable &D, const void *Image,
                        const std::string &What, CUlibrary &Library);

} // namespace gevo::cudart

#endif // GEVO_RUNTIME_CUDART_SUBSTITUTION_H
