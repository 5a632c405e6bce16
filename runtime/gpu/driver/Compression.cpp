//===- Compression.cpp - The two compressions of a fatbin -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An LZ4 block is a sequence of (token, literals, distance, match): the
// token's high four bits count literals, its low four bits count matched bytes
// beyond four; fifteen means that further bytes add to the count until one is
// not 255. The last sequence ends after its literals.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Compression.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>
#include <zstd.h>

using namespace gevo::gpu;

namespace {

constexpr size_t MinMatch = 4;
/// The format wants the last five bytes as literals and no match that starts
/// within the last twelve.
constexpr size_t TailLiterals = 5;
constexpr size_t NoMatchTail = 12;

/// Reads a sequence of bytes and never past its end.
class ByteReader {
public:
  explicit ByteReader(std::string_view In) : In(In) {}
  bool atEnd() const { return Pos == In.size(); }
  bool byte(uint8_t &B) {
    if (atEnd())
      return false;
    B = uint8_t(In[Pos++]);
    return true;
  }
  bool take(size_t Count, std::string_view &Bytes) {
    if (Count > In.size() - Pos)
      return false;
    Bytes = In.substr(Pos, Count);
    Pos += Count;
    return true;
  }
  /// Adds to \p Count the bytes that continue a nibble of fifteen.
  bool extend(size_t &Count) {
    if (Count != 15)
      return true;
    uint8_t B;
    do {
      if (!byte(B))
        return false;
      Count += B;
    } while (B == 255);
    return true;
  }

private:
  std::string_view In;
  size_t Pos = 0;
};

void writeCountTail(std::string &Out, size_t Count) {
  if (Count < 15)
    return;
  for (Count -= 15; Count >= 255; Count -= 255)
    Out.push_back(char(0xFF));
  Out.push_back(char(Count));
}

void writeSequence(std::string &Out, std::string_view Literals, size_t Distance,
                   size_t MatchSize) {
  size_t Extra = MatchSize ? MatchSize - MinMatch : 0;
  Out.push_back(char(std::min<size_t>(Literals.size(), 15) << 4 |
                     std::min<size_t>(Extra, 15)));
  writeCountTail(Out, Literals.size());
  Out.append(Literals);
  if (!MatchSize)
    return;
  Out.push_back(char(Distance & 0xFF));
  Out.push_back(char(Distance >> 8));
  writeCountTail(Out, Extra);
}

} // namespace

std::optional<std::string> gevo::gpu::decompressLZ4(std::string_view In,
                                                    size_t MaxSize) {
  std::string Out;
  ByteReader Reader(In);
  uint8_t Token, Low, High;
  while (Reader.byte(Token)) {
    size_t LiteralCount = Token >> 4;
    std::string_view Literals;
    if (!Reader.extend(LiteralCount) || !Reader.take(LiteralCount, Literals) ||
        LiteralCount > MaxSize - Out.size())
      return std::nullopt;
    Out.append(Literals);
    if (Reader.atEnd())
      return Out;
    size_t MatchSize = Token & 15;
    if (!Reader.byte(Low) || !Reader.byte(High) || !Reader.extend(MatchSize))
      return std::nullopt;
    MatchSize += MinMatch;
    size_t Distance = Low | size_t(High) << 8;
    if (!Distance || Distance > Out.size() || MatchSize > MaxSize - Out.size())
      return std::nullopt;
    // A match may overlap what it produces, which repeats a pattern: copy by
    // the distance so that each piece is complete before it is read.
    size_t From = Out.size() - Distance;
    while (MatchSize) {
      size_t Piece = std::min(MatchSize, Out.size() - From);
      size_t At = Out.size();
      Out.resize(At + Piece);
      std::memcpy(&Out[At], &Out[From], Piece);
      MatchSize -= Piece;
    }
  }
  // A block ends with literals, so input that ends elsewhere was cut.
  return std::nullopt;
}

std::string gevo::gpu::compressLZ4(std::string_view In) {
  constexpr unsigned HashBits = 14;
  constexpr size_t MaxDistance = 65535;
  std::vector<uint32_t> Last(size_t(1) << HashBits, UINT32_MAX);
  assert(In.size() < UINT32_MAX && "positions are kept in 32 bits");
  std::string Out;
  size_t Anchor = 0, Pos = 0;
  size_t Limit = In.size() > NoMatchTail ? In.size() - NoMatchTail : 0;
  while (Pos < Limit) {
    uint32_t Word;
    std::memcpy(&Word, In.data() + Pos, sizeof(Word));
    uint32_t &Slot = Last[Word * 2654435761u >> (32 - HashBits)];
    size_t Candidate = Slot;
    Slot = uint32_t(Pos);
    if (Candidate == UINT32_MAX || Pos - Candidate > MaxDistance ||
        std::memcmp(In.data() + Candidate, In.data() + Pos, MinMatch)) {
      ++Pos;
      continue;
    }
    size_t Size = MinMatch, End = In.size() - TailLiterals;
    while (Pos + Size < End && In[Candidate + Size] == In[Pos + Size])
      ++Size;
    writeSequence(Out, In.substr(Anchor, Pos - Anchor), Pos - Candidate, Size);
    Pos += Size;
    Anchor = Pos;
  }
  writeSequence(Out, In.substr(Anchor), 0, 0);
  return Out;
}

std::optional<std::string> gevo::gpu::decompressZstd(std::string_view In,
                                                     size_t MaxSize) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)> Context(ZSTD_createDCtx(),
                                                              ZSTD_freeDCtx);
  if (!Context)
    return std::nullopt;
  // A frame may ask for a window of gigabytes; nothing we accept needs more
  // than the largest image.
  ZSTD_DCtx_setParameter(Context.get(), ZSTD_d_windowLogMax, 28);
  std::string Out;
  std::vector<char> Piece(ZSTD_DStreamOutSize());
  ZSTD_inBuffer Input{In.data(), In.size(), 0};
  for (;;) {
    ZSTD_outBuffer Output{Piece.data(), Piece.size(), 0};
    size_t Left = ZSTD_decompressStream(Context.get(), &Output, &Input);
    if (ZSTD_isError(Left) || Output.pos > MaxSize - Out.size())
      return std::nullopt;
    Out.append(Piece.data(), Output.pos);
    if (Left == 0)
      return Out;
    if (Output.pos == 0 && Input.pos == Input.size)
      return std::nullopt;
  }
}

std::string gevo::gpu::compressZstd(std::string_view In) {
  std::string Out(ZSTD_compressBound(In.size()), 0);
  size_t Size = ZSTD_compress(Out.data(), Out.size(), In.data(), In.size(), 3);
  assert(!ZSTD_isError(Size) && "the buffer has the bound's size");
  Out.resize(Size);
  return Out;
}
