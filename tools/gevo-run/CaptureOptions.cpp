//===- CaptureOptions.cpp - gevo-run --capture ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/CaptureOptions.h"
#include "runtime/gpu/capture/CaptureFile.h"
#include "tools/gevo-run/CommandLine.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>
#include <sys/stat.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::run;

bool gevo::run::takeCaptureOption(CaptureOptions &O, const std::string &Name,
                                  const std::optional<std::string> &Value) {
  std::string *Into = Name == "--capture"    ? &O.Folder
                      : Name == "--kernels"  ? &O.Kernels
                      : Name == "--launches" ? &O.Launches
                                             : nullptr;
  if (!Into)
    return false;
  if (!Value || Value->empty())
    fail("option '" + Name + "' needs a value: " + Name + "=...");
  *Into = *Value;
  return true;
}

void gevo::run::prepareCapture(CaptureOptions &O) {
  if (O.Folder.empty()) {
    if (!O.Kernels.empty() || !O.Launches.empty())
      fail("options '--kernels' and '--launches' go with '--capture=FOLDER'");
    return;
  }
  try {
    std::regex Check(O.Kernels);
  } catch (const std::regex_error &E) {
    fail("'" + O.Kernels + "' is no regular expression: " + E.what());
  }
  char *End = nullptr;
  unsigned long Count = std::strtoul(O.Launches.c_str(), &End, 10);
  if (!O.Launches.empty() && (*End || Count < 1 || Count > 10000))
    fail("'" + O.Launches + "' is no number of launches from 1 to 10000");
  std::string Error;
  if (!capture::removeCapture(O.Folder, Error))
    fail(Error);
  char Real[PATH_MAX];
  O.IsNew = !mkdir(O.Folder.c_str(), 0777);
  if ((!O.IsNew && errno != EEXIST) || !realpath(O.Folder.c_str(), Real))
    fail("cannot make the folder '" + O.Folder + "': " + std::strerror(errno));
  // The program may change its working folder.
  O.Folder = Real;
}

void gevo::run::dropCapture(const CaptureOptions &O) {
  if (O.IsNew)
    rmdir(O.Folder.c_str());
}

std::vector<std::pair<std::string, std::string>>
gevo::run::captureEnvironment(const CaptureOptions &O) {
  std::vector<std::pair<std::string, std::string>> V;
  if (O.Folder.empty())
    return V;
  V.push_back({"GEVO_CAPTURE", O.Folder});
  if (!O.Kernels.empty())
    V.push_back({"GEVO_CAPTURE_KERNELS", O.Kernels});
  if (!O.Launches.empty())
    V.push_back({"GEVO_CAPTURE_LAUNCHES", O.Launches});
  return V;
}

void gevo::run::warnIfCut(const capture::Capture &C,
                          const std::string &Folder) {
  if (C.Uncounted)
    std::fprintf(stderr,
                 "gevo-run: warning: '%s' is of a program that was killed, or "
                 "called _exit, while it was captured: %llu of its launches "
                 "are in no weight\n",
                 Folder.c_str(), (unsigned long long)C.Uncounted);
}

bool gevo::run::reportCapture(const CaptureOptions &O,
                              const std::vector<std::string> &Ran,
                              std::string &Error) {
  if (O.Folder.empty())
    return true;
  std::regex Wanted(O.Kernels);
  if (!Ran.empty() &&
      std::none_of(Ran.begin(), Ran.end(), [&](const std::string &Name) {
        return std::regex_search(Name, Wanted);
      })) {
    Error = "nothing was captured: '--kernels=" + O.Kernels +
            "' matches none of the kernels that ran: ";
    for (const std::string &Name : Ran)
      Error += (&Name == &Ran.front() ? "" : ", ") + Name;
    return false;
  }
  std::optional<capture::Capture> C =
      capture::readCapture(O.Folder, Error, /*Memory=*/false);
  if (!C)
    return false;
  warnIfCut(*C, O.Folder);
  std::map<std::string, std::pair<size_t, uint64_t>> Kernels;
  for (const capture::Case &One : C->Cases) {
    auto &[Kept, Launches] = Kernels[One.Launches[0].Kernel];
    ++Kept;
    Launches += One.Weight;
  }
  for (const auto &[Name, Counts] : Kernels)
    std::fprintf(stderr, "gevo-run: captured %zu of %llu launches of %s\n",
                 Counts.first, (unsigned long long)Counts.second, Name.c_str());
  return true;
}
