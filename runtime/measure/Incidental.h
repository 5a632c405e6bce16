//===- Incidental.h - Numbers that change without a result ------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where numbers of a text change from run to run, the words around them say
// whether that is to be expected, as of times and rates, dates, seeds and
// numbers of processes, or whether the program's results change. A word says it
// before the number, with everything up to the next number that has a name of
// its own, or as a unit behind it; in a table the head of the column does, or
// all of the head where columns cannot be told; so does a heading. In doubt
// they are to be expected. How many others there are, next to those that stay,
// is what a program that gives no two same answers is known by:
//
//   time for 100 iterations: 3.4      3.4 is incidental
//   sum 345.2 in 3.4 ms               3.4 is
//   bandwidth 12, sum 345.2           12 is
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_INCIDENTAL_H
#define GEVO_RUNTIME_MEASURE_INCIDENTAL_H

#include "runtime/measure/Words.h"

namespace gevo::measure {

/// The numbers of \p Text of which the words around them say that they are
/// times, rates or the like.
WordSet incidentalNumbers(std::string_view Text);

/// The numbers of a text, by what repeated runs make of them.
struct Steadiness {
  size_t Same = 0;       ///< They are compared.
  size_t Incidental = 0; ///< They change, which is to be expected.
  size_t Named = 0;      ///< They change, and words say what they are.
  size_t Bare = 0;       ///< They change, in lines and tables without words.
  /// The first that is Named or Bare, if there is one.
  size_t First = 0;

  size_t results() const { return Named + Bare; }
  /// Is what is compared worth anything next to what is not? Labels are among
  /// the numbers that stay, as in "sum of 100 numbers: 3.5"; a number alone in
  /// its line may be a time.
  bool suffices() const {
    return results() < Same || (results() == Same && !Named);
  }
};

/// \p Changing: those that repeated runs print otherwise; \p Ignored: all that
/// are not compared.
Steadiness steadinessOf(std::string_view Text, const WordSet &Changing,
                        const WordSet &Ignored);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_INCIDENTAL_H
