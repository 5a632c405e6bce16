//===- RaceShadow.cpp - The accesses that words remember ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/RaceShadow.h"

#include <algorithm>

using namespace gevo::gpu;

uint32_t RecordPool::take() {
  if (Free.empty()) {
    Lists.emplace_back();
    Bytes += sizeof(RecordList) + sizeof(uint32_t);
    return uint32_t(Lists.size() - 1);
  }
  uint32_t Index = Free.back();
  Free.pop_back();
  return Index;
}

void RecordPool::assign(uint32_t Index, const RecordList &From) {
  RecordList &To = Lists[Index];
  Bytes -= To.capacity() * sizeof(AccessRecord);
  To.assign(From.begin(), From.end());
  Bytes += To.capacity() * sizeof(AccessRecord);
}

void RecordPool::clear() {
  Lists.clear();
  Free.clear();
  Bytes = 0;
}

void ShadowCell::read(const RecordPool &Pool, RecordList &To) const {
  To.clear();
  if (listed())
    To = Pool[First.Place];
  else if (!empty())
    To.push_back(First);
}

void ShadowCell::write(RecordPool &Pool, const RecordList &From) {
  if (From.size() > 1) {
    if (!listed()) {
      First = AccessRecord();
      First.Time = 1;
      First.Kind = AccessRecord::Listed;
      First.Place = Pool.take();
    }
    return Pool.assign(First.Place, From);
  }
  if (listed())
    Pool.give(First.Place);
  First = From.empty() ? AccessRecord() : From.front();
}

ShadowPage *GlobalShadow::page(uint64_t Address, uint64_t Limit) {
  uint64_t Number = Address / PageBytes;
  Recent &R = Cache[Number % Cache.size()];
  if (R.Number == Number)
    return R.Page;
  auto It = Pages.find(Number);
  if (It == Pages.end()) {
    if (bytes() + sizeof(ShadowPage) > Limit)
      return nullptr;
    It = Pages.emplace(Number, std::make_unique<ShadowPage>()).first;
  }
  R.Number = Number;
  R.Page = It->second.get();
  return R.Page;
}

void GlobalShadow::prefetch(const uint64_t (&A)[32], uint32_t Mask) const {
  uint64_t First = A[__builtin_ctz(Mask)], Last = A[31 - __builtin_clz(Mask)];
  if (Last - First < PageBytes)
    return;
  for (uint32_t M = Mask; M; M &= M - 1) {
    uint64_t Address = A[__builtin_ctz(M)], Number = Address / PageBytes;
    const Recent &R = Cache[Number % Cache.size()];
    if (R.Number != Number)
      continue;
    size_t Word = Address % PageBytes / 4;
    __builtin_prefetch(&R.Page->Words[Word]);
    __builtin_prefetch(&R.Page->Marked[Word]);
  }
}

void GlobalShadow::forget(uint64_t Address, uint64_t Bytes, RecordPool &Pool) {
  for (uint64_t A = Address & ~uint64_t(3); A < Address + Bytes; A += 4) {
    auto It = Pages.find(A / PageBytes);
    if (It == Pages.end()) {
      A = (A / PageBytes + 1) * PageBytes - 4;
      continue;
    }
    size_t Word = A % PageBytes / 4;
    It->second->Words[Word].write(Pool, {});
    It->second->Marked[Word] = MarkNone;
  }
}
