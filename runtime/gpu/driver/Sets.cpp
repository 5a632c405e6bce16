//===- Sets.cpp - Fills of the driver API ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/MemoryOps.h"

using namespace gevo;
using namespace gevo::driver;

namespace {

CUresult fill(const BoxSet &Set, CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  return guarded([&] { return submit(*S, setWork(Set)); });
}

} // namespace

namespace gevo::cuda {

CUresult cuMemsetD8_v2(CUdeviceptr To, unsigned char Value, size_t Count) {
  return fill({To, 0, Value, 1, Count, 1}, nullptr);
}

CUresult cuMemsetD8Async(CUdeviceptr To, unsigned char Value, size_t Count,
                         CUstream S) {
  return fill({To, 0, Value, 1, Count, 1}, S);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr To, size_t Pitch, unsigned char Value,
                         size_t Width, size_t Height) {
  return fill({To, Pitch, Value, 1, Width, Height}, nullptr);
}

CUresult cuMemsetD2D8Async(CUdeviceptr To, size_t Pitch, unsigned char Value,
                           size_t Width, size_t Height, CUstream S) {
  return fill({To, Pitch, Value, 1, Width, Height}, S);
}

CUresult cuMemsetD16_v2(CUdeviceptr To, unsigned short Value, size_t Count) {
  return fill({To, 0, Value, 2, Count, 1}, nullptr);
}

CUresult cuMemsetD16Async(CUdeviceptr To, unsigned short Value, size_t Count,
                          CUstream S) {
  return fill({To, 0, Value, 2, Count, 1}, S);
}

CUresult cuMemsetD2D16_v2(CUdeviceptr To, size_t Pitch, unsigned short Value,
                          size_t Width, size_t Height) {
  return fill({To, Pitch, Value, 2, Width, Height}, nullptr);
}

CUresult cuMemsetD2D16Async(CUdeviceptr To, size_t Pitch, unsigned short Value,
                            size_t Width, size_t Height, CUstream S) {
  return fill({To, Pitch, Value, 2, Width, Height}, S);
}

CUresult cuMemsetD32_v2(CUdeviceptr To, unsigned Value, size_t Count) {
  return fill({To, 0, Value, 4, Count, 1}, nullptr);
}

CUresult cuMemsetD32Async(CUdeviceptr To, unsigned Value, size_t Count,
                          CUstream S) {
  return fill({To, 0, Value, 4, Count, 1}, S);
}

CUresult cuMemsetD2D32_v2(CUdeviceptr To, size_t Pitch, unsigned Value,
                          size_t Width, size_t Height) {
  return fill({To, Pitch, Value, 4, Width, Height}, nullptr);
}

CUresult cuMemsetD2D32Async(CUdeviceptr To, size_t Pitch, unsigned Value,
                            size_t Width, size_t Height, CUstream S) {
  return fill({To, Pitch, Value, 4, Width, Height}, S);
}

} // namespace gevo::cuda
