//===- JsonText.h - Any name as a JSON string -------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of files and functions are bytes; JSON wants UTF-8, and llvm::json
// takes nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_EDIT_JSONTEXT_H
#define GEVO_PASSES_EDIT_JSONTEXT_H

#include "llvm/Support/JSON.h"

namespace gevo {

/// \p Text, with what is not UTF-8 in it replaced.
inline std::string jsonText(llvm::StringRef Text) {
  return llvm::json::isUTF8(Text) ? Text.str() : llvm::json::fixUTF8(Text);
}

} // namespace gevo

#endif // GEVO_PASSES_EDIT_JSONTEXT_H
