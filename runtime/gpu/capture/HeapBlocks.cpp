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

const HeapBlock &gevo::capture::blockAt(const Buffer &B, uint64_t Offset) {
  auto Next = std::upper_bound(
      B.Blocks.begin(), B.Blocks.end(), Offset,
      [](uint64_t O, const HeapBlock &One) { return O < One.Offset; });
  assert(Next != B.Blocks.begin() && "the first block is at 0");
  return *std::prev(Next);
}

bool gevo::capture::isInOrder(const Buffer &B) {
  uint64_t End = 1, Size = 0;
  for (const HeapBlock &One : B.Blocks) {
    if (One.Address < End || !One.Bytes || One.Bytes > LargestSmallBlock ||
        One.Address > UINT64_MAX - One.Bytes || One.Offset != Size ||
        One.Use < uint32_t(HeapUse::Kept) || One.Use > uint32_t(HeapUse::Freed))
      return false;
    End = One.end();
    Size += packedBytes(One.Bytes);
  }
  return Size == B.Size;
}

std::string gevo::capture::blocksText(const Table<HeapBlock> &Blocks) {
  RowWriter<3> Out;
  for (const HeapBlock &B : Blocks)
    Out.add({B.Address, B.Bytes, B.Use});
  return std::move(Out.Text);
}

std::string gevo::capture::callsText(const Table<HeapCall> &Calls) {
  RowWriter<4> Out;
  for (const HeapCall &C : Calls)
    Out.add({C.Thread, C.Number, C.Bytes, C.Address});
  return std::move(Out.Text);
}

bool gevo::capture::blocksFrom(std::string_view Text,
                               Table<HeapBlock> &Blocks) {
  RowReader<3> In(Text);
  uint64_t Offset = 0;
  Blocks.reserve(In.rows());
  while (!In.isDone()) {
    if (!In.next() || In.Row[1] > LargestSmallBlock || In.Row[2] > UINT32_MAX)
      return false;
    Blocks.push_back(
        {In.Row[0], Offset, uint32_t(In.Row[1]), uint32_t(In.Row[2])});
    Offset += packedBytes(In.Row[1]);
  }
  return true;
}

bool gevo::capture::callsFrom(std::string_view Text, Table<HeapCall> &Calls) {
  RowReader<4> In(Text);
  Calls.reserve(In.rows());
  while (!In.isDone()) {
    if (!In.next())
      return false;
    Calls.push_back({In.Row[0], In.Row[1], In.Row[2], In.Row[3]});
  }
  return true;
}
