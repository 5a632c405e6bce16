//===- nvcc-names.h - What nvcc has and clang has not -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc declares min and max of numbers in the global namespace for host code,
// too, and many programs call them; clang has them for device code only.
// gevo.cfg includes this before a source. They are templates of two parameters,
// so that whatever a program declares itself, or takes from std, goes first.
// nvcc's headers also bring time and clock of the host, which clang's do not.
//
// For device code, clang 19 calls the delete that takes a size, which only
// <new> defines there, and declares nan and nanf without defining them.
//
// __reduce_add_sync and its kin exchange their arguments in clang 19's header;
// gevo.cfg exchanges them once more while that header is read.
//
// What clang has not at all is an error that says so: it takes a __managed__
// variable for one of the host, with a warning, and the errors that follow name
// everything but the reason.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_NVCC_NAMES_H
#define GEVO_NVCC_NAMES_H

#if defined(__CUDA__) && defined(__cplusplus)

#include <new>
#include <time.h>

namespace gevo_nvcc {
template <bool Condition, class T> struct If {};
template <class T> struct If<true, T> {
  using Type = T;
};
/// What both numbers have in common; nothing for what are no numbers.
template <class A, class B>
using Number = typename If<(__is_arithmetic(A) && __is_arithmetic(B)),
                           decltype(true ? A() : B())>::Type;
} // namespace gevo_nvcc

template <class A, class B>
inline __attribute__((host)) constexpr gevo_nvcc::Number<A, B> min(A X, B Y) {
  return Y < X ? Y : X;
}
template <class A, class B>
inline __attribute__((host)) constexpr gevo_nvcc::Number<A, B> max(A X, B Y) {
  return X < Y ? Y : X;
}

static inline __attribute__((device)) double nan(const char *) {
  return __builtin_nan("");
}
static inline __attribute__((device)) float nanf(const char *) {
  return __builtin_nanf("");
}

// See gevo.cfg: for __reduce_add_sync and the like, whose header is behind us.
#undef __nvvm_redux_sync_add
#undef __nvvm_redux_sync_umin
#undef __nvvm_redux_sync_umax
#undef __nvvm_redux_sync_min
#undef __nvvm_redux_sync_max
#undef __nvvm_redux_sync_or
#undef __nvvm_redux_sync_and
#undef __nvvm_redux_sync_xor

#undef __managed__
#define __managed__                                                            \
  _Pragma("GCC error \"clang has no __managed__: use cudaMallocManaged\"")     \
      __attribute__((device))

#endif

#endif // GEVO_NVCC_NAMES_H
