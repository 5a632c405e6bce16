//===- CaptureFileTest.cpp - Captures on disk are whole or refused --------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/Blob.h"
#include "test/unit/measure/CaptureFolder.h"

#include <unistd.h>

using namespace gevo;
using namespace gevo::capture;

namespace {

using CaptureFileTest = CaptureFolder;

TEST_F(CaptureFileTest, RoundTrip) {
  write(sample());
  std::string Error;
  std::optional<Capture> Read = readCapture(Folder, Error);
  ASSERT_TRUE(Read) << Error;
  Capture Want = sample();
  EXPECT_EQ(Read->Program, "app");
  EXPECT_EQ(Read->Gpu, "V100");
  EXPECT_EQ(Read->Modules, Want.Modules);
  ASSERT_EQ(Read->Cases.size(), 1u);
  const Case &X = Read->Cases[0], &Y = Want.Cases[0];
  ASSERT_EQ(X.Launches.size(), 2u);
  EXPECT_EQ(X.Launches[1].Kernel, Y.Launches[1].Kernel);
  EXPECT_TRUE(X.Launches[1].Grid == Y.Launches[1].Grid);
  EXPECT_TRUE(X.Launches[1].Block == Y.Launches[1].Block);
  EXPECT_EQ(X.Launches[1].SharedBytes, 128u);
  EXPECT_TRUE(X.Launches[1].Cooperative);
  EXPECT_EQ(X.Launches[1].Params, Y.Launches[1].Params);
  EXPECT_EQ(X.Launches[1].Offsets, Y.Launches[1].Offsets);
  EXPECT_EQ(X.gridNumber(0), 13u) << "not known: from the index";
  EXPECT_EQ(X.gridNumber(1), 99u);
  EXPECT_EQ(X.Module, 1u);
  EXPECT_EQ(X.Index, 12u);
  EXPECT_EQ(X.Weight, 77u);
  EXPECT_EQ(X.WarpInstructions, 1234u);
  EXPECT_EQ(X.Cycles, 5678u);
  EXPECT_EQ(X.Microseconds, 1.25);
  ASSERT_EQ(X.Buffers.size(), 2u);
  for (int B = 0; B < 2; ++B) {
    EXPECT_EQ(X.Buffers[B].Address, Y.Buffers[B].Address);
    EXPECT_EQ(X.Buffers[B].Size, Y.Buffers[B].Size);
    EXPECT_EQ(X.Buffers[B].Variable, Y.Buffers[B].Variable);
    EXPECT_EQ(X.Buffers[B].IsConst, Y.Buffers[B].IsConst);
    ASSERT_EQ(X.Buffers[B].Pieces.size(), Y.Buffers[B].Pieces.size());
    for (size_t K = 0; K < Y.Buffers[B].Pieces.size(); ++K) {
      EXPECT_EQ(X.Buffers[B].Pieces[K].Offset, Y.Buffers[B].Pieces[K].Offset);
      EXPECT_EQ(X.Buffers[B].Pieces[K].Before, Y.Buffers[B].Pieces[K].Before);
      EXPECT_EQ(X.Buffers[B].Pieces[K].After, Y.Buffers[B].Pieces[K].After);
      EXPECT_EQ(X.Buffers[B].Pieces[K].Marks, Y.Buffers[B].Pieces[K].Marks);
    }
  }
}

TEST_F(CaptureFileTest, IdenticalBlobsAreKeptOnce) {
  Capture C = sample();
  write(C);
  size_t Once = blobs().size();
  fs::remove_all(Folder);
  C.Cases.push_back(C.Cases[0]);
  C.Cases.push_back(C.Cases[0]);
  write(C);
  EXPECT_EQ(blobs().size(), Once);
}

// One blob may be what was there before, what came after, and the memory of
// another case.
TEST_F(CaptureFileTest, SharedBlobsAreReadByAll) {
  Capture C = sample();
  Bytes Data(5000);
  for (size_t K = 0; K < Data.size(); ++K)
    Data[K] = uint8_t(K * K >> 4);
  Buffer Same = Buffer::output(0x9000, Data, Data, ElementType::U8);
  C.Cases[0].Buffers = {Buffer::input(0x4000, Data), Same};
  C.Cases.push_back(C.Cases[0]);
  write(C);
  std::string Error;
  std::optional<Capture> Read = readCapture(Folder, Error);
  ASSERT_TRUE(Read) << Error;
  for (const Case &One : Read->Cases) {
    EXPECT_EQ(One.Buffers[0].Pieces[0].Before, Data);
    EXPECT_TRUE(One.Buffers[0].Pieces[0].Marks.empty());
    EXPECT_EQ(One.Buffers[1].Pieces[0].Before, Data);
    EXPECT_EQ(One.Buffers[1].Pieces[0].After, Data);
    EXPECT_EQ(One.Buffers[1].Pieces[0].Marks, Same.Pieces[0].Marks);
  }
}

TEST(Case, RunsOfMarksEndWhereTheyDiffer) {
  for (size_t Length : {1, 2, 7, 8, 9, 15, 16, 17, 64, 1000})
    for (size_t From : {0, 1, 5}) {
      Bytes Marks(From, 3);
      Marks.insert(Marks.end(), Length, 4);
      EXPECT_EQ(endOfRun(Marks, From), From + Length);
      Marks.insert(Marks.end(), 20, 3);
      EXPECT_EQ(endOfRun(Marks, From), From + Length);
      EXPECT_EQ(endOfRun(Marks, From + Length), Marks.size());
    }
}

TEST_F(CaptureFileTest, EveryTruncatedBlobIsRefused) {
  write(sample());
  for (const fs::path &Blob : blobs()) {
    std::string Error;
    std::string Whole = readWhole(Blob.string(), Error).value();
    std::ofstream(Blob) << Whole.substr(0, Whole.size() - 1);
    EXPECT_NE(refusal().find("is truncated or damaged"), std::string::npos);
    fs::remove(Blob);
    EXPECT_NE(refusal().find("cannot read"), std::string::npos);
    std::ofstream(Blob) << Whole;
  }
  std::string Error;
  EXPECT_TRUE(readCapture(Folder, Error)) << Error;
}

// Large memory without repetitions is mapped, not copied; what is wrong with
// its file is found as well.
TEST_F(CaptureFileTest, WhatDoesNotCompressStaysAsItIs) {
  Bytes Noise(1 << 20);
  uint32_t State = 1;
  for (uint8_t &B : Noise)
    B = uint8_t((State = State * 1664525u + 1013904223u) >> 24);
  Capture C = sample();
  C.Cases[0].Buffers[0] = Buffer::input(0x200000000500, Noise);
  write(C);
  fs::path File;
  for (const fs::path &Blob : blobs())
    if (Blob.extension() == ".raw")
      File = Blob;
  EXPECT_EQ(File.filename().string().substr(32), "-1280.raw");
  EXPECT_EQ(fs::file_size(File), Noise.size() + 0x500);
  std::string Error;
  {
    std::optional<Capture> Read = readCapture(Folder, Error);
    ASSERT_TRUE(Read) << Error;
    const Bytes &Before = Read->Cases[0].Buffers[0].Pieces[0].Before;
    EXPECT_EQ(Before, Noise);
    EXPECT_TRUE(Before.get_allocator().isFile(Noise.size()));
    Bytes Copy = Before;
    EXPECT_FALSE(Copy.get_allocator().File);
    Copy[0] ^= 1; // Its own.
  }
  std::string Whole = readWhole(File.string(), Error).value();
  std::ofstream(File) << Whole.substr(0, Whole.size() - 1);
  EXPECT_NE(refusal().find("is truncated or damaged"), std::string::npos);
  UncheckedMemory Later;
  EXPECT_FALSE(readCapture(Folder, Later, Error));
  std::ofstream(File) << Whole;
  ASSERT_TRUE(readCapture(Folder, Later, Error)) << Error;
  EXPECT_TRUE(Later.check(Error)) << Error;
  Whole.back() = char(Whole.back() ^ 1);
  std::ofstream(File) << Whole;
  EXPECT_NE(refusal().find("is truncated or damaged"), std::string::npos);
  ASSERT_TRUE(readCapture(Folder, Later, Error)) << Error;
  EXPECT_FALSE(Later.check(Error));
  EXPECT_NE(Error.find("is truncated or damaged"), std::string::npos);
  fs::remove(File);
  EXPECT_NE(refusal().find("cannot read"), std::string::npos);
}

TEST_F(CaptureFileTest, AFlippedByteOfABlobIsRefused) {
  write(sample());
  for (const fs::path &Blob : blobs()) {
    std::string Error;
    std::string Whole = readWhole(Blob.string(), Error).value();
    for (size_t K = 0; K < Whole.size(); K += 3) {
      std::string Bad = Whole;
      Bad[K] = char(Bad[K] ^ 0x10);
      std::ofstream(Blob) << Bad;
      // A frame header may describe the same bytes in another way; then what
      // is read is right.
      std::optional<Capture> C = readCapture(Folder, Error);
      if (C) {
        EXPECT_EQ(C->Modules, sample().Modules);
      }
    }
    std::ofstream(Blob) << Whole;
  }
}

TEST_F(CaptureFileTest, EveryTruncatedIndexIsRefused) {
  write(sample());
  std::string Text = indexText();
  for (size_t N = 0; N + 2 < Text.size(); N += 7) {
    replaceIndex(Text.substr(0, N));
    EXPECT_FALSE(refusal().empty());
  }
  replaceIndex(Text.substr(0, Text.size() / 2));
  EXPECT_NE(refusal().find("is truncated or is no JSON"), std::string::npos);
}

TEST_F(CaptureFileTest, AChangedIndexIsRefused) {
  write(sample());
  std::string Text = indexText();
  size_t At = Text.find("\"weight\": 77");
  ASSERT_NE(At, Text.npos);
  replaceIndex(std::string(Text).replace(At, 12, "\"weight\": 78"));
  EXPECT_NE(refusal().find("its checksum is wrong"), std::string::npos);
  At = Text.find("\"version\": 6");
  ASSERT_NE(At, Text.npos);
  replaceIndex(std::string(Text).replace(At, 12, "\"version\": 7"));
  EXPECT_NE(refusal().find("has version 7 of the format, but this program "
                           "reads version 1 to 6"),
            std::string::npos);
  replaceIndex("{\"format\": \"something\"}");
  EXPECT_NE(refusal().find("is not the index of a capture"), std::string::npos);
  replaceIndex("[]");
  EXPECT_NE(refusal().find("is not the index of a capture"), std::string::npos);
}

TEST_F(CaptureFileTest, NothingThere) {
  EXPECT_NE(refusal().find("cannot read the folder"), std::string::npos);
  fs::create_directories(Folder);
  EXPECT_NE(refusal().find("holds no capture"), std::string::npos);
  // A process that took its place and was killed.
  std::ofstream(Folder + "/process-0.claim") << "";
  EXPECT_NE(refusal().find("holds no capture"), std::string::npos);
}

TEST_F(CaptureFileTest, SeveralProcesses) {
  write(sample());
  write(sample());
  std::string Error;
  std::optional<Capture> C = readCapture(Folder, Error);
  ASSERT_TRUE(C) << Error;
  EXPECT_EQ(C->Cases.size(), 2u);
  // They have the same modules.
  EXPECT_EQ(C->Modules.size(), 2u);
  EXPECT_EQ(C->Cases[0].Module, 1u);
  EXPECT_EQ(C->Cases[1].Module, 1u);
}

TEST_F(CaptureFileTest, DroppedCasesTakeTheirBlobsAlong) {
  CaptureWriter W(Folder, "app", "V100");
  ASSERT_TRUE(W.addModule("// ptx"));
  Case A, B;
  A.Launches.resize(1);
  B.Launches.resize(1);
  A.Buffers = {Buffer::input(0x1000, Bytes(64, 1))};
  B.Buffers = {Buffer::input(0x1000, Bytes(64, 1)),
               Buffer::input(0x2000, Bytes(64, 2))};
  size_t First = *W.addCase(A);
  size_t Second = *W.addCase(B);
  EXPECT_EQ(blobs().size(), 3u);
  W.dropCase(Second);
  EXPECT_EQ(blobs().size(), 2u);
  W.setWeight(First, 5);
  ASSERT_TRUE(W.writeIndex());
  std::string Error;
  std::optional<Capture> C = readCapture(Folder, Error);
  ASSERT_TRUE(C) << Error;
  ASSERT_EQ(C->Cases.size(), 1u);
  EXPECT_EQ(C->Cases[0].Weight, 5u);
}

// A child's case has a blob that the parent has, too, and then drops.
TEST_F(CaptureFileTest, DroppedCasesLeaveTheBlobsOfOtherProcesses) {
  CaptureWriter Parent(Folder, "app", "V100");
  CaptureWriter Child(Folder, "app", "V100");
  Case A;
  A.Launches.resize(1);
  A.Buffers = {Buffer::input(0x1000, Bytes(64, 1))};
  for (CaptureWriter *W : {&Parent, &Child})
    ASSERT_TRUE(W->addModule("// ptx"));
  size_t Dropped = *Parent.addCase(A);
  ASSERT_TRUE(Child.addCase(A));
  ASSERT_TRUE(Child.writeIndex());
  Parent.dropCase(Dropped);
  ASSERT_TRUE(Parent.writeIndex());
  std::string Error;
  std::optional<Capture> C = readCapture(Folder, Error);
  ASSERT_TRUE(C) << Error;
  EXPECT_EQ(C->Cases.size(), 1u);
}

TEST_F(CaptureFileTest, WhatCannotBeWrittenIsReported) {
  // A blob cannot be written: its name is taken by a folder.
  CaptureWriter W(Folder, "app", "V100");
  ASSERT_TRUE(W.error().empty());
  std::string Name = Folder + "/blobs/" + contentHash("text") + ".zst";
  fs::create_directories(Name + "/occupied");
  EXPECT_FALSE(W.addModule("text"));
  EXPECT_NE(W.error().find("cannot write"), std::string::npos);
  EXPECT_FALSE(W.writeIndex());
  EXPECT_FALSE(fs::exists(Folder + "/process-0.json"));
  // Nothing half-written stays.
  for (const auto &E : fs::directory_iterator(Folder + "/blobs"))
    EXPECT_NE(E.path().extension(), ".part");
}

TEST_F(CaptureFileTest, RemoveTouchesCapturesOnly) {
  write(sample());
  std::string Error;
  std::ofstream(Folder + "/notes.txt") << "mine";
  EXPECT_FALSE(removeCapture(Folder, Error));
  EXPECT_NE(Error.find("holds 'notes.txt'"), std::string::npos) << Error;
  EXPECT_TRUE(readCapture(Folder, Error));
  fs::remove(Folder + "/notes.txt");
  EXPECT_TRUE(removeCapture(Folder, Error)) << Error;
  EXPECT_NE(refusal().find("holds no capture"), std::string::npos);
  EXPECT_TRUE(removeCapture(Folder + "/none", Error));
}

} // namespace
