//===- SameCode.cpp - Texts that are one module ---------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Line by line, as most texts that differ do so in the first few.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/SameCode.h"

using namespace gevo::gpu::ptx;

/// Whether \p Line, which has no space at its ends, begins with \p Word.
static bool beginsWith(std::string_view Line, std::string_view Word) {
  return Line.substr(0, Line.find_first_of(" \t")) == Word;
}

/// Takes the next line that is code off \p Text; empty at the end.
static std::string_view takeCode(std::string_view &Text) {
  constexpr std::string_view Space = " \t\r";
  while (!Text.empty()) {
    std::string_view Line = Text.substr(0, Text.find('\n'));
    Text.remove_prefix(Line.size() + (Line.size() < Text.size()));
    Line = Line.substr(0, Line.find("//"));
    size_t Begin = Line.find_first_not_of(Space);
    if (Begin == Line.npos)
      continue;
    Line = Line.substr(Begin, Line.find_last_not_of(Space) + 1 - Begin);
    // Debug sections come last.
    if (beginsWith(Line, ".section"))
      Text = {};
    else if (!beginsWith(Line, ".loc") && !beginsWith(Line, ".file"))
      return Line;
  }
  return {};
}

bool gevo::gpu::ptx::isSameCode(std::string_view A, std::string_view B) {
  std::string_view Line;
  do {
    Line = takeCode(A);
    if (Line != takeCode(B))
      return false;
  } while (!Line.empty());
  return true;
}
