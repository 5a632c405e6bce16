//===- Tally.h - What a soak counted -------------------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lives in memory that the parent shares with its children, so that what a
// child counted before it crashed is not lost: plain numbers only.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_SOAK_TALLY_H
#define GEVO_TEST_SOAK_TALLY_H

#include "passes/edit/Edit.h"
#include <cstdint>

namespace gevo {

constexpr unsigned EditKindCount = 0
#define GEVO_EDIT_KIND(Id, Name, Weight, Required, Optional, Summary) +1
#include "passes/edit/EditKinds.def"
    ;

/// What became of the edit sets of one sort.
struct Outcomes {
  uint64_t Applied = 0;
  /// Some function was left as it was, with a reason.
  uint64_t Refused = 0;
  /// The text is not an edit set, with a reason.
  uint64_t Unreadable = 0;
};

struct Tally {
  /// As drawn; with some edits left out; with some fields changed.
  Outcomes Drawn, Subsets, Corrupted;
  uint64_t Failures = 0;
  uint64_t Lowered = 0;
  uint64_t Assembled = 0;
  uint64_t EditsDrawn[EditKindCount] = {};
  uint64_t EditsRefused[EditKindCount] = {};

  /// Where the child is: the case and its step.
  uint64_t Seed = 0;
  const char *Step = "";
};

} // namespace gevo

#endif // GEVO_TEST_SOAK_TALLY_H
