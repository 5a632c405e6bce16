//===- JitOptions.h - Options of a module load ------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the options with which a program steers the compilation of PTX, those that
// ask for logs matter to us; the others are accepted and have no effect.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_JITOPTIONS_H
#define GEVO_RUNTIME_GPU_DRIVER_JITOPTIONS_H

#include "runtime/gpu/driver/cuda_abi.h"

#include <string>

namespace gevo::driver {

/// The option arrays of one call.
class JitOptions {
public:
  JitOptions(unsigned Count, cuda::CUjit_option *Options, void **Values)
      : Count(Count), Options(Options), Values(Values) {}

  /// Fails if an option is not one of CUDA's or has no value.
  cuda::CUresult check() const;
  /// Gives \p Text to the program in the error log that it asked for, and says
  /// in the size option how much. Without such a log it goes to stderr.
  void reportError(const std::string &Text) const;
  /// Leaves nothing but \p Notes in the logs that the program asked for.
  void reportSuccess(const std::string &Notes = {}) const;

private:
  void **value(cuda::CUjit_option Option) const;
  bool fillLog(cuda::CUjit_option Buffer, cuda::CUjit_option Size,
               const std::string &Text) const;

  unsigned Count;
  cuda::CUjit_option *Options;
  void **Values;
};

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_JITOPTIONS_H
