//===- Measuring.h - What results depend on besides the code ----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results are kept across searches by the code that was run. Here is the rest
// of what they depend on, by content: the GPUs' profiles, what executes and
// times code, and what the environment tells it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_MEASURING_H
#define GEVO_TOOLS_GEVO_SEARCH_MEASURING_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace gevo {

/// Equal where the same code has the same results on \p Gpus; fails if there is
/// no such GPU.
llvm::Expected<std::string>
measuringIdentity(const std::vector<std::string> &Gpus);

/// Equal where the same PTX becomes the same machine code, and that is read in
/// the same way.
std::string assemblingIdentity();

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_MEASURING_H
