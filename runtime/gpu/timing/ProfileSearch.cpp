//===- ProfileSearch.cpp - Where GPU profiles are found -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Profile.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
namespace fs = std::filesystem;

namespace {

std::string lower(std::string S) {
  for (char &C : S)
    C = char(std::tolower(static_cast<unsigned char>(C)));
  return S;
}

/// The profile files of \p Folder, sorted by name.
std::vector<fs::path> filesOf(const std::string &Folder) {
  std::vector<fs::path> Files;
  std::error_code Ignored;
  for (fs::directory_iterator It(Folder, Ignored), End; It != End;
       It.increment(Ignored))
    if (It->path().extension() == ".gpu")
      Files.push_back(It->path());
  std::sort(Files.begin(), Files.end());
  return Files;
}

/// The profiles installed beside the program or library that this code is in.
std::string installedFolder() {
  Dl_info Info;
  if (!dladdr(reinterpret_cast<void *>(&installedFolder), &Info) ||
      !Info.dli_fname)
    return {};
  std::error_code Error;
  fs::path Here = fs::canonical(Info.dli_fname, Error);
  if (Error)
    return {};
  for (fs::path P = Here.parent_path(); P.has_relative_path();
       P = P.parent_path())
    if (fs::is_directory(P / "share/gevo/gpu", Error))
      return P / "share/gevo/gpu";
  return {};
}

} // namespace

std::vector<std::string> gevo::gpu::timing::profileFolders() {
  std::vector<std::string> Folders;
  if (const char *Path = std::getenv("GEVO_GPU_PATH")) {
    std::string Rest = Path;
    for (size_t Begin = 0; Begin <= Rest.size();) {
      size_t End = std::min(Rest.find(':', Begin), Rest.size());
      if (End > Begin)
        Folders.push_back(Rest.substr(Begin, End - Begin));
      Begin = End + 1;
    }
  }
  if (std::string Installed = installedFolder(); !Installed.empty())
    Folders.push_back(Installed);
  Folders.push_back(GEVO_PROFILE_FOLDER);
  return Folders;
}

Result<Profile>
gevo::gpu::timing::findProfile(const std::string &Name,
                               const std::vector<std::string> &Folders) {
  if (Name.find('/') != std::string::npos ||
      fs::path(Name).extension() == ".gpu")
    return readProfile(Name);
  for (const std::string &Folder : Folders)
    for (const fs::path &File : filesOf(Folder))
      if (lower(File.stem()) == lower(Name))
        return readProfile(File);
  std::string Known;
  for (const std::string &N : profileNames(Folders))
    Known += (Known.empty() ? "" : ", ") + N;
  return Diagnostic{"unknown GPU '" + Name + "'; known are " +
                    (Known.empty() ? "none" : Known)};
}

std::vector<std::string>
gevo::gpu::timing::profileNames(const std::vector<std::string> &Folders) {
  std::vector<std::string> Names;
  for (const std::string &Folder : Folders)
    for (const fs::path &File : filesOf(Folder))
      Names.push_back(File.stem());
  std::sort(Names.begin(), Names.end());
  Names.erase(std::unique(Names.begin(), Names.end()), Names.end());
  return Names;
}
