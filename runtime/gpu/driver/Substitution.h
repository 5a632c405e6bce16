//===- Substitution.h - Other PTX for a program's kernels -------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of the files in GEVO_SUBSTITUTE take the place of those with the same
// name in every module that a program loads, be it through the runtime, as a
// library or as a module. They share the module's variables. A file that was
// made from one of the modules is for that one alone: static kernels of others
// may have the same names.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_SUBSTITUTION_H
#define GEVO_RUNTIME_GPU_DRIVER_SUBSTITUTION_H

#include "runtime/gpu/driver/Driver.h"

namespace gevo::driver {

/// Can the files be read, and are they PTX? Otherwise \p Log says which is not,
/// and so does the report of the run.
CUresult checkSubstitutes(std::string &Log);

/// As loadModule, with the kernels of the files.
CUresult loadProgramsModule(const std::shared_ptr<Context> &Ctx,
                            const std::vector<std::string> &Texts,
                            gpu::VariableBindings Bindings, CUmodule &Handle,
                            std::string &Log);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_SUBSTITUTION_H
