//===- Harness.h - Rows of the differential tests ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Row pairs a pattern of instructions with the function that says what they
// compute. runRows makes a kernel of each form, runs it over special and random
// operands with both sets of handlers, and compares every result: of whole
// warps, of lanes chosen by a predicate (the others must keep what they had),
// and with the destination being a source.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_ISA_HARNESS_H
#define GEVO_TEST_UNIT_ISA_HARNESS_H

#include "test/unit/isa/Form.h"

#include <array>
#include <string>
#include <vector>

namespace gevo::isa {

constexpr unsigned MaxOperands = 4;

/// What a result must be.
struct Want {
  enum Kind : uint8_t { Exact, Nan, Between, Anything } K = Exact;
  uint64_t Bits = 0;     ///< Exact
  double Lo = 0, Hi = 0; ///< Between, as a value of the destination's type

  static Want exact(uint64_t Bits) { return {Exact, Bits, 0, 0}; }
  static Want nan() { return {Nan, 0, 0, 0}; }
  static Want between(double Lo, double Hi) { return {Between, 0, Lo, Hi}; }
  /// The manual leaves it open.
  static Want anything() { return {Anything, 0, 0, 0}; }
};

/// Computes the results of one lane. \p In has the sources' bits, and after
/// them the immediate. A destination of a packed type takes one Want for each
/// part.
using Reference = void (*)(const Form &F, const uint64_t *In, Want *Out);

struct Row {
  /// See Form.h.
  std::string Pattern;
  /// "W=T,T": destinations, then sources, each the form's first, second or
  /// third type (T, U, V), the one twice as wide as T (W), a predicate (p) or
  /// a type by name. After it '^': in a wider register; '~': mostly small
  /// values; '!': never zero. '#' is an immediate.
  std::string Signature;
  Reference Ref;
  /// The statements if they are more than the instruction: $I is the form, $d
  /// to $g the destinations, $a $b $c $h the sources, $i the immediate, $T the
  /// form's first type as bits, $z its size in bytes; $m and $s are scratch of
  /// the lane in global and shared memory (32 bytes), local such memory, bytes
  /// and p_bytes what knownWord says.
  std::string Body = {};
  /// Values of the immediate; a kernel for each.
  std::vector<uint64_t> Immediates = {};
  /// What $1, $2 and $3 stand for, such as parts of the registers before them;
  /// a kernel for each. The immediate is the index.
  const std::vector<std::array<std::string, 3>> *Parts = nullptr;
  /// Not all forms, but so many that each two words that go together do.
  bool Sample = false;
};

/// The forms of each row of a table that run. A pair of words of rows that are
/// sampled runs once.
std::vector<std::vector<Form>> formsOf(const std::vector<Row> &Table);

/// What the constants and the parameter of a kernel hold, eight bytes each.
constexpr uint64_t knownWord(unsigned K) {
  return 0x81a3c5e7091b2d4f * (2 * K + 1);
}

/// One operand of a row for a form.
struct OperandSpec {
  Type T;
  bool Wider = false, Small = false, NonZero = false;
  /// Bits of its register.
  unsigned registerBits() const;
  bool operator==(const OperandSpec &O) const {
    return T == O.T && Wider == O.Wider && Small == O.Small &&
           NonZero == O.NonZero;
  }
};

struct Shape {
  std::vector<OperandSpec> Dst, Src;
  bool HasImmediate = false;
};
Shape shapeOf(const Row &R, const Form &F);

/// The PTX of one form.
std::string kernelText(const Row &R, const Form &F, uint64_t Immediate,
                       unsigned Lanes);

/// All rows of a family, compared.
void runRows(const std::vector<Row> &Rows);

/// Operands per form: GEVO_ISA_OPERANDS, or 4096; rows of very many
/// forms take fewer for each.
unsigned operandCount();

} // namespace gevo::isa

#endif // GEVO_TEST_UNIT_ISA_HARNESS_H
