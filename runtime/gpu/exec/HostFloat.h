//===- HostFloat.h - The host's floating-point state ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels run on the thread that launches them, whose program may round
// upwards, flush subnormals (all that is linked with -ffast-math does) or trap
// on exceptions. A GPU knows nothing of that, so launches run outside of it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_HOSTFLOAT_H
#define GEVO_RUNTIME_GPU_EXEC_HOSTFLOAT_H

#include <cfenv>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gevo::gpu {

/// Gives the thread the floating-point state that a process starts with, and
/// in its destructor, on the same thread, the program's again: modes, traps
/// and the flags of exceptions.
class HostFloatScope {
public:
  HostFloatScope() {
    std::fegetenv(&Old);
    std::fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
    // Not every C library's default knows the bits for subnormals.
    constexpr unsigned AllMaskedNearest = 0x1f80;
    _mm_setcsr(AllMaskedNearest);
#endif
  }
  ~HostFloatScope() { std::fesetenv(&Old); }
  HostFloatScope(const HostFloatScope &) = delete;
  HostFloatScope &operator=(const HostFloatScope &) = delete;

private:
  std::fenv_t Old;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_HOSTFLOAT_H
