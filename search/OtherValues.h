//===- OtherValues.h - Values like those of a buffer ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of OtherInputs that knows values: what a buffer holds is told by its
// contents, as a capture has no types for memory that is only read.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OTHERVALUES_H
#define GEVO_SEARCH_OTHERVALUES_H

#include "passes/edit/Random.h"
#include "runtime/gpu/capture/Case.h"
#include <cstring>

namespace gevo {

template <typename T> T loadAs(const uint8_t *From) {
  T Value;
  std::memcpy(&Value, From, sizeof(T));
  return Value;
}

/// How values are drawn.
enum class Draw {
  Like,    ///< Floats in the range of the buffer, words from among its own.
  Beyond,  ///< In a range that is three times as wide.
  Order,   ///< The same in another order.
  Counts,  ///< Small numbers in buffers of zeros, and those alone.
  Parts,   ///< Numbers between -1 and 1 there.
  Equal,   ///< Floats of which many are equal, from those of the buffer.
  Signed,  ///< The same, with zeros of both signs and negated.
  Ties,    ///< The same, with denormal numbers.
  Specials ///< As Signed, and one in 16 is an infinity or no number.
};

/// Draws what \p B of \p C holds anew; false if it is left as it is: memory
/// that holds addresses, that the launch only writes, or that has no other
/// order, as all of it is the same. Zeros alone may be of any type: they have
/// draws of their own, one for each that the kernel's stores there do not
/// exclude. A number that fills a buffer alone does not stay alone: a kernel
/// that takes it for granted would be right, and a whole number that is alone
/// in its buffer becomes larger by one, and smaller for a draw beyond. \p
/// Doubles: floats have eight bytes where that cannot be told from the values.
bool drawValues(capture::Buffer &B, const capture::Case &C, bool Doubles,
                Draw How, Random &Dice);

/// Is \p B read as it was before the launch? What is only written is no input.
bool isInput(const capture::Buffer &B);

/// Does \p Word point into a buffer of \p C?
bool isAddress(uint64_t Word, const capture::Case &C);

/// Does a word of \p B?
bool holdsAddresses(capture::Buffer &B, const capture::Case &C);

/// Is the word at \p At of \p Params a half of such an address?
bool isOfAddress(const capture::Bytes &Params, size_t At,
                 const capture::Case &C);

/// Draws the float of \p Size bytes at \p Of within a half of what it is;
/// false, and nothing is changed, if it is no number that people compute with.
bool drawNear(uint8_t *Of, size_t Size, Random &Dice);

/// Draws a number between -1 and 1, which is not 0, in the place of a zero of
/// \p Size bytes; false, and nothing is changed, if it is none.
bool drawForZero(uint8_t *Of, size_t Size, Random &Dice);

/// Is every float that \p Now is expected to write finite, or not finite in
/// \p Before either?
bool staysFinite(const capture::Case &Before, const capture::Case &Now);

} // namespace gevo

#endif // GEVO_SEARCH_OTHERVALUES_H
