//===- Device.cpp - The embedded GPU --------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Device.h"
#include "runtime/gpu/exec/Code.h"
#include "runtime/gpu/exec/Heap.h"

#include <cstring>

using namespace gevo::gpu;

namespace {
using Guard = std::lock_guard<std::mutex>;
} // namespace

Device::Device(DeviceConfig C) : Config(C), Memory(C.GlobalBytes) {}
Device::~Device() = default;

void Device::setStackBytesPerThread(uint32_t Bytes) {
  Guard G(Lock);
  Config.StackBytesPerThread = std::min(Bytes, 512u * 1024);
}

void Device::setDeviceHeapBytes(uint64_t Bytes) {
  Guard G(Lock);
  Config.DeviceHeapBytes = Bytes;
}

uint64_t Device::allocate(uint64_t Bytes, MemoryKind Kind, uint64_t Align) {
  Guard G(Lock);
  return Memory.allocate(Bytes, Kind, Align);
}

bool Device::allocateAt(uint64_t Address, uint64_t Bytes, MemoryKind Kind,
                        std::string Name) {
  Guard G(Lock);
  return Memory.allocateAt(Address, Bytes, Kind, std::move(Name));
}

void Device::allocateFromTop() {
  Guard G(Lock);
  Memory.allocateFromTop();
}

bool Device::mapFile(uint64_t Address, uint64_t Bytes, int File,
                     uint64_t Skip) {
  Guard G(Lock);
  return Memory.mapFile(Address, Bytes, File, Skip);
}

bool Device::release(uint64_t Address) {
  Guard G(Lock);
  return Memory.release(Address);
}

bool Device::registerHost(void *Ptr, uint64_t Bytes) {
  Guard G(Lock);
  return Memory.registerHost(Ptr, Bytes);
}

bool Device::unregisterHost(void *Ptr) {
  Guard G(Lock);
  return Memory.unregisterHost(Ptr);
}

void Device::announceHost(void *Ptr, uint64_t Bytes) {
  Memory.announceHost(Ptr, Bytes);
}

bool Device::isInArena(uint64_t Address) const {
  return Memory.isInArena(Address);
}

MemoryStatus Device::copyToDevice(uint64_t Dst, const void *Src,
                                  uint64_t Bytes) {
  Guard G(Lock);
  if (!Bytes)
    return MemoryStatus::Ok;
  if (!Memory.find(Dst, Bytes))
    return MemoryStatus::InvalidAddress;
  std::memcpy(reinterpret_cast<void *>(Dst), Src, Bytes);
  return MemoryStatus::Ok;
}

MemoryStatus Device::copyFromDevice(void *Dst, uint64_t Src, uint64_t Bytes) {
  Guard G(Lock);
  if (!Bytes)
    return MemoryStatus::Ok;
  if (!Memory.find(Src, Bytes))
    return MemoryStatus::InvalidAddress;
  std::memcpy(Dst, reinterpret_cast<const void *>(Src), Bytes);
  return MemoryStatus::Ok;
}

uint64_t Device::offsetOf(uint64_t Address) {
  std::lock_guard<std::mutex> Guard(Lock);
  return Memory.offsetOf(Address);
}

MemoryStatus Device::copyDeviceToDevice(uint64_t Dst, uint64_t Src,
                                        uint64_t Bytes) {
  Guard G(Lock);
  if (!Bytes)
    return MemoryStatus::Ok;
  if (!Memory.find(Dst, Bytes) || !Memory.find(Src, Bytes))
    return MemoryStatus::InvalidAddress;
  std::memmove(reinterpret_cast<void *>(Dst),
               reinterpret_cast<const void *>(Src), Bytes);
  return MemoryStatus::Ok;
}

MemoryStatus Device::set(uint64_t Dst, uint32_t Value, uint32_t ElementBytes,
                         uint64_t Count) {
  Guard G(Lock);
  if (!Count)
    return MemoryStatus::Ok;
  if (Count > UINT64_MAX / 4 || !Memory.find(Dst, Count * ElementBytes))
    return MemoryStatus::InvalidAddress;
  char *P = reinterpret_cast<char *>(Dst);
  if (ElementBytes == 1) {
    std::memset(P, int(Value & 0xff), Count);
    return MemoryStatus::Ok;
  }
  for (uint64_t K = 0; K < Count; ++K)
    std::memcpy(P + K * ElementBytes, &Value, ElementBytes);
  return MemoryStatus::Ok;
}

MemoryStatus Device::check(uint64_t Address, uint64_t Bytes) {
  Guard G(Lock);
  return Memory.find(Address, Bytes) ? MemoryStatus::Ok
                                     : MemoryStatus::InvalidAddress;
}

std::optional<Allocation> Device::lookup(uint64_t Address) {
  Guard G(Lock);
  const Allocation *A = Memory.find(Address);
  return A ? std::optional<Allocation>(*A) : std::nullopt;
}

void Device::forAllocations(const std::function<void(const Allocation &)> &Do) {
  Guard G(Lock);
  for (const Allocation *A : Memory.allocations())
    Do(*A);
}

bool Device::placeHeap(const HeapRun *Runs, size_t Count, const char *Start) {
  Guard G(Lock);
  return Memory.placeHeap(Runs, Count, Start);
}

void Device::dropHeap() {
  Guard G(Lock);
  Memory.dropHeap();
}

void Device::readHeap(char *Packed) {
  Guard G(Lock);
  Memory.readHeap(Packed);
}

void Device::releaseMade(const HeapRecord &Record) {
  Guard G(Lock);
  if (!Memory.heapBytes())
    return;
  for (const HeapCall &Call : Record.calls()) {
    const Allocation *A = Call.Address ? Memory.find(Call.Address) : nullptr;
    if (A && A->Base == Call.Address && A->Kind == MemoryKind::DeviceHeap &&
        Record.isMade(*A))
      Memory.release(A->Base);
  }
}

uint64_t Device::totalBytes() const { return Memory.totalBytes(); }

uint64_t Device::usedBytes() const { return Memory.usedBytes(); }

LaunchResult Device::launch(const Kernel &K, const LaunchOptions &O) {
  auto Session = LaunchSession::create(*this, K, O);
  if (!Session) {
    LaunchResult R;
    R.Status = LaunchStatus::InvalidConfiguration;
    R.Message = Session.error().Message;
    return R;
  }
  (*Session)->runAll();
  return (*Session)->result();
}

void Device::setNextGrid(uint64_t Number) {
  std::lock_guard<std::mutex> Guard(Lock);
  GridsRun = Number - 1;
}

const Kernel *LoadedModule::kernel(std::string_view Name) const {
  for (const auto &K : Kernels)
    if (K->name() == Name)
      return K.get();
  return nullptr;
}

const ModuleVariable *LoadedModule::variable(std::string_view Name) const {
  for (const ModuleVariable &V : Variables)
    if (V.IsNamed && V.Name == Name)
      return &V;
  return nullptr;
}
