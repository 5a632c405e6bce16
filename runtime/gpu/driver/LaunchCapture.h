//===- LaunchCapture.h - Keeps launches of a program ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GEVO_CAPTURE=FOLDER asks for it; GEVO_CAPTURE_KERNELS is a regular expression
// for names of kernels, GEVO_CAPTURE_LAUNCHES the number of launches to keep of
// each. gevo-run --capture sets them.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_LAUNCHCAPTURE_H
#define GEVO_RUNTIME_GPU_DRIVER_LAUNCHCAPTURE_H

#include "runtime/gpu/driver/LaunchObserver.h"

#include <memory>

namespace gevo::driver {

/// The observer that the environment asks for, or null. On a value that makes
/// no sense, null and a reason.
std::unique_ptr<LaunchObserver> makeCaptureObserver(std::string &Error);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_LAUNCHCAPTURE_H
