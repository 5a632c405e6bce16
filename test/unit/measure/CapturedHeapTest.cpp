//===- CapturedHeapTest.cpp - Device heaps in captures on disk ------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/measure/CaptureFolder.h"

using namespace gevo::capture;

namespace {

using CapturedHeap = CaptureFolder;

TEST_F(CapturedHeap, BlocksOfTheHeapAreOneBuffer) {
  Capture All = sample();
  Case &C = All.Cases[0];
  Buffer Small =
      Buffer::output(0x1100, Bytes(4800), Bytes(4800, 2), ElementType::U32);
  for (uint32_t K = 0; K < 300; ++K)
    Small.Blocks.push_back({0x1100 + 20 * K, 16 * K, 0, 1, 12, 1 + K % 3});
  Buffer Large =
      Buffer::output(0x100000, Bytes(64, 1), Bytes(64, 3), ElementType::F64);
  Large.Size = 1 << 20;
  Large.Heap = HeapUse::Made;
  C.Buffers.push_back(Small);
  C.Buffers.push_back(Large);
  C.HeapCalls = {{1, 0, 4, 0x1108}, {1, 1, 99, 0}};
  C.HeapChange = -12;
  write(All);
  std::string Error;
  std::optional<Capture> Read = readCapture(Folder, Error);
  ASSERT_TRUE(Read) << Error;
  const Case &X = Read->Cases[0];
  ASSERT_EQ(X.Buffers.size(), C.Buffers.size());
  for (size_t K = 0; K < X.Buffers.size(); ++K) {
    const Buffer &Got = X.Buffers[K], &Want = C.Buffers[K];
    EXPECT_EQ(Got.Address, Want.Address);
    EXPECT_EQ(Got.Heap, Want.Heap);
    EXPECT_EQ(Got.ofHeap(), K >= 2);
    ASSERT_EQ(Got.Blocks.size(), Want.Blocks.size());
    for (size_t I = 0; I < Got.Blocks.size(); ++I) {
      EXPECT_EQ(Got.Blocks[I].Address, Want.Blocks[I].Address);
      EXPECT_EQ(Got.Blocks[I].Use, Want.Blocks[I].Use);
    }
    ASSERT_EQ(Got.Pieces.size(), Want.Pieces.size());
    EXPECT_EQ(Got.Pieces[0].Before, Want.Pieces[0].Before);
    EXPECT_EQ(Got.Pieces[0].After, Want.Pieces[0].After);
    EXPECT_EQ(Got.Pieces[0].Marks, Want.Pieces[0].Marks);
  }
  EXPECT_EQ(X.HeapChange, -12);
  ASSERT_EQ(X.HeapCalls.size(), 2u);
  EXPECT_EQ(X.HeapCalls[0].Address, 0x1108u);
  EXPECT_EQ(X.HeapCalls[1].Bytes, 99u);
  EXPECT_TRUE(X.usesHeap());
  EXPECT_TRUE(X.callsHeap());
}

TEST_F(CapturedHeap, AnEarlierTableOfBlocksIsRefused) {
  Capture All = sample();
  All.Cases[0].Buffers = {Buffer::input(0x1100, Bytes(16, 1))};
  All.Cases[0].Buffers[0].Blocks = {{0x1100, 0, 0, 1, 16, 1}};
  write(All);
  std::string Text = indexText();
  size_t At = Text.find("\"version\": 6");
  ASSERT_NE(At, Text.npos);
  replaceIndex(Text.replace(At, 12, "\"version\": 5"));
  EXPECT_NE(refusal().find("has a device heap of version 5 of the format, "
                           "which this program does not read; capture again"),
            std::string::npos);
}

TEST_F(CapturedHeap, BlocksThatAreNotTheirMemoryAreRefused) {
  Capture All = sample();
  Buffer Small = Buffer::input(0x1100, Bytes(32, 1));
  Small.Blocks = {{0x1100, 0, 0, 1, 16, 1}, {0x1200, 16, 0, 1, 4, 1}};
  All.Cases[0].Buffers = {Small};
  All.Cases[0].Buffers[0].Blocks.pop_back();
  write(All);
  std::string Error;
  EXPECT_FALSE(readCapture(Folder, Error));
  EXPECT_NE(Error.find("the table of the heap's blocks is damaged"),
            std::string::npos)
      << Error;
}

} // namespace
