//===- Isa.cpp - Choosing a set of handlers -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Isa.h"

#include <cstdlib>
#include <cstring>

namespace gevo::gpu {
namespace portable {
extern const Isa Table;
}
#ifdef GEVO_HAS_AVX2
namespace avx2 {
extern const Isa Table;
}
#endif

const Isa &selectIsa(bool Portable) {
#ifdef GEVO_HAS_AVX2
  // For tests that compare the sets.
  const char *Wish = std::getenv("GEVO_GPU_ISA");
  bool Forced = Wish && std::strcmp(Wish, "portable") == 0;
  if (!Portable && !Forced && __builtin_cpu_supports("avx2") &&
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi"))
    return avx2::Table;
#endif
  return portable::Table;
}

} // namespace gevo::gpu
