//===- FatbinTest.cpp - The fatbin container ------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Fatbin.h"
#include "runtime/gpu/driver/Compression.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace gevo::gpu;

namespace {

FatbinImage ptxImage(unsigned Arch, FatbinCompression Compression) {
  FatbinImage Image;
  Image.Arch = Arch;
  Image.Compression = Compression;
  Image.Data = ".version 8.4\n.target sm_" + std::to_string(Arch) +
               "\n.address_size 64\n.visible .entry k() { ret; }\n";
  return Image;
}

std::vector<FatbinEntry> readOrFail(const std::string &Bytes) {
  std::string Error;
  auto Entries = readFatbin(Bytes, Error);
  EXPECT_TRUE(Entries.has_value()) << Error;
  return Entries.value_or(std::vector<FatbinEntry>());
}

/// Text with repetitions of many lengths and distances.
std::string sampleText(size_t Size, unsigned Seed) {
  std::mt19937 Random(Seed);
  std::string Text;
  while (Text.size() < Size) {
    if (Random() % 3 && Text.size() > 8) {
      size_t From = Random() % Text.size();
      size_t Count = 1 + Random() % 600;
      for (size_t I = 0; I < Count; ++I)
        Text.push_back(Text[From + I]);
    } else {
      for (unsigned I = Random() % 40; I; --I)
        Text.push_back(char(Random() % 256));
    }
  }
  Text.resize(Size);
  return Text;
}

} // namespace

// What is written is read back, for each way of storing it.
TEST(Fatbin, RoundTrip) {
  for (FatbinCompression C : {FatbinCompression::None, FatbinCompression::LZ4,
                              FatbinCompression::Zstd}) {
    FatbinImage A = ptxImage(70, C), B;
    A.Identifier = "kernel.cu";
    A.Options = "-O3 --maxrregcount 32";
    A.IsDebug = true;
    B.Kind = FatbinKind::ELF;
    B.Arch = 90;
    B.ArchSuffix = 'a';
    B.Compression = C;
    B.Data = std::string("\x7f"
                         "ELF\2\1\1\x33\7",
                         9) +
             std::string(91, 'x');
    std::string Bytes = writeFatbin({A, B});
    EXPECT_EQ(Bytes.size(), statedFatbinSize(Bytes.data()));
    auto Entries = readOrFail(Bytes);
    ASSERT_EQ(Entries.size(), 2u);
    std::string Error;
    EXPECT_TRUE(Entries[0].isPTX());
    EXPECT_EQ(Entries[0].Arch, 70u);
    EXPECT_EQ(Entries[0].VersionMajor, 8);
    EXPECT_EQ(Entries[0].VersionMinor, 4);
    EXPECT_EQ(Entries[0].Identifier, "kernel.cu");
    EXPECT_EQ(Entries[0].Options, "-O3 --maxrregcount 32");
    EXPECT_TRUE(Entries[0].IsDebug);
    EXPECT_EQ(Entries[0].Compression, C);
    EXPECT_EQ(Entries[0].image(Error), A.Data);
    EXPECT_TRUE(Entries[1].isELF());
    EXPECT_EQ(Entries[1].ArchSuffix, 'a');
    EXPECT_EQ(Entries[1].VersionMajor, 1);
    EXPECT_EQ(Entries[1].VersionMinor, 7);
    // An uncompressed image keeps the padding, which an ELF reader ignores.
    EXPECT_EQ(Entries[1].image(Error)->substr(0, B.Data.size()), B.Data);
  }
}

// A device takes the newest PTX that is not newer than itself.
TEST(Fatbin, ChoosesPTXForTheDevice) {
  std::vector<FatbinImage> Images;
  for (unsigned Arch : {80, 60, 90, 75})
    Images.push_back(ptxImage(Arch, FatbinCompression::None));
  std::string Bytes = writeFatbin(Images);
  auto Entries = readOrFail(Bytes);
  EXPECT_EQ(choosePTX(Entries, 70)->Arch, 60u);
  EXPECT_EQ(choosePTX(Entries, 75)->Arch, 75u);
  EXPECT_EQ(choosePTX(Entries, 89)->Arch, 80u);
  EXPECT_EQ(choosePTX(Entries, 100)->Arch, 90u);
  EXPECT_EQ(choosePTX(Entries, 52)->Arch, 60u) << "the oldest if all are newer";
  FatbinImage Cubin;
  Cubin.Kind = FatbinKind::ELF;
  Cubin.Arch = 70;
  Cubin.Data = "\x7f"
               "ELF";
  std::string Machine = writeFatbin({Cubin});
  EXPECT_EQ(choosePTX(readOrFail(Machine), 70), nullptr);
}

// Each way in which a container can lie about its sizes is told.
TEST(Fatbin, DamageIsAnError) {
  std::string Good = writeFatbin({ptxImage(70, FatbinCompression::None)});
  std::string Error;
  EXPECT_FALSE(readFatbin("", Error));
  EXPECT_FALSE(readFatbin(Good.substr(0, 15), Error));
  EXPECT_FALSE(readFatbin(Good.substr(0, Good.size() - 1), Error));
  EXPECT_EQ(Error,
            "truncated fatbin: its header states more bytes than there are");
  auto damaged = [&](size_t Offset, uint32_t Value) {
    std::string Bytes = Good;
    std::memcpy(&Bytes[Offset], &Value, sizeof(Value));
    Error.clear();
    return !readFatbin(Bytes, Error);
  };
  EXPECT_TRUE(damaged(0, 0x12345678));
  EXPECT_TRUE(damaged(16 + 4, 0xFFFFFFFF));
  EXPECT_EQ(Error, "fatbin entry with an impossible header size at offset 16");
  EXPECT_TRUE(damaged(16 + 4, 8));
  EXPECT_TRUE(damaged(16 + 8, 0xFFFFFFFF));
  EXPECT_EQ(Error, "fatbin entry longer than its container at offset 16");
}

TEST(Fatbin, DamagedCompressionIsAnError) {
  for (FatbinCompression C :
       {FatbinCompression::LZ4, FatbinCompression::Zstd}) {
    std::string Bytes = writeFatbin({ptxImage(70, C)});
    // The uncompressed size is the last field of the entry header.
    uint64_t Wrong = 1;
    std::memcpy(&Bytes[16 + 56], &Wrong, sizeof(Wrong));
    std::string Error;
    auto Entries = readOrFail(Bytes);
    EXPECT_FALSE(Entries[0].image(Error));
    EXPECT_EQ(Error, "damaged compressed fatbin entry");
  }
}

TEST(Compression, LZ4RoundTrip) {
  for (size_t Size : {0, 1, 12, 13, 17, 300, 5000, 70000, 200000}) {
    std::string Text = sampleText(Size, unsigned(Size));
    std::string Small = compressLZ4(Text);
    EXPECT_EQ(decompressLZ4(Small, Size), Text) << Size;
    if (Size)
      EXPECT_FALSE(decompressLZ4(Small, Size - 1)) << "must respect the limit";
  }
}

// A match may reach into what it produces: "a" then 20 more of it.
TEST(Compression, LZ4OverlappingMatch) {
  std::string Block("\x1f"
                    "a\x01\x00\x01\x10"
                    "b",
                    7);
  EXPECT_EQ(decompressLZ4(Block, 100), std::string(21, 'a') + "b");
}

TEST(Compression, LZ4DamageIsAnError) {
  EXPECT_FALSE(decompressLZ4("", 10)) << "no sequence at all";
  EXPECT_FALSE(decompressLZ4("\xf0", 1000)) << "count cut";
  EXPECT_FALSE(decompressLZ4("\x50"
                             "ab",
                             1000))
      << "literals cut";
  EXPECT_FALSE(decompressLZ4(std::string_view("\x10"
                                              "a\x00\x00",
                                              4),
                             1000))
      << "distance zero";
  EXPECT_FALSE(decompressLZ4(std::string_view("\x10"
                                              "a\x02\x00",
                                              4),
                             1000))
      << "distance before the start";
  EXPECT_FALSE(decompressLZ4(std::string_view("\x10"
                                              "a\x01",
                                              3),
                             1000))
      << "distance cut";
}

TEST(Compression, ZstdRoundTripAndDamage) {
  std::string Text = sampleText(300000, 7);
  std::string Small = compressZstd(Text);
  EXPECT_EQ(decompressZstd(Small, Text.size()), Text);
  EXPECT_FALSE(decompressZstd(Small, Text.size() - 1));
  EXPECT_FALSE(decompressZstd(Small.substr(0, Small.size() - 3), Text.size()));
  EXPECT_FALSE(decompressZstd("not zstd", 100));
}
