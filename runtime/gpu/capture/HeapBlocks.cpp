//===- HeapBlocks.cpp - Small blocks of the device heap -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/HeapBlocks.h"

#include <algorithm>
#include <cassert>

using namespace gevo::capture;

namespace {

/// Writes rows of \p Columns numbers.
template <size_t Columns> class RowWriter {
public:
  void add(const uint64_t (&Row)[Columns]) {
    for (size_t C = 0; C < Columns; ++C) {
      uint64_t Change = Row[C] - Before[C];
      Before[C] = Row[C];
      Change = Change << 1 ^ (0 - (Change >> 63));
      for (; Change > 127; Change >>= 7)
        Text += char(Change | 128);
      Text += char(Change);
    }
  }
  std::string Text;

private:
  uint64_t Before[Columns] = {};
};

/// Reads them.
template <size_t Columns> class RowReader {
public:
  explicit RowReader(std::string_view Text)
      : At(Text.data()), End(Text.data() + Text.size()) {}

  bool isDone() const { return At == End; }
  /// As far as there are rows.
  size_t rows() const {
    return size_t(std::count_if(At, End, [](char C) { return C >= 0; })) /
           Columns;
  }
  /// Row becomes the next one; false if there is only a part of one.
  bool next() {
    for (uint64_t &Cell : Row) {
      uint64_t Change = 0;
      unsigned Shift = 0;
      do {
        if (At == End || Shift > 63)
          return false;
        Change |= uint64_t(uint8_t(*At) & 127) << Shift;
        Shift += 7;
      } while (uint8_t(*At++) & 128);
      Cell += Change >> 1 ^ (0 - (Change & 1));
    }
    return true;
  }
  uint64_t Row[Columns] = {};

private:
  const char *At, *const End;
};

} // namespace

void gevo::capture::addBlock(Table<HeapRun> &Blocks, const HeapRun &One) {
  if (!Blocks.empty()) {
    HeapRun &R = Blocks.back();
    uint64_t Stride = R.Count == 1 ? One.Address - R.Address : R.Stride;
    if (R.Bytes == One.Bytes && R.Use == One.Use &&
        One.Address == R.Address + R.Count * Stride) {
      R.Stride = Stride;
      ++R.Count;
      return;
    }
  }
  Blocks.push_back(One);
}

void gevo::capture::addCall(Table<HeapCallRun> &Calls, const HeapCallRun &One) {
  if (!Calls.empty()) {
    HeapCallRun &R = Calls.back();
    bool Alone = R.Count == 1;
    uint64_t ThreadStep = Alone ? One.Thread - R.Thread : R.ThreadStep;
    uint64_t AddressStep = Alone ? One.Address - R.Address : R.AddressStep;
    if (R.Number == One.Number && R.Bytes == One.Bytes &&
        One.Thread == R.Thread + R.Count * ThreadStep &&
        One.Address == R.Address + R.Count * AddressStep) {
      R.ThreadStep = ThreadStep;
      R.AddressStep = AddressStep;
      ++R.Count;
      return;
    }
  }
  Calls.push_back(One);
}

HeapBlock gevo::capture::blockAt(const Buffer &B, uint64_t Offset) {
  auto Next = std::upper_bound(
      B.Blocks.begin(), B.Blocks.end(), Offset,
      [](uint64_t O, const HeapRun &R) { return O < R.Offset; });
  assert(Next != B.Blocks.begin() && "the first block is at 0");
  const HeapRun &R = *std::prev(Next);
  uint64_t Each = packedBytes(R.Bytes), Block = (Offset - R.Offset) / Each;
  return {R.addressOf(Block), R.Offset + Block * Each};
}

bool gevo::capture::isInOrder(const Buffer &B) {
  uint64_t End = 1, Size = 0;
  for (const HeapRun &R : B.Blocks) {
    if (R.Address < End || !R.Bytes || R.Bytes > LargestSmallBlock ||
        !R.Count || R.Offset != Size || R.Use < uint32_t(HeapUse::Kept) ||
        R.Use > uint32_t(HeapUse::Freed))
      return false;
    uint64_t Room = UINT64_MAX - R.Address, Steps = R.Count - 1;
    if (R.Bytes > Room ||
        (Steps && (R.Stride < R.Bytes || Steps > (Room - R.Bytes) / R.Stride)))
      return false;
    uint64_t Each = packedBytes(R.Bytes);
    if (R.Count > (B.Size - Size) / Each)
      return false;
    Size += R.Count * Each;
    End = R.end();
  }
  return Size == B.Size;
}

std::string gevo::capture::blocksText(const Table<HeapRun> &Blocks) {
  RowWriter<5> Out;
  for (const HeapRun &R : Blocks)
    Out.add({R.Address, R.Stride, R.Count, R.Bytes, R.Use});
  return std::move(Out.Text);
}

std::string gevo::capture::callsText(const Table<HeapCallRun> &Calls) {
  RowWriter<7> Out;
  for (const HeapCallRun &R : Calls)
    Out.add({R.Thread, R.Number, R.Bytes, R.Address, R.Count, R.ThreadStep,
             R.AddressStep});
  return std::move(Out.Text);
}

bool gevo::capture::blocksFrom(std::string_view Text, Table<HeapRun> &Blocks) {
  RowReader<5> In(Text);
  uint64_t Offset = 0;
  Blocks.reserve(In.rows());
  while (!In.isDone()) {
    if (!In.next() || In.Row[3] > LargestSmallBlock || In.Row[4] > UINT32_MAX)
      return false;
    Blocks.push_back({In.Row[0], Offset, In.Row[1], In.Row[2],
                      uint32_t(In.Row[3]), uint32_t(In.Row[4])});
    Offset += In.Row[2] * packedBytes(In.Row[3]);
  }
  return true;
}

bool gevo::capture::callsFrom(std::string_view Text,
                              Table<HeapCallRun> &Calls) {
  RowReader<7> In(Text);
  Calls.reserve(In.rows());
  while (!In.isDone()) {
    if (!In.next())
      return false;
    Calls.push_back({In.Row[0], In.Row[1], In.Row[2], In.Row[3], In.Row[4],
                     In.Row[5], In.Row[6]});
  }
  return true;
}
