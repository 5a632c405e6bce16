//===- HotLines.h - Where a launch spent its time ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The profile of a launch by line of PTX or of the source, as a list for
// programs, as text and as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_HOTLINES_H
#define GEVO_RUNTIME_GPU_TIMING_HOTLINES_H

#include "runtime/gpu/exec/Device.h"
#include "runtime/gpu/timing/LaunchTiming.h"

#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu::timing {

/// What a row of a profile stands for.
enum class LineKind : uint8_t { Ptx, Source, Anchor };

/// The name of the file in debug locations that are anchors: line N + 1 of it
/// is instruction iN of the function (line 0 means that there is none). Who
/// wants a profile by anchor puts such locations on the IR before lowering it.
constexpr const char *AnchorFile = "gevo:anchors";

/// One line and what it cost.
struct HotLine {
  std::string Function;
  std::string File; ///< Empty: the PTX itself. AnchorFile: see there.
  uint32_t Line = 0;
  /// Where the function called the code that was inlined; empty: its own.
  std::string CallerFile;
  uint32_t CallerLine = 0;
  InstructionProfile Cost;
  std::string Code; ///< What a line of PTX says, if that is known.

  /// Cycles that warps spent on it, issuing and waiting.
  uint64_t cycles() const { return Cost.Issues + Cost.stallCycles(); }
};

/// The lines of \p K's functions that cost anything, the dearest first. PTX
/// without debug locations has no source lines and is listed by its own, with
/// what \p Ptx, the text that it was made of, says there; what has no anchor is
/// not in a profile by anchor.
std::vector<HotLine> hotLines(const Kernel &K, const LaunchTiming &T,
                              LineKind Kind, std::string_view Ptx = {});

/// Puts the dearest first.
void sortByCost(std::vector<HotLine> &Lines);

/// \p L without its cost as one text, for logs; and back. A text that no line
/// was made into gives a line without function.
std::string placeOf(const HotLine &L);
HotLine lineAt(const std::string &Place);

/// A table of the first \p Most of \p Lines.
std::string hotLinesText(const std::vector<HotLine> &Lines, size_t Most);

/// All of \p Lines as a JSON array.
std::string hotLinesJson(const std::vector<HotLine> &Lines);

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_HOTLINES_H
