//===- SassTools.cpp - Running the assembler and the disassembler ---------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each run has a folder of its own that is removed afterwards. Programs are
// started from argument vectors, never through a shell.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
namespace fs = std::filesystem;

namespace {

/// A folder that lives as long as the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::error_code Error;
    std::string Name =
        (fs::temp_directory_path(Error) / "gevo-XXXXXX").string();
    if (!Error && mkdtemp(Name.data()))
      Path = Name;
  }
  ~TemporaryFolder() {
    std::error_code Ignored;
    if (!Path.empty())
      fs::remove_all(Path, Ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  fs::path Path;
};

std::string toolIn(const fs::path &Folder, const char *Name) {
  fs::path File = Folder / Name;
  return access(File.c_str(), X_OK) == 0 ? File.string() : std::string();
}

std::string findTool(const char *Name) {
  if (const char *Cuda = std::getenv("GEVO_CUDA_PATH"))
    if (std::string T = toolIn(fs::path(Cuda) / "bin", Name); !T.empty())
      return T;
  if (std::string T = toolIn(fs::path(GEVO_CUDA_FOLDER) / "bin", Name);
      !T.empty())
    return T;
  std::string Path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (size_t Begin = 0; Begin < Path.size();) {
    size_t End = std::min(Path.find(':', Begin), Path.size());
    if (End > Begin)
      if (std::string T = toolIn(Path.substr(Begin, End - Begin), Name);
          !T.empty())
        return T;
    Begin = End + 1;
  }
  return {};
}

} // namespace

Result<std::string>
gevo::gpu::timing::runProcess(const std::vector<std::string> &Arguments) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return Diagnostic{"no pipe for " + Arguments[0]};
  std::vector<char *> Argv;
  for (const std::string &A : Arguments)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], 1);
  posix_spawn_file_actions_addopen(&Actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t Child;
  int Failed =
      posix_spawn(&Child, Argv[0], &Actions, nullptr, Argv.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  close(Pipe[1]);
  std::string Output;
  if (!Failed) {
    char Buffer[65536];
    ssize_t Got;
    while ((Got = read(Pipe[0], Buffer, sizeof(Buffer))) > 0)
      Output.append(Buffer, size_t(Got));
  }
  close(Pipe[0]);
  if (Failed)
    return Diagnostic{Arguments[0] + " cannot be started"};
  int Status = 0;
  waitpid(Child, &Status, 0);
  if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    return Diagnostic{Arguments[0] + " failed"};
  return Output;
}

SassTools gevo::gpu::timing::findSassTools() {
  return {findTool("ptxas"), findTool("nvdisasm")};
}

Result<SassModule> gevo::gpu::timing::assemble(const SassTools &Tools,
                                               std::string_view Ptx,
                                               uint64_t Arch) {
  if (!Tools.found())
    return Diagnostic{"ptxas or nvdisasm is not on this machine"};
  if (Arch < 70)
    return Diagnostic{"the machine code of sm_" + std::to_string(Arch) +
                      " cannot be read"};
  TemporaryFolder Folder;
  if (Folder.Path.empty())
    return Diagnostic{"no temporary folder"};
  std::string Source = Folder.Path / "k.ptx", Binary = Folder.Path / "k.cubin";
  std::ofstream(Source, std::ios::binary) << Ptx;
  std::string Target =
      "-arch=sm_" + std::to_string(std::max<uint64_t>(75, Arch));
  Result<std::string> Assembled =
      runProcess({Tools.Assembler, Target, "-lineinfo", Source, "-o", Binary});
  if (!Assembled)
    return Assembled.error();
  Result<std::string> Listing =
      runProcess({Tools.Disassembler, "-gp", "-hex", "-c", Binary});
  if (!Listing)
    return Listing.error();
  return parseListing(*Listing);
}
