//===- HeapBlocks.cpp - The table of the device heap's blocks -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/HeapBlocks.h"

#include <cstring>

using namespace gevo::capture;

namespace {

void put(std::string &Table, uint64_t Word) {
  Table.append(reinterpret_cast<const char *>(&Word), sizeof(Word));
}

/// Takes words off the start of a table.
class Words {
public:
  explicit Words(std::string_view Table) : Rest(Table) {}

  uint64_t take() {
    uint64_t Word;
    std::memcpy(&Word, Rest.data(), sizeof(Word));
    Rest.remove_prefix(sizeof(Word));
    return Word;
  }
  uint64_t left() const { return Rest.size() / sizeof(uint64_t); }

private:
  std::string_view Rest;
};

constexpr uint64_t HeaderWords = 4, PieceWords = 3;

} // namespace

void gevo::capture::addBlock(std::string &Table, const Buffer &Block) {
  put(Table, Block.Address);
  put(Table, Block.Size);
  put(Table, uint64_t(Block.Heap));
  put(Table, Block.Pieces.size());
  for (const Piece &P : Block.Pieces) {
    put(Table, P.Offset);
    put(Table, P.Before.size());
    put(Table, !P.Marks.empty());
  }
}

bool gevo::capture::forBlocks(
    std::string_view Table,
    const std::function<void(Buffer &&, const std::vector<IndexPiece> &)> &Do) {
  if (Table.size() % sizeof(uint64_t))
    return false;
  Words In(Table);
  std::vector<IndexPiece> Pieces;
  for (uint64_t End = 0; In.left();) {
    if (In.left() < HeaderWords)
      return false;
    Buffer Block;
    Block.Address = In.take();
    Block.Size = In.take();
    uint64_t Use = In.take(), Count = In.take();
    if (Use < uint64_t(HeapUse::Kept) || Use > uint64_t(HeapUse::Freed) ||
        Block.Address < End || Block.Size > UINT64_MAX - Block.Address ||
        Count > In.left() / PieceWords)
      return false;
    Block.Heap = HeapUse(Use);
    End = Block.Address;
    Pieces.clear();
    for (uint64_t K = 0; K < Count; ++K) {
      IndexPiece P;
      P.Offset = In.take();
      P.Size = In.take();
      uint64_t Written = In.take();
      if (Written > 1)
        return false;
      P.Written = Written;
      Pieces.push_back(P);
    }
    Do(std::move(Block), Pieces);
  }
  return true;
}
