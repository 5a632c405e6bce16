//===- Lacking.cpp - What libcudart has and we lack -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

using namespace gevo::cudart;

// Whatever the parameters, the caller removes them, so a function without any
// can stand for all.
extern "C" {
#define CUDART_LACKING(Name, Era)                                              \
  CUDART_IF(Era)(CUDART_EXPORT int Name() { return refuse(#Name); })
#include "runtime/cudart/Api.def"
}
