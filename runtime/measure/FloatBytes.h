//===- FloatBytes.h - Bytes that may be floats ------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files do not tell what they hold, and kernels store floats as bits: a vector
// with one word that is no float is stored as whole numbers. A tolerance that
// takes bits of floats for whole numbers lets far too much pass: a percent is
// less than a ten thousandth there.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_FLOATBYTES_H
#define GEVO_RUNTIME_MEASURE_FLOATBYTES_H

#include "runtime/measure/Comparison.h"

namespace gevo::measure {

/// What a binary content may be an array of: nothing, one type, or, where its
/// bytes do not tell, both. Doubles with few digits are floats too, and most
/// pairs of floats are a double.
std::vector<ElementType> floatTypesOf(std::string_view Content);

/// The floats of 16 bits that a content looks like pairs of: none, or one or
/// both types. A few of them tell nothing.
std::vector<ElementType> halfTypesOf(std::string_view Content);

/// Compares, as floats of type \p T, those elements that are expected to be
/// numbers that people compute with; the others are no floats. Their largest
/// says nothing, as whole numbers may look like floats, so there is no share
/// of it in the floor.
Difference compareStoredBits(ElementType T, std::string_view Expected,
                             std::string_view Actual, Tolerance Limits);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_FLOATBYTES_H
