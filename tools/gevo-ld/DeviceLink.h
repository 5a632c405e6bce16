//===- DeviceLink.h - Links relocatable device code -------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_LD_DEVICELINK_H
#define GEVO_TOOLS_GEVO_LD_DEVICELINK_H

#include "tools/gevo-ld/ObjectFile.h"

namespace gevo::ld {

/// The container with the linked PTX of all \p Objects, one for each
/// architecture that all of them have. Empty on failure; \p Error says why.
std::string linkDevice(const std::vector<DeviceObject> &Objects,
                       std::string &Error);

/// The source, in C, of the object that registers the container in the file
/// \p Fatbin for \p Objects when the program starts.
std::string registration(const std::vector<DeviceObject> &Objects,
                         const std::string &Fatbin);

} // namespace gevo::ld

#endif // GEVO_TOOLS_GEVO_LD_DEVICELINK_H
