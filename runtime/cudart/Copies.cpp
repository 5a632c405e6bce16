//===- Copies.cpp - Copies and sets of the runtime ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Copies.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::cudart;

namespace {

bool isKind(cudaMemcpyKind Kind) {
  return Kind >= cudaMemcpyHostToHost && Kind <= cudaMemcpyDefault;
}

CUmemorytype sourceType(cudaMemcpyKind Kind) {
  switch (Kind) {
  case cudaMemcpyDeviceToHost:
  case cudaMemcpyDeviceToDevice:
    return CU_MEMORYTYPE_DEVICE;
  case cudaMemcpyDefault:
    return CU_MEMORYTYPE_UNIFIED;
  default:
    return CU_MEMORYTYPE_HOST;
  }
}

CUmemorytype targetType(cudaMemcpyKind Kind) {
  switch (Kind) {
  case cudaMemcpyHostToDevice:
  case cudaMemcpyDeviceToDevice:
    return CU_MEMORYTYPE_DEVICE;
  case cudaMemcpyDefault:
    return CU_MEMORYTYPE_UNIFIED;
  default:
    return CU_MEMORYTYPE_HOST;
  }
}

/// Where a copy runs: in a stream, or at once.
struct Where {
  bool IsAsync = false;
  cudaStream_t Stream = nullptr;
};

CUresult copyLine(const DriverTable &D, void *To, const void *From,
                  size_t Bytes, cudaMemcpyKind Kind, Where W) {
  switch (Kind) {
  case cudaMemcpyHostToDevice:
    return W.IsAsync
               ? D.cuMemcpyHtoDAsync_v2(address(To), From, Bytes, W.Stream)
               : D.cuMemcpyHtoD_v2(address(To), From, Bytes);
  case cudaMemcpyDeviceToHost:
    return W.IsAsync
               ? D.cuMemcpyDtoHAsync_v2(To, address(From), Bytes, W.Stream)
               : D.cuMemcpyDtoH_v2(To, address(From), Bytes);
  case cudaMemcpyDeviceToDevice:
    return W.IsAsync ? D.cuMemcpyDtoDAsync_v2(address(To), address(From), Bytes,
                                              W.Stream)
                     : D.cuMemcpyDtoD_v2(address(To), address(From), Bytes);
  default:
    return W.IsAsync
               ? D.cuMemcpyAsync(address(To), address(From), Bytes, W.Stream)
               : D.cuMemcpy(address(To), address(From), Bytes);
  }
}

cudaError_t copy(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind,
                 Where W) {
  if (!isKind(Kind))
    return keepError(cudaErrorInvalidMemcpyDirection);
  return call([&](const DriverTable &D) {
    return Bytes ? copyLine(D, To, From, Bytes, Kind, W) : CUDA_SUCCESS;
  });
}

cudaError_t copy2D(void *To, size_t ToPitch, const void *From, size_t FromPitch,
                   size_t Width, size_t Height, cudaMemcpyKind Kind, Where W) {
  if (!isKind(Kind))
    return keepError(cudaErrorInvalidMemcpyDirection);
  if (Height > 1 && (Width > ToPitch || Width > FromPitch))
    return keepError(cudaErrorInvalidPitchValue);
  CUDA_MEMCPY2D C = {};
  C.srcMemoryType = sourceType(Kind);
  C.srcHost = From;
  C.srcDevice = address(From);
  C.srcPitch = std::max(FromPitch, Width);
  C.dstMemoryType = targetType(Kind);
  C.dstHost = To;
  C.dstDevice = address(To);
  C.dstPitch = std::max(ToPitch, Width);
  C.WidthInBytes = Width;
  C.Height = Height;
  return call([&](const DriverTable &D) {
    return W.IsAsync ? D.cuMemcpy2DAsync_v2(&C, W.Stream) : D.cuMemcpy2D_v2(&C);
  });
}

cudaError_t copy3D(const cudaMemcpy3DParms *P, Where W) {
  CUDA_MEMCPY3D C;
  if (cudaError_t E = describeCopy(P, C))
    return keepError(E);
  return call([&](const DriverTable &D) {
    return W.IsAsync ? D.cuMemcpy3DAsync_v2(&C, W.Stream) : D.cuMemcpy3D_v2(&C);
  });
}

cudaError_t copy3DPeer(const cudaMemcpy3DPeerParms *P, Where W) {
  if (!P)
    return keepError(cudaErrorInvalidValue);
  cudaMemcpy3DParms Plain = {
      P->srcArray, P->srcPos, P->srcPtr, P->dstArray,
      P->dstPos,   P->dstPtr, P->extent, cudaMemcpyDeviceToDevice};
  return copy3D(&Plain, W);
}

cudaError_t copyPeer(void *To, int ToDevice, const void *From, int FromDevice,
                     size_t Bytes, Where W) {
  return call([&](const DriverTable &D) {
    CUcontext ToCtx, FromCtx;
    if (cudaError_t E = primaryContext(D, ToDevice, ToCtx))
      return E;
    if (cudaError_t E = primaryContext(D, FromDevice, FromCtx))
      return E;
    return toRuntime(W.IsAsync ? D.cuMemcpyPeerAsync(address(To), ToCtx,
                                                     address(From), FromCtx,
                                                     Bytes, W.Stream)
                               : D.cuMemcpyPeer(address(To), ToCtx,
                                                address(From), FromCtx, Bytes));
  });
}

cudaError_t set2D(void *At, size_t Pitch, int Value, size_t Width,
                  size_t Height, Where W) {
  auto Byte = static_cast<unsigned char>(Value);
  return call([&](const DriverTable &D) {
    return W.IsAsync
               ? D.cuMemsetD2D8Async(address(At), Pitch, Byte, Width, Height,
                                     W.Stream)
               : D.cuMemsetD2D8_v2(address(At), Pitch, Byte, Width, Height);
  });
}

cudaError_t set3D(cudaPitchedPtr At, int Value, cudaExtent Extent, Where W) {
  for (size_t Z = 0; Z < Extent.depth; ++Z)
    if (cudaError_t E =
            set2D(static_cast<char *>(At.ptr) + Z * At.pitch * At.ysize,
                  At.pitch, Value, Extent.width, Extent.height, W))
      return E;
  return cudaSuccess;
}

} // namespace

cudaError_t gevo::cudart::describeCopy(const cudaMemcpy3DParms *P,
                                       CUDA_MEMCPY3D &C) {
  if (!P || !isKind(P->kind))
    return cudaErrorInvalidValue;
  if (P->srcArray || P->dstArray)
    return refuse("a copy of a CUDA array");
  if (!P->srcPtr.ptr || !P->dstPtr.ptr)
    return cudaErrorInvalidValue;
  C = {};
  C.srcMemoryType = sourceType(P->kind);
  C.srcHost = P->srcPtr.ptr;
  C.srcDevice = address(P->srcPtr.ptr);
  C.srcPitch = P->srcPtr.pitch;
  C.srcHeight = P->srcPtr.ysize;
  C.srcXInBytes = P->srcPos.x;
  C.srcY = P->srcPos.y;
  C.srcZ = P->srcPos.z;
  C.dstMemoryType = targetType(P->kind);
  C.dstHost = P->dstPtr.ptr;
  C.dstDevice = address(P->dstPtr.ptr);
  C.dstPitch = P->dstPtr.pitch;
  C.dstHeight = P->dstPtr.ysize;
  C.dstXInBytes = P->dstPos.x;
  C.dstY = P->dstPos.y;
  C.dstZ = P->dstPos.z;
  C.WidthInBytes = P->extent.width;
  C.Height = P->extent.height;
  C.Depth = P->extent.depth;
  return cudaSuccess;
}

cudaMemcpy3DParms gevo::cudart::lineCopy(void *To, const void *From,
                                         size_t Bytes, cudaMemcpyKind Kind) {
  cudaMemcpy3DParms P = {};
  P.srcPtr = {const_cast<void *>(From), Bytes, Bytes, 1};
  P.dstPtr = {To, Bytes, Bytes, 1};
  P.extent = {Bytes, 1, 1};
  P.kind = Kind;
  return P;
}

namespace gevo::cudart {

cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes,
                       cudaMemcpyKind Kind) {
  return copy(To, From, Bytes, Kind, {});
}

cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Bytes,
                            cudaMemcpyKind Kind, cudaStream_t Stream) {
  return copy(To, From, Bytes, Kind, {true, Stream});
}

cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From,
                         size_t FromPitch, size_t Width, size_t Height,
                         cudaMemcpyKind Kind) {
  return copy2D(To, ToPitch, From, FromPitch, Width, Height, Kind, {});
}

cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch, const void *From,
                              size_t FromPitch, size_t Width, size_t Height,
                              cudaMemcpyKind Kind, cudaStream_t Stream) {
  return copy2D(To, ToPitch, From, FromPitch, Width, Height, Kind,
                {true, Stream});
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *P) { return copy3D(P, {}); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *P, cudaStream_t Stream) {
  return copy3D(P, {true, Stream});
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *P) {
  return copy3DPeer(P, {});
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *P,
                                  cudaStream_t Stream) {
  return copy3DPeer(P, {true, Stream});
}

cudaError_t cudaMemcpyPeer(void *To, int ToDevice, const void *From,
                           int FromDevice, size_t Bytes) {
  return copyPeer(To, ToDevice, From, FromDevice, Bytes, {});
}

cudaError_t cudaMemcpyPeerAsync(void *To, int ToDevice, const void *From,
                                int FromDevice, size_t Bytes,
                                cudaStream_t Stream) {
  return copyPeer(To, ToDevice, From, FromDevice, Bytes, {true, Stream});
}

cudaError_t cudaMemset(void *At, int Value, size_t Bytes) {
  return set2D(At, Bytes, Value, Bytes, 1, {});
}

cudaError_t cudaMemsetAsync(void *At, int Value, size_t Bytes,
                            cudaStream_t Stream) {
  return set2D(At, Bytes, Value, Bytes, 1, {true, Stream});
}

cudaError_t cudaMemset2D(void *At, size_t Pitch, int Value, size_t Width,
                         size_t Height) {
  return set2D(At, Pitch, Value, Width, Height, {});
}

cudaError_t cudaMemset2DAsync(void *At, size_t Pitch, int Value, size_t Width,
                              size_t Height, cudaStream_t Stream) {
  return set2D(At, Pitch, Value, Width, Height, {true, Stream});
}

cudaError_t cudaMemset3D(cudaPitchedPtr At, int Value, cudaExtent Extent) {
  return set3D(At, Value, Extent, {});
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr At, int Value, cudaExtent Extent,
                              cudaStream_t Stream) {
  return set3D(At, Value, Extent, {true, Stream});
}

// Describes the elements of an array and needs none.
cudaChannelFormatDesc cudaCreateChannelDesc(int X, int Y, int Z, int W,
                                            cudaChannelFormatKind Kind) {
  return {X, Y, Z, W, Kind};
}

} // namespace gevo::cudart
