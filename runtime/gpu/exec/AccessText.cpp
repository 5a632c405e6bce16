//===- AccessText.cpp - What reports say of a memory access ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/AccessText.h"
#include "runtime/gpu/exec/Block.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace gevo::gpu;

std::string gevo::gpu::hexText(uint64_t V) {
  char Buffer[32];
  std::snprintf(Buffer, sizeof Buffer, "0x%llx", (unsigned long long)V);
  return Buffer;
}

const char *gevo::gpu::verb(AccessKind K) {
  return K == AccessKind::Load    ? "read"
         : K == AccessKind::Store ? "write"
                                  : "atomic access";
}

std::string gevo::gpu::describe(const char *Space, AccessKind K, uint32_t Bytes,
                                uint64_t Address) {
  return std::string(Space) + " " + verb(K) + " of " + std::to_string(Bytes) +
         " bytes at " + hexText(Address);
}

std::string gevo::gpu::beside(int64_t Distance, bool Inside,
                              const std::string &What, uint64_t Bytes) {
  uint64_t Far = uint64_t(Distance < 0 ? -Distance : Distance);
  return (Distance < 0 ? " is " + std::to_string(Far) + " bytes before "
          : Inside     ? " runs over the end of "
                   : " is " + std::to_string(Far) + " bytes past the end of ") +
         What + " of " + std::to_string(Bytes) + " bytes";
}

std::string gevo::gpu::besideNearest(const std::vector<NamedRange> &All,
                                     uint64_t Base, uint64_t Offset) {
  const NamedRange *Best = nullptr;
  int64_t Distance = 0;
  for (const NamedRange &R : All) {
    // Addresses below 0 wrap around, in 32 or 64 bits.
    int64_t D = Offset >> 32 ? int64_t(Offset - Base - R.Begin)
                             : int32_t(uint32_t(Offset - Base - R.Begin));
    if (D >= 0)
      D = std::max<int64_t>(0, D - int64_t(R.Bytes));
    if (Best && std::llabs(D) >= std::llabs(Distance))
      continue;
    Best = &R;
    Distance = D;
  }
  if (!Best)
    return {};
  bool Inside = Offset - Base - Best->Begin < Best->Bytes;
  return " and" +
         beside(Distance, Inside, "variable '" + Best->Name + "'", Best->Bytes);
}

std::vector<NamedRange> gevo::gpu::variablesOf(const Warp &W) {
  std::vector<NamedRange> All;
  for (const Frame *F = W.Current; F; F = F->Caller)
    for (NamedRange R : F->Fn->Variables) {
      R.Begin += F->LocalBase;
      All.push_back(std::move(R));
    }
  return All;
}

std::string gevo::gpu::besideConstant(const Neighbour &N, uint64_t Address) {
  if (!N.Where)
    return {};
  return " and" + beside(N.Distance, N.Where->contains(Address, 1),
                         N.Where->Name.empty()
                             ? "the allocation"
                             : "variable '" + N.Where->Name + "'",
                         N.Where->Bytes);
}
