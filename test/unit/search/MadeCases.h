//===- MadeCases.h - Cases that tests make --------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_SEARCH_MADECASES_H
#define GEVO_TEST_UNIT_SEARCH_MADECASES_H

#include "runtime/gpu/capture/Case.h"
#include <cstring>
#include <vector>

namespace gevo {

/// One buffer of \p Values, and a count of them as parameter.
template <typename T>
capture::Case caseOf(const std::vector<T> &Values, uint64_t Address = 4096) {
  capture::Case C;
  C.Launches.emplace_back();
  capture::Launch &L = C.Launches[0];
  uint32_t Count = Values.size();
  L.Params.resize(12);
  std::memcpy(&L.Params[0], &Address, 8);
  std::memcpy(&L.Params[8], &Count, 4);
  L.Offsets = {0, 8};
  capture::Bytes Bytes(Values.size() * sizeof(T));
  std::memcpy(Bytes.data(), Values.data(), Bytes.size());
  C.Buffers.push_back(capture::Buffer::input(Address, Bytes));
  return C;
}

/// What the first buffer of \p C holds.
template <typename T> std::vector<T> valuesIn(const capture::Case &C) {
  const capture::Bytes &Bytes = C.Buffers[0].Pieces[0].Before;
  std::vector<T> Values(Bytes.size() / sizeof(T));
  std::memcpy(Values.data(), Bytes.data(), Bytes.size());
  return Values;
}

/// An original that gets along with everything.
inline bool anyWorks(capture::Case &) { return true; }

} // namespace gevo

#endif // GEVO_TEST_UNIT_SEARCH_MADECASES_H
