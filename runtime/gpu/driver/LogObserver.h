//===- LogObserver.h - Launches into the launch log -------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_LOGOBSERVER_H
#define GEVO_RUNTIME_GPU_DRIVER_LOGOBSERVER_H

#include "runtime/gpu/driver/LaunchLog.h"
#include "runtime/gpu/driver/LaunchObserver.h"

namespace gevo::driver {

/// The log of this process, in the folder that GEVO_LAUNCH_LOG names; null
/// without it.
LaunchLog *launchLog();

/// The observer that writes launches into the log, or null. With
/// GEVO_PROFILE=on it writes what lines cost, too.
std::unique_ptr<LaunchObserver> makeLogObserver();

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_LOGOBSERVER_H
