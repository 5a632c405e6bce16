//===- Tables.h - All rows of the differential tests ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_ISA_TABLES_H
#define GEVO_TEST_UNIT_ISA_TABLES_H

#include "test/unit/isa/Harness.h"

namespace gevo::isa {

/// One table for each family, in the file of that name.
const std::vector<Row> &integerRows();
const std::vector<Row> &logicRows();
const std::vector<Row> &floatRows();
const std::vector<Row> &compareRows();
const std::vector<Row> &convertRows();
const std::vector<Row> &videoRows();
const std::vector<Row> &memoryRows();
const std::vector<Row> &addressRows();
/// Patterns of the operations across lanes, which have a test of their own.
const std::vector<std::string> &warpPatterns();

std::vector<const std::vector<Row> *> allTables();

} // namespace gevo::isa

#endif // GEVO_TEST_UNIT_ISA_TABLES_H
