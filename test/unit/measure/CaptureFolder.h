//===- CaptureFolder.h - A capture for tests --------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_MEASURE_CAPTUREFOLDER_H
#define GEVO_TEST_UNIT_MEASURE_CAPTUREFOLDER_H

#include "runtime/gpu/capture/Blob.h"
#include "runtime/gpu/capture/CaptureFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gevo::capture {

namespace fs = std::filesystem;

/// A folder that goes with the test.
class CaptureFolder : public ::testing::Test {
protected:
  std::string Folder;

  void SetUp() override {
    std::string Name = (fs::temp_directory_path() / "gevo-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(Name.data()));
    Folder = Name + "/capture";
  }
  void TearDown() override { fs::remove_all(fs::path(Folder).parent_path()); }

  static Capture sample() {
    Capture All;
    All.Program = "app";
    All.Gpu = "V100";
    All.Modules = {"// one\n", "// two\n"};
    Case C;
    Launch L;
    L.Kernel = "_Z1kPf";
    L.Grid = {3, 2, 1};
    L.Block = {64, 1, 2};
    L.SharedBytes = 128;
    L.Cooperative = true;
    L.Params = {1, 2, 250, 255, 0, 0, 0, 7};
    L.Offsets = {0, 4};
    C.Launches = {L, L};
    C.Launches[1].GridNumber = 99;
    C.Module = 1;
    C.Index = 12;
    C.Weight = 77;
    C.WarpInstructions = 1234;
    C.Cycles = 5678;
    C.Microseconds = 1.25;
    C.Buffers.push_back(Buffer::input(0x1000, Bytes(100, 9)));
    Buffer Mixed;
    Mixed.Address = 0x2000;
    Mixed.Size = 1000;
    Mixed.Variable = "table";
    Mixed.IsConst = true;
    Mixed.Pieces.push_back({8, {1, 2, 3, 4}, {}, {}});
    Mixed.Pieces.push_back(
        {100,
         {5, 6, 7, 8},
         {5, 60, 70, 8},
         {ReadFirst, uint8_t(ElementType::U8),
          uint8_t(uint8_t(ElementType::F16) | ReadFirst), 0}});
    C.Buffers.push_back(Mixed);
    All.Cases = {C};
    return All;
  }
  void write(const Capture &C) {
    std::string Error;
    ASSERT_TRUE(writeCapture(Folder, C, Error)) << Error;
  }
  std::string refusal() {
    std::string Error;
    EXPECT_FALSE(readCapture(Folder, Error));
    return Error;
  }
  std::vector<fs::path> blobs() {
    std::vector<fs::path> All;
    for (const auto &E : fs::directory_iterator(Folder + "/blobs"))
      All.push_back(E.path());
    return All;
  }
  std::string indexText() {
    std::string Error;
    return readWhole(Folder + "/process-0.json", Error).value_or("");
  }
  void replaceIndex(const std::string &Text) {
    std::ofstream(Folder + "/process-0.json") << Text;
  }
};

} // namespace gevo::capture

#endif // GEVO_TEST_UNIT_MEASURE_CAPTUREFOLDER_H
