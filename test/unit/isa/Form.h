//===- Form.h - Instructions as patterns of their words ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pattern stands for many instructions: "add{.rn,.rz}{,.ftz}.f32" for four. A
// Form is one of them, with what its words say. Nothing here comes from the
// embedded GPU, so that the references stay independent of it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_ISA_FORM_H
#define GEVO_TEST_UNIT_ISA_FORM_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::isa {

/// A PTX type by its name.
struct Type {
  enum Kind : uint8_t {
    None,
    Unsigned,
    Signed,
    Bits,
    Float,
    Brain,
    Tf32,
    Pred
  };
  Kind K = None;
  unsigned Size = 0;  ///< Bits of one part.
  unsigned Parts = 1; ///< 2 for f16x2.

  /// Kind None if \p Name is no type. Eight-bit floats are Bits.
  static Type parse(std::string_view Name);
  bool operator==(const Type &O) const {
    return K == O.K && Size == O.Size && Parts == O.Parts;
  }
  bool isFloat() const { return K == Float || K == Brain || K == Tf32; }
  bool isSigned() const { return K == Signed; }
  unsigned bits() const { return Size * Parts; }
  /// The value bits of a part.
  uint64_t mask() const {
    return Size >= 64 ? ~uint64_t(0) : (uint64_t(1) << Size) - 1;
  }
  /// One part of a packed type.
  Type part() const { return {K, Size, 1}; }
};

enum class Round : uint8_t { None, Nearest, Zero, Down, Up, Away };

/// A hash of a word, so that references look words up quickly.
constexpr uint64_t wordKey(std::string_view Word) {
  uint64_t H = 14695981039346656037u;
  for (char C : Word)
    H = (H ^ uint8_t(C)) * 1099511628211u;
  return H;
}

/// One instruction without its operands.
struct Form {
  std::string Text;               ///< "add.rn.f32"
  std::vector<std::string> Words; ///< "add", "rn", "f32"
  std::vector<Type> Types;        ///< Of the words that are types, in order.

  explicit Form(std::string Text);
  const std::string &opcode() const { return Words[0]; }
  bool has(std::string_view Word) const { return hasKey(wordKey(Word)); }
  Type type(unsigned N = 0) const {
    return N < Types.size() ? Types[N] : Type();
  }
  /// rn and rni are Nearest, and so on.
  Round round() const { return Direction; }
  /// The first of \p List that is among the words, or "".
  std::string_view oneOf(std::initializer_list<std::string_view> List) const;
  /// By wordKey.
  bool hasKey(uint64_t Key) const {
    for (uint64_t K : Keys)
      if (K == Key)
        return true;
    return false;
  }

private:
  std::vector<uint64_t> Keys;
  Round Direction = Round::None;
};

/// All the forms of a pattern, in order. An alternative may be empty.
std::vector<Form> expand(std::string_view Pattern);

/// \p V as a value of type \p T.
inline int64_t signExtend(uint64_t V, unsigned Bits) {
  return Bits >= 64 ? int64_t(V) : int64_t(V << (64 - Bits)) >> (64 - Bits);
}
inline __int128 valueOf(uint64_t V, Type T) {
  return T.isSigned() ? __int128(signExtend(V, T.Size))
                      : __int128(V & T.mask());
}

} // namespace gevo::isa

#endif // GEVO_TEST_UNIT_ISA_FORM_H
