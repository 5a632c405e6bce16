//===- ApiTable.h - The functions of the driver by name ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs, and the CUDA runtime, ask the driver for its functions by the name
// that the API gives them, the CUDA version they were written for and the
// meaning of stream 0; the answer is one of the exported symbols.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_APITABLE_H
#define GEVO_RUNTIME_GPU_DRIVER_APITABLE_H

namespace gevo::driver {

/// What stream 0 means to a function.
enum class StreamMode { Legacy, PerThread };

/// The newest form of the function \p Base that CUDA \p Version has, or null.
/// \p TooNew is set if there are newer forms.
void *findApi(const char *Base, int Version, StreamMode Mode, bool &TooNew);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_APITABLE_H
