//===- Corruption.h - Edit sets that nobody drew -------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes fields of an edit set at random: what a person could have edited
// wrongly or a search could have combined.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_SOAK_CORRUPTION_H
#define GEVO_TEST_SOAK_CORRUPTION_H

#include "passes/edit/EditSet.h"
#include "passes/edit/Random.h"

namespace gevo {

/// Changes a few things of \p Set, which may or may not apply then.
void corrupt(EditSet &Set, Random &Dice);

} // namespace gevo

#endif // GEVO_TEST_SOAK_CORRUPTION_H
