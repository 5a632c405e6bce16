//===- Fatbin.cpp - NVIDIA's container of device code ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout was read off the bytes that the tools of CUDA 12 and 13 write.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Fatbin.h"
#include "runtime/gpu/driver/Compression.h"

#include <cassert>
#include <cstdio>
#include <cstring>

using namespace gevo::gpu;

namespace {

struct FileHeader {
  uint32_t Magic;
  uint16_t Version;
  uint16_t HeaderSize;
  uint64_t EntryBytes;
};
static_assert(sizeof(FileHeader) == 16, "layout of the container");

struct EntryHeader {
  uint16_t Kind;
  uint16_t Version;
  uint32_t HeaderSize;  ///< With identifier and options; the payload follows.
  uint64_t PayloadSize; ///< Padded to 8 bytes.
  uint32_t CompressedSize;
  uint32_t OptionsOffset; ///< Of an OptionsHeader, or 0.
  uint16_t VersionMinor;
  uint16_t VersionMajor;
  uint32_t Arch;
  uint32_t IdentifierOffset;
  uint32_t IdentifierSize;
  uint64_t Flags;
  uint64_t Reserved;
  uint64_t UncompressedSize; ///< 0 unless compressed.
};
static_assert(sizeof(EntryHeader) == 64, "layout of the container");

/// Stands before the text of the ptxas options, which ends in a nul.
struct OptionsHeader {
  uint32_t TextOffset; ///< From the start of the entry header.
  uint32_t TextSize;
};

constexpr uint16_t FileVersion = 1;
constexpr uint16_t EntryVersion = 0x0101;
constexpr uint64_t Flag64Bit = 0x1;
constexpr uint64_t FlagDebug = 0x2;
constexpr uint64_t FlagLinux = 0x10;
constexpr uint64_t FlagLZ4 = 0x2000;
constexpr uint64_t FlagZstd = 0x8000;
constexpr uint64_t FlagArchSpecific = 0x100000;
constexpr uint64_t FlagFamilySpecific = 0x200000;

std::string at(const char *What, size_t Offset) {
  char Text[128];
  std::snprintf(Text, sizeof(Text), "%s at offset %zu", What, Offset);
  return Text;
}

std::string_view part(std::string_view Bytes, size_t Offset, size_t Size) {
  if (Offset > Bytes.size() || Size > Bytes.size() - Offset)
    return {};
  return Bytes.substr(Offset, Size);
}

/// Reads the entry at \p Offset and moves \p Offset past it.
bool readEntry(std::string_view Bytes, size_t &Offset, FatbinEntry &Entry,
               std::string &Error) {
  EntryHeader Header;
  if (Bytes.size() - Offset < sizeof(Header)) {
    Error = at("truncated fatbin entry header", Offset);
    return false;
  }
  std::memcpy(&Header, Bytes.data() + Offset, sizeof(Header));
  size_t Room = Bytes.size() - Offset;
  if (Header.HeaderSize < sizeof(Header) || Header.HeaderSize > Room) {
    Error = at("fatbin entry with an impossible header size", Offset);
    return false;
  }
  if (Header.PayloadSize > Room - Header.HeaderSize) {
    Error = at("fatbin entry longer than its container", Offset);
    return false;
  }
  Entry.Kind = Header.Kind;
  Entry.Arch = Header.Arch;
  Entry.ArchSuffix = Header.Flags & FlagArchSpecific     ? 'a'
                     : Header.Flags & FlagFamilySpecific ? 'f'
                                                         : 0;
  Entry.VersionMajor = Header.VersionMajor;
  Entry.VersionMinor = Header.VersionMinor;
  Entry.Is64Bit = Header.Flags & Flag64Bit;
  Entry.IsDebug = Header.Flags & FlagDebug;
  Entry.Compression = Header.Flags & FlagZstd  ? FatbinCompression::Zstd
                      : Header.Flags & FlagLZ4 ? FatbinCompression::LZ4
                                               : FatbinCompression::None;
  Entry.UncompressedSize = Header.UncompressedSize;
  std::string_view Head = Bytes.substr(Offset, Header.HeaderSize);
  if (Header.IdentifierOffset)
    Entry.Identifier =
        part(Head, Header.IdentifierOffset, Header.IdentifierSize);
  OptionsHeader Options;
  if (std::string_view Raw = part(Head, Header.OptionsOffset, sizeof(Options));
      Header.OptionsOffset && !Raw.empty()) {
    std::memcpy(&Options, Raw.data(), sizeof(Options));
    Entry.Options = part(Head, Options.TextOffset, Options.TextSize);
  }
  Entry.Payload =
      Bytes.substr(Offset + Header.HeaderSize, size_t(Header.PayloadSize));
  if (Entry.Compression != FatbinCompression::None) {
    if (Header.CompressedSize > Header.PayloadSize) {
      Error =
          at("fatbin entry with more compressed bytes than it holds", Offset);
      return false;
    }
    Entry.Payload = Entry.Payload.substr(0, Header.CompressedSize);
  }
  Offset += Header.HeaderSize + size_t(Header.PayloadSize);
  return true;
}

size_t padded(size_t Size) { return (Size + 7) & ~size_t(7); }

/// Finds "X.Y" of ".version X.Y" in PTX text.
void readPTXVersion(const std::string &Text, EntryHeader &Header) {
  size_t Pos = Text.find(".version");
  unsigned Major = 0, Minor = 0;
  if (Pos != std::string::npos &&
      std::sscanf(Text.c_str() + Pos, ".version %5u.%5u", &Major, &Minor) ==
          2) {
    Header.VersionMajor = uint16_t(Major);
    Header.VersionMinor = uint16_t(Minor);
  }
}

std::string compressed(const FatbinImage &Image, const std::string &Data) {
  switch (Image.Compression) {
  case FatbinCompression::None:
    return Data;
  case FatbinCompression::LZ4:
    return compressLZ4(Data);
  case FatbinCompression::Zstd:
    return compressZstd(Data);
  }
  assert(false && "unknown compression");
  return Data;
}

void writeEntry(std::string &Out, const FatbinImage &Image) {
  bool IsPTX = Image.Kind == FatbinKind::PTX;
  EntryHeader Header = {};
  Header.Kind = uint16_t(Image.Kind);
  Header.Version = EntryVersion;
  Header.Arch = Image.Arch;
  Header.Flags = FlagLinux | (Image.Is64Bit ? Flag64Bit : 0) |
                 (Image.IsDebug ? FlagDebug : 0) |
                 (Image.ArchSuffix == 'a' ? FlagArchSpecific : 0) |
                 (Image.ArchSuffix == 'f' ? FlagFamilySpecific : 0);
  std::string Data = Image.Data;
  if (IsPTX) {
    readPTXVersion(Data, Header);
    // Drivers take uncompressed PTX for a C string.
    Data.push_back(0);
  } else {
    // Byte 8 of a cubin is the version of its ABI, the minor of its version.
    Header.VersionMajor = 1;
    Header.VersionMinor = Data.size() > 8 ? uint8_t(Data[8]) : 0;
  }
  std::string Tail;
  if (!Image.Identifier.empty()) {
    Header.IdentifierOffset = sizeof(Header);
    Header.IdentifierSize = uint32_t(Image.Identifier.size());
    Tail = Image.Identifier;
    Tail.resize(padded(Tail.size() + 1));
  }
  if (IsPTX) {
    OptionsHeader Options;
    Header.OptionsOffset = uint32_t(sizeof(Header) + Tail.size());
    Options.TextOffset = Header.OptionsOffset + uint32_t(sizeof(Options));
    Options.TextSize = uint32_t(Image.Options.size());
    Tail.append(reinterpret_cast<const char *>(&Options), sizeof(Options));
    Tail += Image.Options;
    Tail.resize(padded(Tail.size() + 1));
  }
  Header.HeaderSize = uint32_t(sizeof(Header) + Tail.size());
  std::string Payload = compressed(Image, Data);
  if (Image.Compression != FatbinCompression::None) {
    Header.CompressedSize = uint32_t(Payload.size());
    Header.UncompressedSize = Data.size();
    Header.Flags |=
        Image.Compression == FatbinCompression::LZ4 ? FlagLZ4 : FlagZstd;
  }
  Payload.resize(padded(Payload.size()));
  Header.PayloadSize = Payload.size();
  Out.append(reinterpret_cast<const char *>(&Header), sizeof(Header));
  Out += Tail;
  Out += Payload;
}

} // namespace

bool gevo::gpu::isFatbin(std::string_view Bytes) {
  uint32_t Magic;
  if (Bytes.size() < sizeof(FileHeader))
    return false;
  std::memcpy(&Magic, Bytes.data(), sizeof(Magic));
  return Magic == FatbinMagic;
}

size_t gevo::gpu::statedFatbinSize(const void *Bytes) {
  FileHeader Header;
  std::memcpy(&Header, Bytes, sizeof(Header));
  return Header.HeaderSize + size_t(Header.EntryBytes);
}

std::optional<std::vector<FatbinEntry>>
gevo::gpu::readFatbin(std::string_view Bytes, std::string &Error) {
  if (!isFatbin(Bytes)) {
    Error = "not a fatbin: its first word is not 0xBA55ED50";
    return std::nullopt;
  }
  FileHeader Header;
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  if (Header.HeaderSize < sizeof(Header) || Header.HeaderSize > Bytes.size() ||
      Header.EntryBytes > Bytes.size() - Header.HeaderSize) {
    Error = "truncated fatbin: its header states more bytes than there are";
    return std::nullopt;
  }
  Bytes = Bytes.substr(0, Header.HeaderSize + size_t(Header.EntryBytes));
  std::vector<FatbinEntry> Entries;
  size_t Offset = Header.HeaderSize;
  while (Offset < Bytes.size()) {
    FatbinEntry Entry;
    if (!readEntry(Bytes, Offset, Entry, Error))
      return std::nullopt;
    Entries.push_back(Entry);
  }
  return Entries;
}

std::optional<std::string> FatbinEntry::image(std::string &Error) const {
  std::optional<std::string> Image;
  switch (Compression) {
  case FatbinCompression::None:
    Image = std::string(Payload);
    break;
  case FatbinCompression::LZ4:
    Image = decompressLZ4(Payload, MaxFatbinImage);
    break;
  case FatbinCompression::Zstd:
    Image = decompressZstd(Payload, MaxFatbinImage);
    break;
  }
  if (!Image || (Compression != FatbinCompression::None &&
                 Image->size() != UncompressedSize)) {
    Error = "damaged compressed fatbin entry";
    return std::nullopt;
  }
  if (isPTX())
    if (size_t End = Image->find('\0'); End != std::string::npos)
      Image->resize(End);
  return Image;
}

const FatbinEntry *gevo::gpu::choosePTX(const std::vector<FatbinEntry> &Entries,
                                        unsigned Arch) {
  const FatbinEntry *Best = nullptr;
  for (const FatbinEntry &Entry : Entries) {
    if (!Entry.isPTX())
      continue;
    if (!Best) {
      Best = &Entry;
      continue;
    }
    bool Fits = Entry.Arch <= Arch, BestFits = Best->Arch <= Arch;
    if (Fits != BestFits
            ? Fits
            : (Fits ? Entry.Arch > Best->Arch : Entry.Arch < Best->Arch))
      Best = &Entry;
  }
  return Best;
}

std::string gevo::gpu::writeFatbin(const std::vector<FatbinImage> &Images) {
  FileHeader Header = {FatbinMagic, FileVersion, sizeof(FileHeader), 0};
  std::string Entries;
  for (const FatbinImage &Image : Images)
    writeEntry(Entries, Image);
  Header.EntryBytes = Entries.size();
  std::string Out(reinterpret_cast<const char *>(&Header), sizeof(Header));
  return Out + Entries;
}
