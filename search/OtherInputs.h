//===- OtherInputs.h - Inputs like those that were captured -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the user gives no held-out run, inputs that the search has not seen are
// made from those that it has: other values, another order, another count, with
// buffers that fit it, fewer blocks and threads, more of all of these, and one
// memory for two pointers. What the original makes of them is what is expected
// (see renewExpected).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OTHERINPUTS_H
#define GEVO_SEARCH_OTHERINPUTS_H

#include "passes/edit/Random.h"
#include "runtime/gpu/capture/Case.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gevo {

/// A parameter that may be a count, and what it is now.
struct CountChange {
  uint64_t Before = 0;
  uint64_t Now = 0;
};

/// A case with other inputs; what is expected of it is not known yet.
struct OtherInput {
  capture::Case Changed;
  /// "other values", "the same values in another order", "96 for 100".
  std::string What;
  /// Nothing: all counts are as they were.
  std::optional<CountChange> Count;
};

/// Runs the original on a case, which then has what is expected, and says
/// where, by buffer, what it touches ends; false if it does not get along with
/// it.
using RunOriginal =
    llvm::function_ref<bool(capture::Case &, std::vector<uint64_t> &Ends)>;

/// Two pointer arguments of a kernel that may be the same.
struct PointerPair {
  unsigned First = 0, Second = 0;
};

/// A float that a kernel loads from its parameter of that number, with its
/// place there: a structure that is passed by value may have several.
struct FloatWord {
  unsigned Parameter = 0, Offset = 0, Bytes = 0;
};

/// What the code of a kernel tells about its inputs.
struct KernelTraits {
  /// Floats may have eight bytes where that cannot be told from the values.
  bool Doubles = false;
  /// It asks how many threads a block has, and so takes any number.
  bool AnyBlock = false;
  /// The size of each parameter that is declared as a float; 0: it is not.
  std::vector<uint8_t> FloatBytes = {};
  /// In which dimensions it asks that.
  std::array<bool, 3> AsksThreads = {};
  /// What a block may have by its launch bounds.
  uint64_t MostThreads = 1024;
  /// The text does not tell.
  std::vector<PointerPair> Pairs = {};
  std::vector<FloatWord> FloatWords = {};
  /// Those of less than four bytes, which are no counts.
  std::vector<bool> IsNarrow = {};
  /// Its results may have errors, which are more than denormal numbers. The
  /// text does not tell.
  bool Inexact = false;

  bool isFloat(size_t Parameter) const {
    return Parameter < FloatBytes.size() && FloatBytes[Parameter];
  }
};
KernelTraits traitsOf(llvm::StringRef Ptx, llvm::StringRef Kernel);

/// Draws inputs like those of \p C. Floats are drawn between the least and the
/// largest of their buffer, everything else from the words that the buffer
/// holds, so that an index stays one; the only float of a buffer, and floats
/// among the parameters, near what they are. Another draw goes beyond: by the
/// width of the range on both sides. Buffers that hold addresses are left as
/// they are. Buffers of zeros get small numbers, and fractions, in draws of
/// their own; so does a zero among the parameters that is declared as a float
/// or, in a structure, loaded as one. Floats are equal, zeros of both signs,
/// denormal, infinite and no numbers in draws of their own, too.
/// Flags are turned. Sizes differ as OtherSizes.h says, and values with them,
/// as what is zero in the run would hide what a size changes: counts come with
/// other values and with numbers for zeros, blocks and threads with these
/// alone. Two pointers are the same as OtherPointers.h says.
/// \p Works: the original gets along with such a case; where not, fewer buffers
/// have other values. The other changes are not asked about.
std::vector<OtherInput>
drawOtherInputs(const capture::Case &C, const KernelTraits &Traits,
                Random &Dice, llvm::function_ref<bool(capture::Case &)> Works);

/// Inputs with more work than \p C has, or more rounds of a loop, as
/// LargerSizes.h says, or more threads, as LargerBlocks.h says, and with other
/// values where the original gets along with them; what is expected of them is
/// known. \p Ends: where what the original touches with \p C ends, by buffer.
std::vector<OtherInput> drawLargerInputs(const capture::Case &C,
                                         llvm::ArrayRef<uint64_t> Ends,
                                         const KernelTraits &Traits,
                                         Random &Dice, RunOriginal Run);

} // namespace gevo

#endif // GEVO_SEARCH_OTHERINPUTS_H
