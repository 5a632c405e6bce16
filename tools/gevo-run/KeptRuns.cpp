//===- KeptRuns.cpp - Outputs of runs, kept in a folder -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/KeptRuns.h"
#include "runtime/gpu/capture/Blob.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::run;
using measure::RunRecord;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char *FormatName = "gevo-run-outputs";
constexpr int FormatVersion = 1;
constexpr unsigned MaxRuns = 10000;

std::string runPath(const std::string &Folder, unsigned N) {
  return Folder + "/run-" + std::to_string(N) + ".outputs";
}

std::string textOf(const RunRecord &Run) {
  std::string Content = Run.Stdout;
  Json Files = Json::array();
  for (const auto &[Name, Bytes] : Run.Files) {
    Files.push_back({{"name", Name}, {"bytes", Bytes.size()}});
    Content += Bytes;
  }
  Json Header = {
      {"format", FormatName},      {"version", FormatVersion},
      {"exit_code", Run.ExitCode}, {"stdout_bytes", Run.Stdout.size()},
      {"files", std::move(Files)}, {"hash", capture::contentHash(Content)}};
  return Header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" +
         Content;
}

/// Nothing if \p Text is no run that was kept.
std::optional<RunRecord> runFrom(const std::string &Text) {
  size_t End = Text.find('\n');
  if (End == Text.npos)
    return std::nullopt;
  try {
    Json Header = Json::parse(Text.substr(0, End));
    std::string Content = Text.substr(End + 1);
    if (Header.at("format") != FormatName ||
        Header.at("version") != FormatVersion ||
        Header.at("hash") != capture::contentHash(Content))
      return std::nullopt;
    RunRecord Run;
    Run.ExitCode = Header.at("exit_code");
    size_t At = 0;
    auto take = [&](size_t Bytes) {
      std::string Part = Content.substr(std::min(At, Content.size()), Bytes);
      At += Bytes;
      return Part;
    };
    Run.Stdout = take(Header.at("stdout_bytes"));
    for (const Json &File : Header.at("files"))
      Run.Files[File.at("name")] = take(File.at("bytes"));
    if (At != Content.size())
      return std::nullopt;
    return Run;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

bool haveSameFiles(const RunRecord &A, const RunRecord &B) {
  return A.Files.size() == B.Files.size() &&
         std::equal(A.Files.begin(), A.Files.end(), B.Files.begin(),
                    [](auto &X, auto &Y) { return X.first == Y.first; });
}

} // namespace

bool gevo::run::keepRun(const std::string &Folder, const RunRecord &Run,
                        std::string &Error) {
  if (mkdir(Folder.c_str(), 0777) && errno != EEXIST) {
    Error = "cannot make the folder '" + Folder + "': " + std::strerror(errno);
    return false;
  }
  std::string Part = Folder + "/part-" + std::to_string(getpid());
  if (!capture::writeAtomically(Part, textOf(Run), Error))
    return false;
  // A link, unlike renaming, takes nobody's place.
  unsigned N = 0;
  while (link(Part.c_str(), runPath(Folder, N).c_str()) && errno == EEXIST &&
         N < MaxRuns)
    ++N;
  int Why = errno;
  bool Kept = !access(runPath(Folder, N).c_str(), F_OK) && N < MaxRuns;
  unlink(Part.c_str());
  if (!Kept)
    Error = "cannot write to '" + Folder + "': " + std::strerror(Why);
  return Kept;
}

std::vector<RunRecord> gevo::run::readKeptRuns(const std::string &Folder,
                                               std::string &Error) {
  std::vector<RunRecord> All;
  for (unsigned N = 0; N < MaxRuns; ++N) {
    std::string Path = runPath(Folder, N);
    if (access(Path.c_str(), F_OK))
      break;
    std::optional<std::string> Text = capture::readWhole(Path, Error);
    if (!Text)
      return {};
    std::optional<RunRecord> Run = runFrom(*Text);
    if (!Run) {
      Error = "'" + Path +
              "' is truncated or damaged, or of another version; "
              "keep the reference again";
      return {};
    }
    if (!All.empty() && !haveSameFiles(All[0], *Run)) {
      Error = "'" + Path + "' was kept with other '--output' than '" +
              runPath(Folder, 0) + "'; keep the reference again";
      return {};
    }
    All.push_back(std::move(*Run));
  }
  if (All.empty())
    Error = "'" + Folder +
            "' holds no run; make one with 'gevo-run --keep=" + Folder +
            " -- PROGRAM'";
  return All;
}
