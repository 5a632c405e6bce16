//===- Operands.h - Special and random operands -----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_ISA_OPERANDS_H
#define GEVO_TEST_UNIT_ISA_OPERANDS_H

#include "test/unit/isa/Harness.h"

namespace gevo::isa {

/// A stream of random numbers that is the same on every machine.
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}
  uint64_t next() {
    uint64_t Z = (State += 0x9e3779b97f4a7c15);
    Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
    return Z ^ Z >> 31;
  }
  /// Below \p N.
  unsigned below(unsigned N) { return unsigned(next() % N); }

private:
  uint64_t State;
};

/// Zeros, ends of ranges, subnormals, infinities, NaNs, halfway cases.
const std::vector<uint64_t> &specialValues(Type T);

/// \p Count operands of each source: the product of the special values first,
/// as far as they go, then random ones. Result[k][i] is source k of lane i.
std::vector<std::vector<uint64_t>>
makeOperands(const std::vector<OperandSpec> &Src, unsigned Count,
             uint64_t Seed);

} // namespace gevo::isa

#endif // GEVO_TEST_UNIT_ISA_OPERANDS_H
