//===- Copies.cpp - Copies of the driver API ------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/MemoryOps.h"

using namespace gevo;
using namespace gevo::driver;

namespace {

/// How a function of the API states that a side is device memory.
enum class Place { Host, Device, Unified };

CopySide side(uint64_t Address, Place Where) {
  CopySide S;
  S.Base = Address;
  S.IsDevice =
      Where == Place::Device || (Where == Place::Unified &&
                                 Driver::get().findMemory(Address).has_value());
  return S;
}

/// Copies a line of bytes on \p Handle, or on the default stream.
CUresult copyLine(uint64_t To, Place ToPlace, uint64_t From, Place FromPlace,
                  size_t Bytes, CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  return guarded([&] {
    BoxCopy Box;
    Box.To = side(To, ToPlace);
    Box.From = side(From, FromPlace);
    Box.Width = Bytes;
    return submit(*S, copyWork(Box));
  });
}

template <typename Copy> CUresult copyBox(const Copy *C, CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!C)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    BoxCopy Box;
    if (CUresult R = describeCopy(*C, Box))
      return R;
    return submit(*S, copyWork(Box));
  });
}

/// The peer form names contexts, which unified addressing makes redundant but
/// which must exist.
CUresult copyPeerBox(const CUDA_MEMCPY3D_PEER *C, CUstream Handle) {
  if (!C)
    return CUDA_ERROR_INVALID_VALUE;
  for (CUcontext Ctx : {C->srcContext, C->dstContext})
    if (Ctx && !Driver::get().Handles.find<Context>(Ctx))
      return CUDA_ERROR_INVALID_CONTEXT;
  CUDA_MEMCPY3D Plain;
  static_assert(sizeof(Plain) == sizeof(*C), "the layouts are the same");
  __builtin_memcpy(&Plain, C, sizeof(Plain));
  return copyBox(&Plain, Handle);
}

CUresult copyPeer(CUdeviceptr To, CUcontext ToCtx, CUdeviceptr From,
                  CUcontext FromCtx, size_t Bytes, CUstream Handle) {
  for (CUcontext Ctx : {ToCtx, FromCtx})
    if (!Driver::get().Handles.find<Context>(Ctx))
      return CUDA_ERROR_INVALID_CONTEXT;
  return copyLine(To, Place::Device, From, Place::Device, Bytes, Handle);
}

uint64_t address(const void *Pointer) {
  return reinterpret_cast<uint64_t>(Pointer);
}

} // namespace

namespace gevo::cuda {

CUresult cuMemcpy(CUdeviceptr To, CUdeviceptr From, size_t Bytes) {
  return cuMemcpyAsync(To, From, Bytes, nullptr);
}

CUresult cuMemcpyAsync(CUdeviceptr To, CUdeviceptr From, size_t Bytes,
                       CUstream S) {
  return copyLine(To, Place::Unified, From, Place::Unified, Bytes, S);
}

CUresult cuMemcpyPeer(CUdeviceptr To, CUcontext ToCtx, CUdeviceptr From,
                      CUcontext FromCtx, size_t Bytes) {
  return copyPeer(To, ToCtx, From, FromCtx, Bytes, nullptr);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr To, CUcontext ToCtx, CUdeviceptr From,
                           CUcontext FromCtx, size_t Bytes, CUstream S) {
  return copyPeer(To, ToCtx, From, FromCtx, Bytes, S);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr To, const void *From, size_t Bytes) {
  return cuMemcpyHtoDAsync_v2(To, From, Bytes, nullptr);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr To, const void *From, size_t Bytes,
                              CUstream S) {
  return copyLine(To, Place::Device, address(From), Place::Host, Bytes, S);
}

CUresult cuMemcpyDtoH_v2(void *To, CUdeviceptr From, size_t Bytes) {
  return cuMemcpyDtoHAsync_v2(To, From, Bytes, nullptr);
}

CUresult cuMemcpyDtoHAsync_v2(void *To, CUdeviceptr From, size_t Bytes,
                              CUstream S) {
  return copyLine(address(To), Place::Host, From, Place::Device, Bytes, S);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr To, CUdeviceptr From, size_t Bytes) {
  return cuMemcpyDtoDAsync_v2(To, From, Bytes, nullptr);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr To, CUdeviceptr From, size_t Bytes,
                              CUstream S) {
  return copyLine(To, Place::Device, From, Place::Device, Bytes, S);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *C) { return copyBox(C, nullptr); }

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *C, CUstream S) {
  return copyBox(C, S);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *C) { return copyBox(C, nullptr); }

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *C, CUstream S) {
  return copyBox(C, S);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *C) {
  return copyPeerBox(C, nullptr);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *C, CUstream S) {
  return copyPeerBox(C, S);
}

} // namespace gevo::cuda
