//===- gevo-ld.cpp - A linker that links device code as well --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands between clang and the linker (clang++ --ld-path=gevo-ld), with the
// linker's own command line. Objects of -fgpu-rdc hold device code that is yet
// to be linked, for which CUDA has nvlink, and the Python wheels have not. Here
// its PTX becomes one text, in an object of its own that the linker gets on
// top. A command line without such objects goes to the linker as it is.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-ld/DeviceLink.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gevo::ld;

extern char **environ;

namespace {

[[noreturn]] void fail(const std::string &Message) {
  std::fprintf(stderr, "gevo-ld: error: %s\n", Message.c_str());
  std::exit(1);
}

std::string setting(const char *Name, const char *Default) {
  const char *Value = std::getenv(Name);
  return Value && *Value ? Value : Default;
}

std::vector<char *> argumentsOf(std::vector<std::string> &Command) {
  std::vector<char *> Argv;
  for (std::string &A : Command)
    Argv.push_back(A.data());
  Argv.push_back(nullptr);
  return Argv;
}

/// Runs a program and returns its exit status.
int run(std::vector<std::string> Command) {
  pid_t Child;
  if (int Failed = posix_spawnp(&Child, Command[0].c_str(), nullptr, nullptr,
                                argumentsOf(Command).data(), environ))
    return std::fprintf(stderr, "gevo-ld: error: cannot run %s: %s\n",
                        Command[0].c_str(), std::strerror(Failed)),
           1;
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 1;
}

/// A folder that goes with the process.
class TemporaryFolder {
public:
  TemporaryFolder() {
    Path = setting("TMPDIR", "/tmp") + "/gevo-ld-XXXXXX";
    if (!mkdtemp(Path.data()))
      fail("cannot make a folder for temporary files '" + Path +
           "': " + std::strerror(errno));
  }
  ~TemporaryFolder() {
    for (const std::string &File : Files)
      unlink(File.c_str());
    rmdir(Path.c_str());
  }
  std::string file(const char *Name) {
    Files.push_back(Path + "/" + Name);
    return Files.back();
  }

private:
  std::string Path;
  std::vector<std::string> Files;
};

bool isFile(const std::string &Path) {
  struct stat Info;
  return stat(Path.c_str(), &Info) == 0 && S_ISREG(Info.st_mode);
}

/// The static library that -lName means in one of \p Folders, if there is no
/// shared one before.
std::string findLibrary(const std::string &Name,
                        const std::vector<std::string> &Folders) {
  for (const std::string &Folder : Folders) {
    if (isFile(Folder + "/lib" + Name + ".so"))
      return {};
    if (isFile(Folder + "/lib" + Name + ".a"))
      return Folder + "/lib" + Name + ".a";
  }
  return {};
}

/// The linker's command line, with what the device linker wants of it.
struct Inputs {
  std::vector<DeviceObject> Objects;
  size_t Last = 0; ///< Place of the last argument that has some.
};

Inputs readInputs(const std::vector<std::string> &Arguments) {
  Inputs In;
  std::vector<std::string> Folders;
  for (const std::string &A : Arguments)
    if (A.size() > 2 && A.compare(0, 2, "-L") == 0)
      Folders.push_back(A.substr(2));
  for (size_t K = 0; K < Arguments.size(); ++K) {
    const std::string &A = Arguments[K];
    std::string Path =
        A.compare(0, 2, "-l") == 0 ? findLibrary(A.substr(2), Folders) : A;
    if (Path.empty() || Path[0] == '-' || (K && Arguments[K - 1] == "-o") ||
        !isFile(Path))
      continue;
    std::ifstream File(Path, std::ios::binary);
    std::string Bytes((std::istreambuf_iterator<char>(File)), {});
    std::vector<DeviceObject> More = readObjects(Path, Bytes);
    if (!More.empty())
      In.Last = K;
    In.Objects.insert(In.Objects.end(), std::make_move_iterator(More.begin()),
                      std::make_move_iterator(More.end()));
  }
  return In;
}

bool writeFile(const std::string &Path, const std::string &Content) {
  std::ofstream File(Path, std::ios::binary);
  File << Content;
  return bool(File.flush());
}

/// Makes the object with the linked device code; what is wrong if it cannot.
std::string makeObject(const Inputs &In, const std::string &Fatbin,
                       TemporaryFolder &Folder, const std::string &Object) {
  std::string Image = Folder.file("linked.fatbin");
  std::string Source = Folder.file("linked.c");
  for (const auto &[Path, Content] :
       {std::make_pair(Image, Fatbin),
        std::make_pair(Source, registration(In.Objects, Image))})
    if (!writeFile(Path, Content))
      return "cannot write '" + Path + "': " + std::strerror(errno);
  if (run({setting("GEVO_CC", GEVO_DEFAULT_CLANG), "-O1", "-fPIC", "-c", Source,
           "-o", Object}))
    return "the object that registers device code cannot be compiled; GEVO_CC "
           "names a C compiler";
  return {};
}

} // namespace

int main(int Count, char **Given) {
  std::vector<std::string> Arguments(Given + 1, Given + Count);
  std::vector<std::string> Command = {setting("GEVO_LD", "ld")};
  Inputs In = readInputs(Arguments);
  bool Partial = false; // ld -r: a later link is the one that counts.
  for (const std::string &A : Arguments)
    Partial |= A == "-r" || A == "--relocatable";
  if (In.Objects.empty() || Partial) {
    Command.insert(Command.end(), Arguments.begin(), Arguments.end());
    execvp(Command[0].c_str(), argumentsOf(Command).data());
    fail("cannot run " + Command[0] + ": " + std::strerror(errno) +
         "; set GEVO_LD to a linker");
  }
  std::string Error;
  std::string Fatbin = linkDevice(In.Objects, Error);
  if (Fatbin.empty())
    fail(Error);
  TemporaryFolder Folder;
  std::string Object = Folder.file("linked.o");
  Error = makeObject(In, Fatbin, Folder, Object);
  if (!Error.empty()) {
    std::fprintf(stderr, "gevo-ld: error: %s\n", Error.c_str());
    return 1;
  }
  for (size_t K = 0; K < Arguments.size(); ++K) {
    Command.push_back(Arguments[K]);
    if (K == In.Last)
      Command.push_back(Object);
  }
  return run(std::move(Command));
}
