//===- Tables.cpp - The differential tests, a family each -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Tables.h"

#include "gtest/gtest.h"

using namespace gevo::isa;

std::vector<const std::vector<Row> *> gevo::isa::allTables() {
  return {&integerRows(), &logicRows(), &floatRows(),  &compareRows(),
          &convertRows(), &videoRows(), &memoryRows(), &addressRows()};
}

TEST(IsaTest, Integer) { runRows(integerRows()); }
TEST(IsaTest, Logic) { runRows(logicRows()); }
TEST(IsaTest, Float) { runRows(floatRows()); }
TEST(IsaTest, Compare) { runRows(compareRows()); }
TEST(IsaTest, Convert) { runRows(convertRows()); }
TEST(IsaTest, Video) { runRows(videoRows()); }
TEST(IsaTest, Memory) { runRows(memoryRows()); }
TEST(IsaTest, Address) { runRows(addressRows()); }
