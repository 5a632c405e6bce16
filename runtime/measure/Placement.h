//===- Placement.h - Memory at captured addresses ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives the buffers of a case their memory where the program had it. The
// embedded GPU places each buffer by itself, with its bounds; other drivers map
// memory of their granularity at those addresses with CUDA's virtual memory
// functions, and where a driver cannot, it is said.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_PLACEMENT_H
#define GEVO_RUNTIME_MEASURE_PLACEMENT_H

#include "runtime/gpu/capture/Case.h"
#include "runtime/measure/Device.h"

namespace gevo::measure {

/// The memory of one case; gives it back when destroyed.
class Placement {
public:
  explicit Placement(Device &D) : D(D) {}
  ~Placement() { clear(); }
  Placement(const Placement &) = delete;
  Placement &operator=(const Placement &) = delete;

  /// Places \p Buffers, zeroed. On failure nothing is placed and \p Error says
  /// why.
  bool place(const std::vector<capture::Buffer> &Buffers, std::string &Error);
  void clear();
  /// The context has ended, and its memory with it.
  void forget();

private:
  struct Range {
    uint64_t Base = 0, Bytes = 0;
    unsigned long long Handle = 0; ///< Of mapped memory.
  };

  bool placeEmbedded(const capture::Buffer &B, std::string &Error);
  bool mapRange(uint64_t Base, uint64_t Bytes, std::string &Error);

  Device &D;
  std::vector<Range> Placed;
};

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_PLACEMENT_H
