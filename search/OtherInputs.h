//===- OtherInputs.h - Inputs like those that were captured -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the user gives no held-out run, inputs that the search has not seen are
// made from those that it has: other values, another order, another count. What
// the original makes of them is what is expected (see renewExpected).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OTHERINPUTS_H
#define GEVO_SEARCH_OTHERINPUTS_H

#include "passes/edit/Random.h"
#include "runtime/gpu/capture/Case.h"
#include <string>
#include <vector>

namespace gevo {

/// A case with other inputs; what is expected of it is not known yet.
struct OtherInput {
  capture::Case Changed;
  /// "other values", "the same values in another order", "96 for 100".
  std::string What;
};

/// Draws inputs like those of \p C. Floats are drawn between the least and the
/// largest of their buffer, everything else from the words that the buffer
/// holds, so that an index stays one. Buffers that hold addresses are left as
/// they are. \p Doubles: floats have eight bytes where that cannot be told from
/// the values.
std::vector<OtherInput> drawOtherInputs(const capture::Case &C, bool Doubles,
                                        Random &Dice);

} // namespace gevo

#endif // GEVO_SEARCH_OTHERINPUTS_H
