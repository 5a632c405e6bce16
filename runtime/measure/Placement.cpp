//===- Placement.cpp - Memory at captured addresses -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Placement.h"

#include <algorithm>
#include <cstdio>

using namespace gevo;
using namespace gevo::cuda;
using namespace gevo::measure;

namespace {

std::string hex(uint64_t V) {
  char Text[24];
  std::snprintf(Text, sizeof(Text), "0x%llx", (unsigned long long)V);
  return Text;
}

// CUDA's virtual memory management, as its driver API has it.
struct MemLocation {
  int Type; // 1: a device
  int Id;
};
struct MemProperties {
  int Type; // 1: pinned
  int HandleTypes;
  MemLocation Where;
  void *Win32;
  unsigned char Flags[8];
};
struct MemAccess {
  MemLocation Where;
  int Flags; // 3: read and write
};

struct VirtualMemory {
  CUresult (*Granularity)(size_t *, const MemProperties *, int);
  CUresult (*Reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr,
                      unsigned long long);
  CUresult (*Unreserve)(CUdeviceptr, size_t);
  CUresult (*Create)(unsigned long long *, size_t, const MemProperties *,
                     unsigned long long);
  CUresult (*Release)(unsigned long long);
  CUresult (*Map)(CUdeviceptr, size_t, size_t, unsigned long long,
                  unsigned long long);
  CUresult (*Unmap)(CUdeviceptr, size_t);
  CUresult (*SetAccess)(CUdeviceptr, size_t, const MemAccess *, size_t);

  explicit VirtualMemory(const Device &D) {
    auto find = [&](auto &F, const char *Name) {
      F = reinterpret_cast<std::remove_reference_t<decltype(F)>>(
          D.symbol(Name));
      Complete &= F != nullptr;
    };
    find(Granularity, "cuMemGetAllocationGranularity");
    find(Reserve, "cuMemAddressReserve");
    find(Unreserve, "cuMemAddressFree");
    find(Create, "cuMemCreate");
    find(Release, "cuMemRelease");
    find(Map, "cuMemMap");
    find(Unmap, "cuMemUnmap");
    find(SetAccess, "cuMemSetAccess");
  }
  bool Complete = true;
};

} // namespace

bool Placement::placeEmbedded(const capture::Buffer &B, std::string &Error) {
  // They come with what they hold; see MemoryImage.
  if (!B.Blocks.empty())
    return true;
  const char *Variable = B.Variable.empty() ? nullptr : B.Variable.c_str();
  const DriverTable &T = D.driver();
  int R = B.Heap == capture::HeapUse::None
              ? T.gevoGpuAllocAt(B.Address, B.Size, Variable, B.IsConst)
              : T.gevoGpuAllocHeapAt(B.Address, B.Size);
  if (R) {
    Error = "cannot place " + std::to_string(B.Size) + " bytes at " +
            hex(B.Address) +
            ", as the program had them: " + D.errorName(CUresult(R));
    return false;
  }
  Placed.push_back({B.Address, B.Size, 0});
  return true;
}

bool Placement::mapRange(uint64_t Base, uint64_t Bytes, std::string &Error) {
  VirtualMemory VM(D);
  MemProperties Props = {1, 0, {1, D.ordinal()}, nullptr, {}};
  MemAccess Access = {{1, D.ordinal()}, 3};
  size_t Unit = 0;
  if (!VM.Complete || VM.Granularity(&Unit, &Props, 0) || !Unit) {
    Error = "this driver cannot place memory at given addresses";
    return false;
  }
  uint64_t First = Base / Unit * Unit;
  uint64_t End = (Base + Bytes + Unit - 1) / Unit * Unit;
  // Neighbours share units.
  for (const Range &R : Placed)
    if (R.Base <= First && First < R.Base + R.Bytes)
      First = std::min(End, R.Base + R.Bytes);
  if (First == End)
    return true;
  CUdeviceptr At = 0;
  if (VM.Reserve(&At, End - First, 0, First, 0) || At != First) {
    if (At)
      VM.Unreserve(At, End - First);
    Error = "this driver has no room for " + std::to_string(End - First) +
            " bytes at " + hex(First) + ", where the program had them";
    return false;
  }
  Range R{First, End - First, 0};
  CUresult Failed = VM.Create(&R.Handle, R.Bytes, &Props, 0);
  if (!Failed)
    Failed = VM.Map(At, R.Bytes, 0, R.Handle, 0);
  if (!Failed)
    Failed = VM.SetAccess(At, R.Bytes, &Access, 1);
  if (!Failed)
    Failed = D.driver().cuMemsetD8_v2(At, 0, R.Bytes);
  Placed.push_back(R);
  if (Failed)
    Error = "cannot map " + std::to_string(R.Bytes) + " bytes at " +
            hex(First) + ": " + D.errorName(Failed);
  return !Failed;
}

bool Placement::place(const std::vector<capture::Buffer> &Buffers,
                      std::string &Error) {
  clear();
  for (const capture::Buffer &B : Buffers) {
    // Elsewhere variables lie where the module has them.
    bool Ok = D.isEmbedded()       ? placeEmbedded(B, Error)
              : B.Variable.empty() ? mapRange(B.Address, B.Size, Error)
                                   : true;
    if (!Ok) {
      clear();
      return false;
    }
  }
  return true;
}

void Placement::clear() {
  if (Placed.empty())
    return;
  if (D.isEmbedded()) {
    for (const Range &R : Placed)
      D.driver().gevoGpuFreeAt(R.Base);
  } else {
    VirtualMemory VM(D);
    for (const Range &R : Placed) {
      VM.Unmap(R.Base, R.Bytes);
      VM.Release(R.Handle);
      VM.Unreserve(R.Base, R.Bytes);
    }
  }
  Placed.clear();
}

void Placement::forget() { Placed.clear(); }
