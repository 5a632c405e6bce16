//===- Process.h - Running the programs of CUDA -----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are started from argument vectors, never through a shell, from
// within any program that uses the driver: whatever that does with signals and
// children, and whatever the started one does, the caller gets an answer.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_PROCESS_H
#define GEVO_RUNTIME_GPU_TIMING_PROCESS_H

#include "runtime/gpu/ptx/Result.h"

#include <chrono>
#include <string>
#include <vector>

namespace gevo::gpu::timing {

/// How long a program may take: GEVO_TOOL_SECONDS, or 120.
std::chrono::milliseconds processDeadline();

/// Runs \p Arguments (a path first) without a shell and returns its standard
/// output, on demand with its standard error behind it. Fails if it cannot run,
/// ends with another status than 0 (the message has the first error that it
/// told), or has not ended after \p Deadline, when it is killed. The cause is
/// the input if it said no by its status, the tool if it crashed or was late,
/// and the machine if somebody killed it, it had no memory left or it could not
/// be started.
Result<std::string>
runProcess(const std::vector<std::string> &Arguments, bool WithErrors = false,
           std::chrono::milliseconds Deadline = processDeadline());

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_PROCESS_H
