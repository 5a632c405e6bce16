//===- JsonScan.h - Where things stand in a JSON text -----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::json values do not know where they came from, and its parser recurses
// as deep as its input nests. This scan gives messages their line and column,
// and refuses texts that nest too deep before the parser sees them.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_EDIT_JSONSCAN_H
#define GEVO_PASSES_EDIT_JSONSCAN_H

#include "passes/edit/EditSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace gevo {

/// One step from a JSON value to a value inside it: a key or an index.
struct JsonStep {
  llvm::StringRef Key;
  size_t Index = 0;
  bool operator==(const JsonStep &O) const {
    return Key == O.Key && Index == O.Index;
  }
};

using JsonPath = llvm::SmallVector<JsonStep, 8>;

/// The line and column of byte \p Offset of \p Text, both from 1.
FilePosition positionAt(llvm::StringRef Text, size_t Offset);

/// The first byte at which \p Text nests deeper than \p Limit, or npos.
size_t findTooDeep(llvm::StringRef Text, unsigned Limit);

/// A key that stands a second time in one object, and where its value does.
struct SecondKey {
  llvm::StringRef Key;
  FilePosition Where;
};

/// Calls \p Visit with the path and position of every value in \p Text, which
/// must be valid JSON that nests no deeper than the caller's stack allows.
/// Returns the first second key: a parser takes one value and says nothing.
std::optional<SecondKey>
scanJson(llvm::StringRef Text,
         llvm::function_ref<void(const JsonPath &, FilePosition)> Visit);

} // namespace gevo

#endif // GEVO_PASSES_EDIT_JSONSCAN_H
