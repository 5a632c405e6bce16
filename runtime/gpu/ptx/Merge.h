//===- Merge.h - Several PTX texts as one -----------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a device linker does, on texts: declarations find their definitions,
// weak definitions give way, names that are not visible stay apart. The result
// is PTX again, so that whatever takes a module (a driver, ptxas, a capture)
// takes it. linkModule() does the same to modules that are parsed.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_MERGE_H
#define GEVO_RUNTIME_GPU_PTX_MERGE_H

#include "runtime/gpu/ptx/Result.h"

#include <set>
#include <string>
#include <vector>

namespace gevo::gpu::ptx {

/// A text to be merged.
struct NamedText {
  std::string Name; ///< For messages: where it comes from.
  std::string Text;
};

struct MergedText {
  std::string Text;
  /// Declared and nowhere defined, but for what every driver brings.
  std::set<std::string> Undefined;
};

/// One text with all that \p Texts define. Debug sections are left out; lines
/// of the source stay. Fails where two define the same name, and on what is no
/// PTX.
Result<MergedText> mergeTexts(const std::vector<NamedText> &Texts);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_MERGE_H
