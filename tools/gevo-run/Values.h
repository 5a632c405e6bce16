//===- Values.h - Elements of buffers and arguments -------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_VALUES_H
#define GEVO_TOOLS_GEVO_RUN_VALUES_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace gevo::run {

/// What the bits of an element mean.
enum class ElementKind { Signed, Unsigned, Float };

/// A type that launch.json can name.
struct ElementType {
  const char *Name;
  unsigned Bytes;
  ElementKind Kind;
  bool IsBFloat = false;
};

/// The type named \p Name, or null.
const ElementType *findType(const std::string &Name);
/// "f16, bf16, f32, ...".
std::string typeNames();

/// The bits of \p Value, rounded to nearest even, as an element of a float
/// type.
uint64_t encodeFloat(const ElementType &Type, double Value);

/// The bits of the number that \p Text spells, or nothing if it is none or out
/// of range.
std::optional<uint64_t> parseValue(const ElementType &Type,
                                   const std::string &Text);
/// The same for a number in a JSON file.
std::optional<uint64_t> parseValue(const ElementType &Type,
                                   const nlohmann::ordered_json &Value);

/// The element with these bits as JSON; what JSON has no number for is spelled
/// "nan", "inf" or "-inf".
nlohmann::ordered_json valueJson(const ElementType &Type, uint64_t Bits);

/// Element \p Index of the documented random sequence \p Seed: 64 bits that
/// depend on nothing else.
uint64_t randomBits(uint64_t Seed, uint64_t Index);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_VALUES_H
