//===- CaptureOptions.h - gevo-run --capture --------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_CAPTUREOPTIONS_H
#define GEVO_TOOLS_GEVO_RUN_CAPTUREOPTIONS_H

#include "runtime/gpu/capture/Case.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gevo::run {

/// What the command line says about capturing.
struct CaptureOptions {
  std::string Folder; ///< Empty: nothing is captured.
  std::string Kernels;
  std::string Launches;
  bool IsNew = false; ///< prepareCapture made the folder.
};

/// Takes --capture, --kernels and --launches; false if \p Name is another.
bool takeCaptureOption(CaptureOptions &O, const std::string &Name,
                       const std::optional<std::string> &Value);

/// Makes an empty folder of \p O.Folder; ends the tool if that or a value makes
/// no sense. Does nothing without a folder.
void prepareCapture(CaptureOptions &O);

/// Removes the folder again if it was made and is still empty.
void dropCapture(const CaptureOptions &O);

/// The variables that tell the embedded GPU.
std::vector<std::pair<std::string, std::string>>
captureEnvironment(const CaptureOptions &O);

/// Says on standard error what was captured of the kernels \p Ran; false, with
/// the reason in \p Error, if that is nothing.
bool reportCapture(const CaptureOptions &O, const std::vector<std::string> &Ran,
                   std::string &Error);

/// Warns if launches are missing in the weights of \p C.
void warnIfCut(const capture::Capture &C, const std::string &Folder);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_CAPTUREOPTIONS_H
