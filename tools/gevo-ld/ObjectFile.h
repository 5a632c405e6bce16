//===- ObjectFile.h - Relocatable device code in objects --------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What clang -fgpu-rdc leaves in an object: the device code of its source, not
// yet linked, and the identifier by which the host's start-up code registers
// it. Objects come alone or in archives. Any bytes are safe to read.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_LD_OBJECTFILE_H
#define GEVO_TOOLS_GEVO_LD_OBJECTFILE_H

#include <string>
#include <string_view>
#include <vector>

namespace gevo::ld {

/// One object with relocatable device code.
struct DeviceObject {
  std::string Name;                 ///< "a.o", or "lib.a(a.o)".
  std::vector<std::string> Modules; ///< Identifiers, as "__nv_f8f599332d".
  std::vector<std::string> Fatbins; ///< Containers.
};

/// The objects with relocatable device code in the file \p Path, whose bytes
/// are \p Bytes. Nothing if it is neither object nor archive.
std::vector<DeviceObject> readObjects(const std::string &Path,
                                      std::string_view Bytes);

} // namespace gevo::ld

#endif // GEVO_TOOLS_GEVO_LD_OBJECTFILE_H
