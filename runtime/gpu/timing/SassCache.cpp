//===- SassCache.cpp - Machine code that was made before ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/SassCache.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace gevo::gpu::timing;
namespace fs = std::filesystem;

namespace {

/// Two sums of 64 bits over the same bytes.
struct Digest {
  uint64_t A = 0xcbf29ce484222325ull, B = 0x9e3779b97f4a7c15ull;
  void add(std::string_view Text) {
    for (unsigned char C : Text) {
      A = (A ^ C) * 0x100000001b3ull;
      B = (B + C) * 0xff51afd7ed558ccdull;
      B ^= B >> 29;
    }
    // Ends of parts count.
    A = (A ^ 0x1ff) * 0x100000001b3ull;
    B = (B ^ Text.size()) * 0xff51afd7ed558ccdull;
  }
  std::string str() const {
    char Text[40];
    std::snprintf(Text, sizeof(Text), "%016llx%016llx", (unsigned long long)A,
                  (unsigned long long)B);
    return Text;
  }
};

/// A tool that was exchanged is another one.
std::string identity(const std::string &Tool) {
  struct stat S;
  if (stat(Tool.c_str(), &S) != 0)
    return Tool;
  return Tool + ":" + std::to_string(S.st_size) + ":" +
         std::to_string(S.st_mtim.tv_sec) + "." +
         std::to_string(S.st_mtim.tv_nsec);
}

/// The first line of a file: a sum over the rest.
std::string seal(std::string_view Text) {
  Digest D;
  D.add(Text);
  return D.str() + "\n";
}

} // namespace

std::string gevo::gpu::timing::sassKey(const SassTools &Tools,
                                       std::string_view Ptx, uint64_t Arch,
                                       const std::string &Entry) {
  Digest D;
  D.add("2"); // The format of a file.
  D.add(identity(Tools.Assembler));
  D.add(identity(Tools.Disassembler));
  D.add(std::to_string(Arch));
  D.add(Ptx);
  D.add(Entry);
  return D.str();
}

std::string gevo::gpu::timing::sassCacheFolder() {
  auto Variable = [](const char *Name) -> std::string {
    const char *Value = std::getenv(Name);
    return Value ? Value : "";
  };
  std::string Root = Variable("GEVO_CACHE");
  if (Root == "off")
    return {};
  if (Root.empty() && !Variable("XDG_CACHE_HOME").empty())
    Root = Variable("XDG_CACHE_HOME") + "/gevo";
  if (Root.empty() && !Variable("HOME").empty())
    Root = Variable("HOME") + "/.cache/gevo";
  return Root.empty() ? Root : Root + "/sass";
}

std::optional<std::string> SassCache::find(const std::string &Key) const {
  if (Folder.empty())
    return std::nullopt;
  std::ifstream In(Folder + "/" + Key, std::ios::binary);
  std::stringstream Buffer;
  if (!In || !(Buffer << In.rdbuf()))
    return std::nullopt;
  std::string Text = Buffer.str();
  size_t End = Text.find('\n');
  if (End == std::string::npos)
    return std::nullopt;
  std::string Rest = Text.substr(End + 1);
  if (Text.compare(0, End + 1, seal(Rest)) != 0)
    return std::nullopt;
  // What is of use is not old.
  utimensat(AT_FDCWD, (Folder + "/" + Key).c_str(), nullptr, 0);
  return Rest;
}

void SassCache::store(const std::string &Key, std::string_view Text) const {
  if (Folder.empty())
    return;
  std::error_code Error;
  fs::create_directories(Folder, Error);
  std::string Final = Folder + "/" + Key;
  std::string Half = Final + "." + std::to_string(getpid()) + ".new";
  std::ofstream Out(Half, std::ios::binary);
  Out << seal(Text) << Text;
  Out.close();
  if (Out)
    fs::rename(Half, Final, Error);
  if (!Out || Error)
    fs::remove(Half, Error);
  trim();
}

void SassCache::trim() const {
  std::error_code Error;
  std::vector<std::pair<fs::file_time_type, fs::path>> Files;
  for (fs::directory_iterator It(Folder, Error), End; !Error && It != End;
       It.increment(Error)) {
    std::error_code Gone;
    fs::file_time_type Time = fs::last_write_time(It->path(), Gone);
    if (!Gone)
      Files.push_back({Time, It->path()});
  }
  if (Files.size() <= MaxFiles)
    return;
  // A quarter at a time, so that not every store has to.
  std::sort(Files.begin(), Files.end());
  Files.resize(Files.size() - MaxFiles * 3 / 4);
  for (const auto &[Time, Path] : Files)
    fs::remove(Path, Error);
}
