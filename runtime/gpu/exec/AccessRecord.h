//===- AccessRecord.h - One access, for the race detector -------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access to a word of memory as a word remembers it, and the marks by which
// words are known to need no look.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_ACCESSRECORD_H
#define GEVO_RUNTIME_GPU_EXEC_ACCESSRECORD_H

#include <cstdint>

namespace gevo::gpu {

/// A mark of a word: who need not look at its accesses before a weak load of
/// all of it, as there is nothing to find and nothing to remember. A number
/// that is not listed is the epoch of a block whose threads it is true for.
/// With MarkAtomics it is true of atomics, not of loads.
enum WordMark : uint32_t {
  MarkNone = 0,
  MarkAlways = 1, ///< Everybody, until the word is accessed otherwise.
  FirstEpoch = 2,
  MarkAtomics = uint32_t(1) << 31
};

/// One access to one word, by lanes of one warp.
struct AccessRecord {
  enum : uint8_t {
    Writes = 1,
    Strong = 2,
    Atomic = 4,
    Silent = 8,    ///< A store of what was there.
    Volatile = 16, ///< Strong, but orders no lanes of a warp.
    CtaScope = 32, ///< Strong among threads of the block only.
    Listed = 128   ///< For ShadowCell: no access but a list of them.
  };
  uint64_t Time = 0; ///< 0: none.
  uint32_t Block = 0;
  uint32_t Lanes = 0;
  uint32_t Place = 0;
  uint8_t Warp = 0;
  uint8_t Bytes = 0; ///< Bit per byte of the word.
  uint8_t Kind = 0;

  bool writes() const { return Kind & Writes; }
  bool atomic() const { return Kind & Atomic; }
  uint32_t thread(unsigned Lane) const { return Warp * 32u + Lane; }
  /// Does all that conflicts with \p Less conflict with this?
  bool covers(const AccessRecord &Less) const;
  /// Weak loads and atomics of whole words can have a mark, and of the class
  /// of the two.
  bool markable() const {
    return Bytes == 0xf && (!Kind || Kind == (Writes | Strong | Atomic));
  }
  uint32_t markClass() const { return Kind ? uint32_t(MarkAtomics) : 0; }
};

inline bool AccessRecord::covers(const AccessRecord &Less) const {
  if (Less.Bytes & ~Bytes || (Less.writes() && !writes()))
    return false;
  if (Kind & Strong) {
    // Of narrow strong accesses only like ones stand for each other.
    if (!(Less.Kind & Strong) || (Kind ^ Less.Kind) & (Volatile | CtaScope))
      return false;
    if (Kind & Volatile && Warp != Less.Warp)
      return false;
  }
  return !(Kind & Silent) || (Less.Kind & Silent) || !Less.writes();
}

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_ACCESSRECORD_H
