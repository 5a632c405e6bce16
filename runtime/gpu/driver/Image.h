//===- Image.h - What a program loads as a module ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs hand the driver device code in several wrappings. This is where they
// all become PTX text.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_IMAGE_H
#define GEVO_RUNTIME_GPU_DRIVER_IMAGE_H

#include "runtime/gpu/driver/cuda_abi.h"

#include <string>
#include <string_view>
#include <vector>

namespace gevo::driver {

/// Takes PTX for a device of compute capability \p Arch out of the image at
/// \p Data: PTX text, a fatbin, or the wrapper of a fatbin. Images carry their
/// own size. On success \p Texts holds one text or, for what cuLinkComplete
/// made, all that are linked; otherwise \p Error says what is wrong.
cuda::CUresult readImage(const void *Data, unsigned Arch,
                         std::vector<std::string> &Texts, std::string &Error);

/// The same for the contents of a file.
cuda::CUresult readImageFile(const std::string &Name, unsigned Arch,
                             std::vector<std::string> &Texts,
                             std::string &Error);

/// An image that readImage takes apart into \p Texts again.
std::string makeLinkedImage(const std::vector<std::string> &Texts);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_IMAGE_H
