//===- Lacking.cpp - What the driver API has and we lack ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"
#include "runtime/gpu/driver/GevoGpu.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

using namespace gevo::cuda;
using gevo::driver::lacking;

CUresult gevo::driver::lacking(const char *What) {
  static std::mutex Lock;
  static std::set<std::string> Told;
  bool First;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    First = Told.insert(What).second;
  }
  if (First) {
    gevoGpuNote("missing", What);
    std::fprintf(stderr,
                 "gevo-gpu: note: %s is not supported by the embedded GPU\n",
                 What);
  }
  return CUDA_ERROR_NOT_SUPPORTED;
}

// Whatever the parameters, the caller removes them, so a function without any
// can stand for all.
extern "C" {
#define CU_LACKING(Symbol, Base, Since, Mode)                                  \
  __attribute__((visibility("default"))) CUresult Symbol() {                   \
    return lacking(#Symbol);                                                   \
  }
#include "runtime/gpu/driver/Api.def"
}
