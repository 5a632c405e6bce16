//===- Lacking.cpp - What the driver API has and we lack ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/GevoGpu.h"
#include "runtime/gpu/driver/cuda_abi.h"

#include <atomic>
#include <cstdio>

using namespace gevo::cuda;

namespace {

CUresult lacking(const char *Symbol, std::atomic<bool> &Told) {
  if (!Told.exchange(true)) {
    gevoGpuNote("missing", Symbol);
    std::fprintf(stderr,
                 "gevo-gpu: note: %s is not supported by the embedded GPU\n",
                 Symbol);
  }
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace

// Whatever the parameters, the caller removes them, so a function without any
// can stand for all.
extern "C" {
#define CU_LACKING(Symbol, Base, Since, Mode)                                  \
  __attribute__((visibility("default"))) CUresult Symbol() {                   \
    static std::atomic<bool> Told{false};                                      \
    return lacking(#Symbol, Told);                                             \
  }
#include "runtime/gpu/driver/Api.def"
}
