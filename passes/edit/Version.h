//===- Version.h - Who wrote a file --------------------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The version comes from the build; it is written into files, and nothing
// reads it back: formats have versions of their own.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_EDIT_VERSION_H
#define GEVO_PASSES_EDIT_VERSION_H

namespace gevo {

/// "gevo 0.1.0".
inline const char *producer() { return "gevo " GEVO_VERSION; }

} // namespace gevo

#endif // GEVO_PASSES_EDIT_VERSION_H
