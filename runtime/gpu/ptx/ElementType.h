//===- ElementType.h - Types of elements in memory --------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel's stores leave in memory, as the comparison of outputs needs to
// know it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_ELEMENTTYPE_H
#define GEVO_RUNTIME_GPU_PTX_ELEMENTTYPE_H

#include "runtime/gpu/ptx/Opcode.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gevo::gpu {

enum class ElementType : uint8_t {
  None, ///< Nothing was stored.
#define ELEMENT_TYPE(Name, Text, Bytes, Family) Name,
#include "runtime/gpu/ptx/ElementTypes.def"
};
constexpr unsigned NumElementTypes = 1 +
#define ELEMENT_TYPE(Name, Text, Bytes, Family) +1
#include "runtime/gpu/ptx/ElementTypes.def"
    ;

enum class ElementFamily : uint8_t { Unsigned, Signed, Float };

/// "f32"; "none" for None.
const char *elementName(ElementType T);
/// 0 for None.
unsigned elementBytes(ElementType T);
ElementFamily elementFamily(ElementType T);
/// The type named \p Text, if there is one.
std::optional<ElementType> elementByName(std::string_view Text);
/// What an instruction of type \p M stores.
ElementType elementOf(ptx::Mod M);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_PTX_ELEMENTTYPE_H
