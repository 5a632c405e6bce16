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
#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gevo::gpu {

/// Gives the thread the floating-point state that a process starts with, and
/// in its destructor, on the same thread, the program's again: modes, traps
/// and the flags of exceptions.
class HostFloatScope {
public:
#if defined(__x86_64__)
  // The C library's functions for this load and store all of the x87 unit,
  // which takes longer than what else a small launch does. Nothing here uses
  // that unit; but fegetround() asks it.
  HostFloatScope() : Old(_mm_getcsr()) {
    _mm_setcsr(AllMaskedNearest);
    __asm__ volatile("fnstcw %0" : "=m"(OldX87));
    if (OldX87 != DefaultX87)
      __asm__ volatile("fldcw %0" : : "m"(DefaultX87));
  }
  ~HostFloatScope() {
    _mm_setcsr(Old);
    if (OldX87 != DefaultX87)
      __asm__ volatile("fldcw %0" : : "m"(OldX87));
  }
#else
  HostFloatScope() {
    std::fegetenv(&Old);
    std::fesetenv(FE_DFL_ENV);
  }
  ~HostFloatScope() { std::fesetenv(&Old); }
#endif
  HostFloatScope(const HostFloatScope &) = delete;
  HostFloatScope &operator=(const HostFloatScope &) = delete;

private:
#if defined(__x86_64__)
  static constexpr unsigned AllMaskedNearest = 0x1f80;
  static constexpr uint16_t DefaultX87 = 0x37f;
  unsigned Old;
  uint16_t OldX87;
#else
  std::fenv_t Old;
#endif
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_HOSTFLOAT_H
