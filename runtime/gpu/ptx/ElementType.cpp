//===- ElementType.cpp - Types of elements in memory ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/ElementType.h"

using namespace gevo::gpu;

namespace {
struct Row {
  const char *Text;
  unsigned Bytes;
  ElementFamily Family;
};

const Row Rows[] = {
    {"none", 0, ElementFamily::Unsigned},
#define ELEMENT_TYPE(Name, Text, Bytes, Family)                                \
  {Text, Bytes, ElementFamily::Family},
#include "runtime/gpu/ptx/ElementTypes.def"
};
} // namespace

const char *gevo::gpu::elementName(ElementType T) {
  return Rows[unsigned(T)].Text;
}
unsigned gevo::gpu::elementBytes(ElementType T) {
  return Rows[unsigned(T)].Bytes;
}
ElementFamily gevo::gpu::elementFamily(ElementType T) {
  return Rows[unsigned(T)].Family;
}

std::optional<ElementType> gevo::gpu::elementByName(std::string_view Text) {
  for (unsigned K = 1; K < NumElementTypes; ++K)
    if (Text == Rows[K].Text)
      return ElementType(K);
  return std::nullopt;
}

ElementType gevo::gpu::elementOf(ptx::Mod M) {
  using ptx::Mod;
  // Copies of blocks of memory have no type.
  if (M == Mod::None)
    return ElementType::U8;
  if (std::optional<ElementType> T = elementByName(ptx::modText(M)))
    return *T;
  switch (M) {
  case Mod::F16X2:
    return ElementType::F16;
  case Mod::BF16X2:
    return ElementType::BF16;
  case Mod::B128:
    return ElementType::U64;
  default:
    break;
  }
  switch (ptx::typeBits(M)) {
  case 16:
    return ElementType::U16;
  case 32:
    return ElementType::U32;
  case 64:
    return ElementType::U64;
  default:
    return ElementType::U8;
  }
}
