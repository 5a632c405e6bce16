//===- Replaying.cpp - What replaying launches needs of the GPU -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second half of GevoGpu.h: memory at given addresses, variables bound to
// it, the pages that launches wrote, a clock and numbers that start anew.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"
#include "runtime/gpu/driver/GevoGpu.h"
#include "runtime/gpu/exec/Heap.h"
#include "runtime/gpu/exec/Touch.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::driver;

#define GEVO_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int allocateAt(uint64_t Address, size_t Bytes, gpu::MemoryKind Kind,
               const char *Variable) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    MemoryRange Range;
    Range.Base = Address;
    Range.Bytes = Bytes;
    Range.Kind = Kind;
    Range.Ctx = Ctx;
    if (!Ctx->Engine->allocateAt(Address, Bytes, Range.Kind,
                                 Variable ? Variable : ""))
      return CUDA_ERROR_ALREADY_MAPPED;
    Driver::get().addMemory(std::move(Range));
    return CUDA_SUCCESS;
  });
}

} // namespace

GEVO_EXPORT int gevoGpuAllocAt(uint64_t Address, size_t Bytes,
                               const char *Variable, int IsConst) {
  gpu::MemoryKind Kind = !Variable ? gpu::MemoryKind::Device
                         : IsConst ? gpu::MemoryKind::ModuleConst
                                   : gpu::MemoryKind::ModuleGlobal;
  return allocateAt(Address, Bytes, Kind, Variable);
}

GEVO_EXPORT int gevoGpuAllocHeapAt(uint64_t Address, size_t Bytes) {
  return allocateAt(Address, Bytes, gpu::MemoryKind::DeviceHeap, nullptr);
}

/// Are the blocks of \p R apart, behind \p End, and is what they hold?
static bool isInOrder(const GevoGpuHeapRun &R, const gpu::HeapBlock &End) {
  constexpr uint64_t MostBytes = uint64_t(1) << 48;
  uint64_t Room = UINT64_MAX - R.Address, Steps = R.Count - 1;
  return R.Address >= End.Address && R.Offset >= End.Offset &&
         R.Offset <= MostBytes && R.Offset % 16 == 0 && R.Bytes &&
         R.Bytes <= Room && R.Count &&
         R.Count <= MostBytes / gpu::packedBytes(R.Bytes) &&
         (!Steps ||
          (R.Stride >= R.Bytes && Steps <= (Room - R.Bytes) / R.Stride)) &&
         R.Use >= gpu::HeapBlock::Kept && R.Use <= gpu::HeapBlock::Freed;
}

GEVO_EXPORT int gevoGpuPlaceHeap(const GevoGpuHeapRun *Runs, size_t Count,
                                 const void *Start) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    static_assert(sizeof(gpu::HeapRun) == sizeof(GevoGpuHeapRun) &&
                      offsetof(gpu::HeapRun, Use) ==
                          offsetof(GevoGpuHeapRun, Use),
                  "they are the same by another name");
    auto *Blocks = reinterpret_cast<const gpu::HeapRun *>(Runs);
    gpu::HeapBlock End{1, 0, 0, 0};
    for (size_t K = 0; K < Count; ++K) {
      if (!isInOrder(Runs[K], End))
        return CUDA_ERROR_INVALID_VALUE;
      End = {Blocks[K].end(), Blocks[K].block(Runs[K].Count).Offset, 0, 0};
    }
    if (!Count)
      Ctx->Engine->dropHeap();
    else if (!Ctx->Engine->placeHeap(Blocks, Count,
                                     static_cast<const char *>(Start)))
      return CUDA_ERROR_ALREADY_MAPPED;
    return CUDA_SUCCESS;
  });
}

GEVO_EXPORT int gevoGpuReadHeap(void *Packed) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  Ctx->Engine->readHeap(static_cast<char *>(Packed));
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuWatchHeap(int On, const GevoGpuHeapCallRun *Calls,
                                 size_t Count) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    static_assert(sizeof(gpu::HeapCallRun) == sizeof(GevoGpuHeapCallRun) &&
                      offsetof(gpu::HeapCallRun, AddressStep) ==
                          offsetof(GevoGpuHeapCallRun, AddressStep),
                  "they are the same by another name");
    auto Record =
        On ? std::make_shared<gpu::HeapRecord>(
                 reinterpret_cast<const gpu::HeapCallRun *>(Calls), Count)
           : nullptr;
    {
      std::lock_guard<std::mutex> Guard(Ctx->Lock);
      Ctx->Heap.swap(Record);
    }
    if (!On && Record)
      Ctx->Engine->releaseMade(*Record);
    return CUDA_SUCCESS;
  });
}

GEVO_EXPORT int gevoGpuKeepPrinted(int On) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  Ctx->Kept = On ? std::make_shared<std::string>() : nullptr;
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuGetPrinted(char *Buffer, size_t Size, size_t *Needed) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  if (!Ctx->Kept || !Needed)
    return CUDA_ERROR_INVALID_VALUE;
  *Needed = Ctx->Kept->size();
  if (Buffer && Size >= *Needed)
    std::memcpy(Buffer, Ctx->Kept->data(), *Needed);
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuGetHeapChange(int64_t *Bytes) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  if (!Bytes || !Ctx->Heap)
    return CUDA_ERROR_INVALID_VALUE;
  *Bytes = Ctx->Heap->change();
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuFreeAt(uint64_t Address) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    std::optional<MemoryRange> Range = Driver::get().findMemory(Address);
    if (!Range || Range->Base != Address || Range->Ctx != Ctx)
      return CUDA_ERROR_INVALID_VALUE;
    Driver::get().removeMemory(Address);
    return Ctx->Engine->release(Address) ? CUDA_SUCCESS
                                         : CUDA_ERROR_INVALID_VALUE;
  });
}

GEVO_EXPORT int gevoGpuMapFile(uint64_t Address, size_t Bytes, const char *Path,
                               uint64_t Skip) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  int File = Path ? open(Path, O_RDONLY | O_CLOEXEC) : -1;
  if (File < 0)
    return CUDA_ERROR_FILE_NOT_FOUND;
  bool Ok = Ctx->Engine->mapFile(Address, Bytes, File, Skip);
  close(File);
  return Ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

GEVO_EXPORT int gevoGpuAllocFromTop(void) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  Ctx->Engine->allocateFromTop();
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuBindVariable(const char *Name, uint64_t Address) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    std::lock_guard<std::mutex> Guard(Ctx->Lock);
    if (Name)
      Ctx->Bindings[Name] = Address;
    else
      Ctx->Bindings.clear();
    return CUDA_SUCCESS;
  });
}

GEVO_EXPORT int gevoGpuSetNextGrid(uint64_t Number) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  if (!Number)
    return CUDA_ERROR_INVALID_VALUE;
  Ctx->Engine->setNextGrid(Number);
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuWatchWrites(int On) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    std::lock_guard<std::mutex> Guard(Ctx->Lock);
    Ctx->Writes.reset();
    if (On)
      Ctx->Writes = std::make_shared<gpu::TouchRecord>(/*Bytes=*/On == 2);
    return CUDA_SUCCESS;
  });
}

GEVO_EXPORT int gevoGpuTakeWrites(uint64_t *Pages, size_t Count,
                                  size_t *Needed) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    std::lock_guard<std::mutex> Guard(Ctx->Lock);
    if (!Needed || !Ctx->Writes)
      return CUDA_ERROR_INVALID_VALUE;
    const std::vector<uint64_t> &Written = Ctx->Writes->written();
    *Needed = Written.size();
    if (Count < Written.size() || (!Pages && !Written.empty()))
      return CUDA_SUCCESS;
    std::transform(Written.begin(), Written.end(), Pages, [](uint64_t Number) {
      return Number * gpu::TouchRecord::PageBytes;
    });
    std::sort(Pages, Pages + Written.size());
    if (!Ctx->Writes->keepsBytes())
      Ctx->Writes->clear();
    return CUDA_SUCCESS;
  });
}

GEVO_EXPORT int gevoGpuGetMarks(uint64_t Address, size_t Bytes,
                                uint8_t *Marks) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  if (!Ctx->Writes || !Ctx->Writes->keepsBytes() || (Bytes && !Marks))
    return CUDA_ERROR_INVALID_VALUE;
  Ctx->Writes->marks(Address, Bytes, Marks);
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuFlushCaches(void) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->ClockLock);
  Ctx->Clock.flush();
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuFillCaches(uint64_t Address, size_t Bytes) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->ClockLock);
  Ctx->Clock.copied(*Ctx->Engine, Address, Bytes);
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuKeepCaches(void) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    std::lock_guard<std::mutex> Guard(Ctx->ClockLock);
    Ctx->Clock.keepCaches();
    return CUDA_SUCCESS;
  });
}

GEVO_EXPORT int gevoGpuRecallCaches(void) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->ClockLock);
  return Ctx->Clock.recallCaches() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

GEVO_EXPORT int gevoGpuGetLines(GevoGpuLine *Lines, size_t Count,
                                size_t *Needed) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  if (!Needed)
    return CUDA_ERROR_INVALID_VALUE;
  *Needed = Ctx->LastLines.size();
  if (Lines && Count >= Ctx->LastLines.size())
    std::copy(Ctx->LastLines.begin(), Ctx->LastLines.end(), Lines);
  return CUDA_SUCCESS;
}
