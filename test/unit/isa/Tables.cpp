//===- Tables.cpp - The differential tests, a family each -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Tables.h"

#include "gtest/gtest.h"

using namespace gevo::isa;

TEST(IsaTest, Integer) { runRows(integerRows()); }
TEST(IsaTest, Logic) { runRows(logicRows()); }
TEST(IsaTest, Float) { runRows(floatRows()); }
TEST(IsaTest, Compare) { runRows(compareRows()); }
TEST(IsaTest, Convert) { runRows(convertRows()); }
