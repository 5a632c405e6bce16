//===- LateBlobTest.cpp - What a quick start reads later ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/measure/CaptureFolder.h"

using namespace gevo::capture;

namespace {

class LateBlobTest : public CaptureFolder {
protected:
  /// The capture, read at once and for a quick start.
  Capture Now, Quick;
  UncheckedMemory Later;
  std::string Error;

  void readBoth() {
    std::optional<Capture> All = readCapture(Folder, Error);
    ASSERT_TRUE(All) << Error;
    Now = std::move(*All);
    readQuick();
  }
  void readQuick() {
    Later = UncheckedMemory();
    std::optional<Capture> All = readCapture(Folder, Later, Error);
    ASSERT_TRUE(All) << Error;
    Quick = std::move(*All);
  }
  /// The pieces of \p All that were written, in order.
  static std::vector<const Piece *> written(const Capture &All) {
    std::vector<const Piece *> Pieces;
    for (const Buffer &B : All.Cases[0].Buffers)
      for (const Piece &P : B.Pieces)
        if (!P.Marks.empty())
          Pieces.push_back(&P);
    return Pieces;
  }
  /// A capture with pieces that are written in part and from end to end.
  static Capture outputs() {
    Capture All = sample();
    Buffer Several = All.Cases[0].Buffers[1];
    Several.Pieces[0].After = {9, 9, 9, 4};
    uint8_t Byte = uint8_t(ElementType::U8);
    Several.Pieces[0].Marks = {Byte, Byte, Byte, 0};
    All.Cases[0].Buffers[1] = Several;
    All.Cases[0].Buffers.push_back(
        Buffer::output(0x9000, Bytes(512, 1), Bytes(512, 7), ElementType::U32));
    return All;
  }
};

TEST_F(LateBlobTest, WhatIsExpectedIsTheSame) {
  write(outputs());
  readBoth();
  auto Soon = written(Now), Late = written(Quick);
  ASSERT_EQ(Soon.size(), 3u);
  ASSERT_EQ(Late.size(), 3u);
  for (size_t K = 0; K < Soon.size(); ++K) {
    EXPECT_FALSE(Soon[K]->Late);
    EXPECT_TRUE(Late[K]->After.empty());
    ASSERT_TRUE(Late[K]->Late);
    EXPECT_EQ(Late[K]->Late(*Late[K]), Soon[K]->After);
  }
  EXPECT_EQ(Soon[0]->After, (Bytes{9, 9, 9, 4}));
  EXPECT_TRUE(Later.check(Error)) << Error;
}

TEST_F(LateBlobTest, DamageIsFoundWhetherItWasReadOrNot) {
  write(outputs());
  size_t Found = 0;
  for (const fs::path &Blob : blobs()) {
    std::string Whole = readWhole(Blob.string(), Error).value();
    std::ofstream(Blob) << Whole.substr(0, Whole.size() - 1);
    Error.clear();
    // What a launch needs at its start is refused at once.
    if (!readCapture(Folder, Later, Error)) {
      std::ofstream(Blob) << Whole;
      continue;
    }
    ++Found;
    for (bool Read : {false, true}) {
      readQuick();
      for (const Piece *P :
           Read ? written(Quick) : std::vector<const Piece *>())
        EXPECT_EQ(P->Late(*P).size(), P->Before.size());
      EXPECT_FALSE(Later.check(Error));
      EXPECT_NE(Error.find("is truncated or damaged"), std::string::npos);
    }
    std::ofstream(Blob) << Whole;
    readQuick();
    EXPECT_TRUE(Later.check(Error)) << Error;
  }
  EXPECT_EQ(Found, 2u) << "of the two outputs";
}

TEST_F(LateBlobTest, MarksAreCounted) {
  Bytes Marks(1000);
  for (size_t K = 0; K < Marks.size(); ++K)
    Marks[K] = K % 5 == 0   ? uint8_t(ReadFirst | 11)
               : K % 5 == 1 ? uint8_t(ReadFirst)
               : K % 5 == 2 ? 0
                            : 11;
  MarkCounts Counts = countMarks(Marks);
  EXPECT_EQ(Counts.Written, 600u);
  EXPECT_EQ(Counts.Poisoned, 400u);
  EXPECT_TRUE(Counts.AllKnown);
  Marks[999] = ReadFirst | 13;
  EXPECT_FALSE(countMarks(Marks).AllKnown);
  EXPECT_EQ(countMarks({}).Written, 0u);
}

} // namespace
