//===- SameCode.h - Texts that are one module -------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of one program may have static kernels of the same name, so a name
// does not tell which module a kernel is of. The text of the module does: what
// a program carries and what is made of the same source again differ in
// comments and debug information only.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_SAMECODE_H
#define GEVO_RUNTIME_GPU_PTX_SAMECODE_H

#include <string_view>

namespace gevo::gpu::ptx {

/// Whether the lines of two texts are the same, but for white space at their
/// ends, comments and debug information.
bool isSameCode(std::string_view A, std::string_view B);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_SAMECODE_H
