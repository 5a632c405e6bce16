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

} // namespace gevo::isa

#endif // GEVO_TEST_UNIT_ISA_TABLES_H
