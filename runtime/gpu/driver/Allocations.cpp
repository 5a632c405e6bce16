//===- Allocations.cpp - Allocation of the driver API ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/MemoryOps.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// Rows of pitched memory start at multiples of this.
constexpr size_t PitchUnit = 512;

CUresult allocate(uint64_t *Address, size_t Bytes, gpu::MemoryKind Kind,
                  unsigned Flags = 0) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  return allocateIn(Ctx, Address, Bytes, Kind, Flags);
}

CUresult allocateHost(void **Pointer, size_t Bytes, unsigned Flags) {
  if (!Pointer)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t Address = 0;
  CUresult R = allocate(&Address, Bytes, gpu::MemoryKind::Host, Flags);
  if (!R)
    *Pointer = reinterpret_cast<void *>(Address);
  return R;
}

/// Whether the program may read and write all of this memory of its own.
bool isWritable(const void *Pointer, size_t Bytes) {
  uint64_t At = reinterpret_cast<uint64_t>(Pointer), End = At + Bytes;
  std::ifstream Maps("/proc/self/maps");
  // "7f0000000000-7f0000021000 rw-p ...", in order of addresses.
  for (std::string Line; At < End && std::getline(Maps, Line);) {
    char *Rest = nullptr;
    uint64_t First = std::strtoull(Line.c_str(), &Rest, 16);
    uint64_t Last = *Rest == '-' ? std::strtoull(Rest + 1, &Rest, 16) : 0;
    if (Last <= At)
      continue;
    if (First > At || std::strncmp(Rest, " rw", 3) != 0)
      return false;
    At = Last;
  }
  return At >= End;
}

/// The host range that starts anywhere before \p Pointer and holds it.
CUresult findHost(void *Pointer, std::optional<MemoryRange> &Range) {
  if (CUresult R = checkInitialised())
    return R;
  Range = Driver::get().findMemory(reinterpret_cast<uint64_t>(Pointer));
  bool IsHost = Range && (Range->Kind == gpu::MemoryKind::Host ||
                          Range->Kind == gpu::MemoryKind::HostRegistered);
  return IsHost ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult gevo::driver::allocateIn(const std::shared_ptr<Context> &Ctx,
                                  uint64_t *Address, size_t Bytes,
                                  gpu::MemoryKind Kind, unsigned Flags) {
  if (!Address || !Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    Driver &D = Driver::get();
    uint64_t Total = Ctx->Owner.Properties.Config.GlobalBytes;
    uint64_t Used = D.usedBytes(Ctx->Owner.Ordinal);
    if (Kind == gpu::MemoryKind::Device &&
        Bytes > Total - std::min(Total, Used))
      return CUDA_ERROR_OUT_OF_MEMORY;
    uint64_t Base = Ctx->Engine->allocate(Bytes, Kind);
    if (!Base)
      return CUDA_ERROR_OUT_OF_MEMORY;
    MemoryRange Range;
    Range.Base = Base;
    Range.Bytes = Bytes;
    Range.Kind = Kind;
    Range.Ctx = Ctx;
    Range.Flags = Flags;
    D.addMemory(std::move(Range));
    *Address = Base;
    return CUDA_SUCCESS;
  });
}

CUresult gevo::driver::freeDeviceMemory(CUdeviceptr Address) {
  Driver &D = Driver::get();
  std::optional<MemoryRange> Range = D.findMemory(Address);
  if (!Range || Range->Base != Address ||
      (Range->Kind != gpu::MemoryKind::Device &&
       Range->Kind != gpu::MemoryKind::Managed))
    return CUDA_ERROR_INVALID_VALUE;
  // Of two threads that free the same memory one gets it.
  Range = D.removeMemory(Address);
  if (!Range)
    return CUDA_ERROR_INVALID_VALUE;
  if (auto From = D.Handles.find<Pool>(Range->FromPool)) {
    std::lock_guard<std::mutex> Guard(From->Lock);
    From->Used -= Range->Bytes;
  }
  return Range->Ctx->Engine->release(Address) ? CUDA_SUCCESS
                                              : CUDA_ERROR_INVALID_VALUE;
}

namespace gevo::cuda {

CUresult cuMemAlloc_v2(CUdeviceptr *Address, size_t Bytes) {
  uint64_t Base = 0;
  if (!Address)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult R = allocate(&Base, Bytes, gpu::MemoryKind::Device);
  if (!R)
    *Address = Base;
  return R;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *Address, size_t *Pitch, size_t Width,
                            size_t Height, unsigned ElementBytes) {
  if (!Address || !Pitch || !Width || !Height ||
      (ElementBytes != 4 && ElementBytes != 8 && ElementBytes != 16))
    return CUDA_ERROR_INVALID_VALUE;
  size_t Row, Bytes;
  if (__builtin_add_overflow(Width, PitchUnit - 1, &Row))
    return CUDA_ERROR_INVALID_VALUE;
  Row = Row / PitchUnit * PitchUnit;
  if (__builtin_mul_overflow(Row, Height, &Bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (CUresult R = cuMemAlloc_v2(Address, Bytes))
    return R;
  *Pitch = Row;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr Address) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Address)
    return CUDA_SUCCESS;
  return guarded([&] {
    // Work that another thread has begun may use it.
    if (auto Range = Driver::get().findMemory(Address))
      cuCtxSynchronize_v2(Range->Ctx->Handle);
    return freeDeviceMemory(Address);
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *Base, size_t *Bytes,
                                 CUdeviceptr Address) {
  if (CUresult R = checkInitialised())
    return R;
  std::optional<MemoryRange> Range = Driver::get().findMemory(Address);
  if (!Range)
    return CUDA_ERROR_NOT_FOUND;
  if (Base)
    *Base = Range->Base;
  if (Bytes)
    *Bytes = size_t(Range->Bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *Free, size_t *Total) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  uint64_t All = Ctx->Owner.Properties.Config.GlobalBytes;
  uint64_t Used = Driver::get().usedBytes(Ctx->Owner.Ordinal);
  if (Free)
    *Free = size_t(All - std::min(All, Used));
  if (Total)
    *Total = size_t(All);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **Pointer, size_t Bytes) {
  return allocateHost(Pointer, Bytes, CU_MEMHOSTALLOC_PORTABLE);
}

CUresult cuMemHostAlloc(void **Pointer, size_t Bytes, unsigned Flags) {
  if (Flags & ~unsigned(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                        CU_MEMHOSTALLOC_WRITECOMBINED))
    return CUDA_ERROR_INVALID_VALUE;
  return allocateHost(Pointer, Bytes, Flags);
}

CUresult cuMemFreeHost(void *Pointer) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  Driver &D = Driver::get();
  uint64_t Address = reinterpret_cast<uint64_t>(Pointer);
  std::optional<MemoryRange> Range = D.findMemory(Address);
  if (!Range || Range->Base != Address || Range->Kind != gpu::MemoryKind::Host)
    return CUDA_ERROR_INVALID_VALUE;
  Range = D.removeMemory(Address);
  bool Freed = Range && Range->Ctx->Engine->release(Address);
  return Freed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *Address, void *Pointer,
                                      unsigned Flags) {
  std::optional<MemoryRange> Range;
  if (!Address || Flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findHost(Pointer, Range))
    return R;
  *Address = reinterpret_cast<CUdeviceptr>(Pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned *Flags, void *Pointer) {
  std::optional<MemoryRange> Range;
  if (!Flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findHost(Pointer, Range))
    return R;
  // With unified addressing all host memory is mapped.
  *Flags = Range->Flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *Pointer, size_t Bytes, unsigned Flags) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  constexpr unsigned Known =
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
      CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
  if (!Pointer || !Bytes || (Flags & ~Known))
    return CUDA_ERROR_INVALID_VALUE;
  if (Flags & (CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY))
    return lacking("cuMemHostRegister of read-only or I/O memory");
  if (!isWritable(Pointer, Bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    MemoryRange Range;
    Range.Base = reinterpret_cast<uint64_t>(Pointer);
    Range.Bytes = Bytes;
    Range.Kind = gpu::MemoryKind::HostRegistered;
    Range.Ctx = Ctx;
    Range.Flags = Flags;
    if (!Ctx->Engine->registerHost(Pointer, Bytes))
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    Driver::get().addMemory(std::move(Range));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostUnregister(void *Pointer) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  uint64_t Address = reinterpret_cast<uint64_t>(Pointer);
  Driver &D = Driver::get();
  std::optional<MemoryRange> Range = D.findMemory(Address);
  if (!Range || Range->Base != Address ||
      Range->Kind != gpu::MemoryKind::HostRegistered)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  Range = D.removeMemory(Address);
  if (!Range)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  Range->Ctx->Engine->unregisterHost(Pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *Address, size_t Bytes, unsigned Flags) {
  if (!Address ||
      (Flags != CU_MEM_ATTACH_GLOBAL && Flags != CU_MEM_ATTACH_HOST))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t Base = 0;
  CUresult R = allocate(&Base, Bytes, gpu::MemoryKind::Managed, Flags);
  if (!R)
    *Address = Base;
  return R;
}

} // namespace gevo::cuda
