//===- HostMemory.cpp - The program's own memory on a device --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that is not of the arena becomes an entry of the allocation table: at
// once, or, while a launch has the table, as soon as that launch needs it.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Memory.h"

using namespace gevo::gpu;

bool GlobalMemory::registerHost(void *Ptr, uint64_t Bytes) {
  uint64_t Base = reinterpret_cast<uint64_t>(Ptr);
  if (!Ptr || !Bytes || Base + Bytes < Base)
    return false;
  auto Next = Live.lower_bound(Base);
  if (Next != Live.end() && Next->first < Base + Bytes)
    return false;
  if (Next != Live.begin() && std::prev(Next)->second.end() > Base)
    return false;
  Allocation A;
  A.Base = Base;
  A.Bytes = Bytes;
  A.Kind = MemoryKind::HostRegistered;
  A.Id = NextId++;
  ++Generation;
  Live.emplace(Base, std::move(A));
  return true;
}

bool GlobalMemory::unregisterHost(void *Ptr) {
  takeInAnnounced();
  auto It = Live.find(reinterpret_cast<uint64_t>(Ptr));
  if (It == Live.end() || It->second.Kind != MemoryKind::HostRegistered)
    return false;
  Live.erase(It);
  ++Generation;
  return true;
}

void GlobalMemory::announceHost(void *Ptr, uint64_t Bytes) {
  std::lock_guard<std::mutex> Guard(AnnounceLock);
  Announced.emplace_back(Ptr, Bytes);
}

/// Registers what was announced; false if there is nothing.
bool GlobalMemory::takeInAnnounced() {
  std::vector<std::pair<void *, uint64_t>> New;
  {
    std::lock_guard<std::mutex> Guard(AnnounceLock);
    New.swap(Announced);
  }
  for (auto [Ptr, Bytes] : New)
    registerHost(Ptr, Bytes);
  return !New.empty();
}
