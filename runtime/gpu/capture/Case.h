//===- Case.h - Captured launches -------------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Case is all that a launch depends on and all that it did: configuration,
// arguments, the memory that it touched with its contents before, and what it
// wrote. Addresses are those of the program, so that memory may hold pointers.
// The driver makes cases, CaptureFile keeps them, runtime/measure replays them.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_CASE_H
#define GEVO_RUNTIME_GPU_CAPTURE_CASE_H

#include "runtime/gpu/capture/LargePages.h"
#include "runtime/gpu/ptx/ElementType.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gevo::capture {

using gpu::ElementType;
/// Zeros or a file's bytes where nothing else was put; see LargePages.
using Bytes = std::vector<uint8_t, LargePages<uint8_t>>;
template <typename T> using Table = std::vector<T, LargePages<T>>;

/// What a launch did to a byte: the ElementType of the last store to it (None:
/// not written), and whether it was read before anything wrote it.
constexpr uint8_t ReadFirst = 0x80;
inline ElementType typeOf(uint8_t Mark) {
  return ElementType(Mark & ~ReadFirst);
}
inline bool isWritten(uint8_t Mark) { return (Mark & ~ReadFirst) != 0; }
/// What it held before is of no interest: it was written, and not read before.
inline bool isPoisoned(uint8_t Mark) { return Mark && Mark < ReadFirst; }
/// Where the stretch of equal marks that starts at \p From ends.
size_t endOfRun(const Bytes &Marks, size_t From);

struct MarkCounts {
  size_t Written = 0, Poisoned = 0;
  bool AllKnown = true; ///< None has a type that there is not.
};
MarkCounts countMarks(const Bytes &Marks);

/// A part of a buffer whose contents are known.
struct Piece {
  uint64_t Offset = 0; ///< In the buffer.
  Bytes Before;
  Bytes After; ///< As long as Before, or empty: nothing was written.
  Bytes Marks; ///< One for each byte; empty if nothing was written.
  /// Makes After of a piece that was read for a quick start; then After is
  /// empty although something was written.
  std::function<Bytes(const Piece &)> Late = nullptr;

  uint64_t end() const { return Offset + Before.size(); }
};

/// What a launch does with memory of malloc in device code.
enum class HeapUse : uint8_t {
  None, ///< It is other memory.
  Kept, ///< It is there before and after.
  Made, ///< The launch allocates it, and leaves it there.
  Freed ///< The launch frees it.
};

/// Small blocks of malloc in device code, of one size and use and at equal
/// distances: those of a kernel whose threads make one each are few runs.
struct HeapRun {
  uint64_t Address = 0; ///< Of the first one.
  uint64_t Offset = 0;  ///< In their buffer; the others follow.
  uint64_t Stride = 0;  ///< From the address of one to that of the next.
  uint64_t Count = 1;
  uint32_t Bytes = 0;                     ///< Of each.
  uint32_t Use = uint32_t(HeapUse::Kept); ///< A HeapUse.

  uint64_t addressOf(uint64_t Block) const { return Address + Block * Stride; }
  uint64_t end() const { return addressOf(Count - 1) + Bytes; }
};

/// An allocation, a variable of the module, or small blocks of the device heap,
/// which are many: their memory one after the other, each at a multiple of 16.
struct Buffer {
  uint64_t Address = 0; ///< Of blocks, that of the first one.
  uint64_t Size = 0;    ///< Of blocks, that of their memory in a row.
  std::string Variable; ///< Empty: an allocation.
  bool IsConst = false;
  HeapUse Heap = HeapUse::None; ///< Of a block that is a buffer of its own.
  Table<HeapRun> Blocks;        ///< Ascending; see HeapBlocks.h.
  std::vector<Piece> Pieces;    ///< Ascending, apart from each other.

  /// Is it memory of malloc in device code?
  bool ofHeap() const { return Heap != HeapUse::None || !Blocks.empty(); }

  /// Memory that is only read.
  static Buffer input(uint64_t Address, Bytes Before);
  /// Memory that is written, all of it, with elements of type \p T;
  /// \p Reads: what was there before matters.
  static Buffer output(uint64_t Address, Bytes Before, Bytes After,
                       ElementType T, bool Reads = false);
};

/// A grid or a block.
struct Extent {
  uint32_t X = 1, Y = 1, Z = 1;
  bool operator==(const Extent &O) const {
    return X == O.X && Y == O.Y && Z == O.Z;
  }
};

struct Launch {
  std::string Kernel;
  Extent Grid, Block;
  uint32_t SharedBytes = 0; ///< Dynamic.
  bool Cooperative = false;
  Bytes Params; ///< The parameter buffer.
  /// Where its parameters start; empty: not known.
  std::vector<uint32_t> Offsets;
  uint64_t GridNumber = 0; ///< %gridid; 0: not known.
};

/// Calls of malloc that are alike: of the first one which call of which thread
/// (numbered through the grid), the size, and what it returned; and by how much
/// thread and address change from one to the next.
struct HeapCallRun {
  uint64_t Thread = 0, Number = 0, Bytes = 0, Address = 0;
  uint64_t Count = 1, ThreadStep = 0, AddressStep = 0;
};

/// One launch, or several that follow each other with nothing in between.
struct Case {
  std::vector<Launch> Launches;
  std::vector<Buffer> Buffers; ///< In order of address.
  uint32_t Module = 0;         ///< In Capture::Modules.
  uint64_t Index = 0;          ///< Number of the launch in its process, from 0.
  uint64_t Weight = 1;         ///< Launches of the program it stands for.
  uint64_t WarpInstructions = 0; ///< Of the original; 0: not known.
  uint64_t Cycles = 0;           ///< Of the original; 0: not known.
  double Microseconds = 0;       ///< Of the original; 0: not known.
  Table<HeapCallRun> HeapCalls;  ///< In order of number and thread.
  int64_t HeapChange = 0;        ///< Bytes allocated, less those freed.
  /// What printf in device code printed; nothing: not known.
  std::optional<std::string> Printed;

  /// The %gridid of a launch; of one where it is not known, that of a program
  /// with one context.
  uint64_t gridNumber(size_t Launch) const;
  /// Does it call malloc or free?
  bool callsHeap() const;
  /// Does it touch memory of the heap, so that a variant may free it?
  bool usesHeap() const;
};

/// The cases of a program.
struct Capture {
  std::string Program;              ///< As it was called.
  std::string Gpu;                  ///< The model.
  std::vector<std::string> Modules; ///< PTX.
  std::vector<Case> Cases;
  /// Launches that no weight counts: a process of it was killed.
  uint64_t Uncounted = 0;
};

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_CASE_H
