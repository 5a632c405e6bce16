//===- PlacedHeap.h - A device heap as a replay wants it --------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A captured launch may have tens of thousands of small blocks of the device
// heap, at addresses that pointers in memory know. To make each an allocation
// before every replay would take longer than most launches. So the table of the
// capture serves as it is, a row for all blocks of one size at equal distances,
// and costs next to nothing to put up: a block gets what it holds when somebody
// asks for an address in it or when malloc returns it. The memory of all blocks
// lies packed:
//
//   addresses 0x1040 and 0x1060, 24 bytes    bytes 0 to 23 and 32 to 55
//   address 0x10d0, 16 bytes                 bytes 64 to 79
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_PLACEDHEAP_H
#define GEVO_RUNTIME_GPU_EXEC_PLACEDHEAP_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

namespace gevo::gpu {

/// What a block takes of packed memory.
inline uint64_t packedBytes(uint64_t Bytes) { return (Bytes + 15) / 16 * 16; }

/// A small block; two of them are apart.
struct HeapBlock {
  enum UseKind : uint32_t {
    Kept = 1, ///< It is there before and after the launch.
    Made,     ///< The launch makes it.
    Freed     ///< The launch frees it; what it held then is of no interest.
  };
  uint64_t Address = 0;
  uint64_t Offset = 0; ///< In packed memory.
  uint32_t Bytes = 0;
  uint32_t Use = Kept;

  uint64_t end() const { return Address + Bytes; }
};

/// Blocks that are alike, at equal distances.
struct HeapRun {
  uint64_t Address = 0; ///< Of the first one.
  uint64_t Offset = 0;  ///< In packed memory, where the others follow.
  uint64_t Stride = 0;  ///< From the address of one to that of the next.
  uint64_t Count = 1;
  uint32_t Bytes = 0; ///< Of each.
  uint32_t Use = HeapBlock::Kept;

  HeapBlock block(uint64_t Number) const {
    return {Address + Number * Stride, Offset + Number * packedBytes(Bytes),
            Bytes, Use};
  }
  uint64_t end() const { return block(Count - 1).end(); }
};

/// See the file comment.
class PlacedHeap {
public:
  /// \p Runs, in order of address and of memory, and \p Start, the packed
  /// memory, must stay as they are while this exists. Throws bad_alloc.
  PlacedHeap(const HeapRun *Runs, size_t Count, const char *Start);

  /// Of the blocks that are there now.
  uint64_t bytes() const { return Bytes; }
  /// The first block that is there and has a byte in [\p Begin, \p End), if
  /// there is one. It stays as it is.
  std::optional<HeapBlock> peek(uint64_t Begin, uint64_t End) const;
  /// The block that is there and has \p Address, holding what it should, if
  /// there is one.
  std::optional<HeapBlock> find(uint64_t Address);
  /// The blocks next to \p Address, where there are any.
  std::pair<std::optional<HeapBlock>, std::optional<HeapBlock>>
  around(uint64_t Address) const;
  /// malloc returns the block at \p Address; false if that is none of those
  /// that the launch makes, or has another size.
  bool make(uint64_t Address, uint64_t Size);
  /// Frees the block at \p Address; false if there is none.
  bool free(uint64_t Address);
  /// Copies what blocks hold that were used, and are there afterwards, to
  /// \p Packed; the others are as they were.
  void read(char *Packed) const;

private:
  /// What happened to a block; at first nothing, and it is as the table says.
  enum State : uint8_t { Untouched, Awake, Gone };
  struct Free {
    void operator()(void *P) const { std::free(P); }
  };
  /// A block by its run and its number there; one past the last is none.
  struct Place {
    const HeapRun *Run;
    uint64_t Number;
    HeapBlock block() const { return Run->block(Number); }
  };

  State &stateOf(const HeapBlock &B) const { return States[B.Offset / 16]; }
  bool isThere(const HeapBlock &B) const {
    State S = stateOf(B);
    return S == Awake || (S == Untouched && B.Use != HeapBlock::Made);
  }
  /// The first block that ends after \p Address.
  Place after(uint64_t Address) const;
  bool isEnd(const Place &P) const { return P.Run == Last; }
  bool isFirst(const Place &P) const { return P.Run == First && !P.Number; }
  static void goOn(Place &P);
  static void goBack(Place &P);
  void wake(const HeapBlock &B);

  const HeapRun *const First, *const Last;
  const char *const Start;
  /// By place in packed memory, so that nothing need be done for those blocks
  /// that nobody asks for.
  std::unique_ptr<State[], Free> States;
  uint64_t Bytes = 0;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_PLACEDHEAP_H
