//===- Handle.cpp - Handles that cannot dangle ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Handle.h"

using namespace gevo::driver;

uintptr_t HandleTable::add(ObjectKind Kind, std::shared_ptr<Object> Value) {
  std::lock_guard<std::mutex> Guard(Lock);
  uint32_t Index;
  if (Free.empty()) {
    Index = uint32_t(Slots.size());
    Slots.emplace_back();
  } else {
    Index = Free.back();
    Free.pop_back();
  }
  Slot &S = Slots[Index];
  S.Kind = Kind;
  S.Value = std::move(Value);
  return uintptr_t(Kind) << KindShift |
         uintptr_t(S.Generation) << GenerationShift | Index;
}

const HandleTable::Slot *HandleTable::slot(ObjectKind Kind,
                                           uintptr_t Handle) const {
  uint32_t Index = uint32_t(Handle);
  if (Handle >> KindShift != uint64_t(Kind) || Index >= Slots.size())
    return nullptr;
  const Slot &S = Slots[Index];
  bool Matches = S.Value && S.Kind == Kind &&
                 S.Generation == (Handle >> GenerationShift & GenerationMask);
  return Matches ? &S : nullptr;
}

std::shared_ptr<Object> HandleTable::get(ObjectKind Kind,
                                         uintptr_t Handle) const {
  std::lock_guard<std::mutex> Guard(Lock);
  const Slot *S = slot(Kind, Handle);
  return S ? S->Value : nullptr;
}

std::shared_ptr<Object> HandleTable::remove(ObjectKind Kind, uintptr_t Handle) {
  std::lock_guard<std::mutex> Guard(Lock);
  const Slot *Found = slot(Kind, Handle);
  if (!Found)
    return nullptr;
  Slot &S = Slots[uint32_t(Handle)];
  std::shared_ptr<Object> Value = std::move(S.Value);
  S.Value = nullptr;
  // A slot whose generations are used up is never given again.
  if (++S.Generation <= GenerationMask)
    Free.push_back(uint32_t(Handle));
  return Value;
}
