//===- nvcc-names.h - What nvcc declares for host code ----------*- C++ -*-===//
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
//===----------------------------------------------------------------------===//

#ifndef GEVO_NVCC_NAMES_H
#define GEVO_NVCC_NAMES_H

#if defined(__CUDA__) && defined(__cplusplus)

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

#endif

#endif // GEVO_NVCC_NAMES_H
