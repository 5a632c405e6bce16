//===- gevo-clang++.cpp - clang++ with Gevo, as one command ---------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A drop-in for clang++: adds the plugin, the CUDA tree and the shared runtime
// through gevo.cfg, turns --gevo- options into the plugin's environment, and
// becomes clang++. Variables rather than -mllvm, because clang hands -mllvm to
// its assembler, too, which does not load plugins.
//
//===----------------------------------------------------------------------===//

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

struct Option {
  const char *Name;
  const char *Variable;
  /// What the option stands for without "=..."; null if it needs a value.
  const char *Default;
  /// Names a file that must be there.
  bool IsInput;
  /// Says how to replay, and so means nothing without an edit set.
  bool OfReplay;
  const char *Help;
};

constexpr Option Options[] = {
    {"--gevo-record", "GEVO_RECORD", "embed", false, false,
     "[=DIR]  keep device modules in the program, or in DIR"},
    {"--gevo-edits", "GEVO_EDITS", nullptr, true, false,
     "=FILE   replay this edit set"},
    {"--gevo-report", "GEVO_REPORT", nullptr, false, true,
     "=DIR    write a JSON replay report per source and architecture"},
    {"--gevo-strict", "GEVO_STRICT", "1", false, true,
     "        an edit that does not apply is an error"},
    {"--gevo-remap", "GEVO_REMAP", "1", false, true,
     "        find the places of a stale edit set anew"},
};

} // namespace

static void printHelp(FILE *To) {
  std::fputs("usage: gevo-clang++ [--gevo-...] <clang++ arguments>\n\n"
             "Runs clang++ 19 with the Gevo plugin, the CUDA tree and the "
             "shared CUDA runtime:\n"
             "  gevo-clang++ app.cu -o app\n\n",
             To);
  for (const Option &O : Options)
    std::fprintf(To, "  %-14s%s\n", O.Name, O.Help);
  std::fputs("  --gevo-help           this text\n\n"
             "Everything else goes to clang++. GEVO_CLANG names another "
             "clang++ 19.\nDevice code is compiled for sm_70 unless "
             "--offload-arch or --cuda-gpu-arch says\notherwise.\n",
             To);
}

[[noreturn]] static void fail(const std::string &Message) {
  std::fprintf(stderr, "gevo-clang++: error: %s\n", Message.c_str());
  std::exit(1);
}

static bool startsWith(const std::string &Text, const char *Prefix) {
  return Text.compare(0, std::strlen(Prefix), Prefix) == 0;
}

// Sets the variable that the option stands for, and returns the option.
static const Option &takeOption(const std::string &Argument) {
  size_t Equals = Argument.find('=');
  std::string Name = Argument.substr(0, Equals);
  for (const Option &O : Options) {
    if (Name != O.Name)
      continue;
    bool HasValue = Equals != std::string::npos;
    std::string Value = HasValue    ? Argument.substr(Equals + 1)
                        : O.Default ? O.Default
                                    : "";
    if (Value.empty())
      fail(Name + " needs a value: " + Name + "=...");
    if (O.IsInput && access(Value.c_str(), R_OK) != 0)
      fail("cannot read '" + Value + "', named by " + Name + ": " +
           std::strerror(errno));
    setenv(O.Variable, Value.c_str(), 1);
    // Only the plugin knows what an edit set is.
    if (O.IsInput)
      setenv("GEVO_EDITS_NEEDED", "1", 1);
    return O;
  }
  fail("unknown option '" + Name + "'; gevo-clang++ --gevo-help lists them");
}

// What was typed, for a program that is kept to be built again.
static void tellCommand(int Count, char **Arguments) {
  std::string Command = "gevo-clang++";
  for (int I = 1; I < Count; ++I) {
    std::string Word = Arguments[I];
    bool Plain =
        !Word.empty() &&
        Word.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789-_./=+,:@%") == std::string::npos;
    for (size_t At = 0; (At = Word.find('\'', At)) != std::string::npos;
         At += 4)
      Word.replace(At, 1, "'\\''");
    Command += Plain ? " " + Word : " '" + Word + "'";
  }
  setenv("GEVO_COMMAND", Command.c_str(), 1);
}

static void warnWithoutEdits(const Option &O) {
  const char *Edits = std::getenv("GEVO_EDITS");
  if (!Edits || !*Edits)
    std::fprintf(stderr,
                 "gevo-clang++: warning: %s does nothing without "
                 "--gevo-edits=FILE\n",
                 O.Name);
}

// The folder that this program is in.
static std::string ownFolder() {
  char Self[PATH_MAX];
  ssize_t Length = readlink("/proc/self/exe", Self, sizeof(Self) - 1);
  if (Length < 0)
    fail("cannot tell where this program is: " +
         std::string(std::strerror(errno)));
  std::string Folder(Self, Length);
  return Folder.erase(Folder.rfind('/'));
}

// gevo.cfg of the build folder or of the installation that this program is in.
static std::string findConfig() {
  std::string Folder = ownFolder();
  for (const char *Place :
       {"/../gevo.cfg", "/../" GEVO_LIBDIR "/gevo/gevo.cfg"})
    if (access((Folder + Place).c_str(), R_OK) == 0)
      return Folder + Place;
  fail("gevo.cfg is neither in " + Folder + "/.. nor in " + Folder +
       "/../" GEVO_LIBDIR "/gevo; build or install Gevo again");
}

// Options of clang++ that end before the linker.
static bool stopsEarly(const std::string &A) {
  return A == "-c" || A == "-S" || A == "-E" || A == "-M" || A == "-MM" ||
         A == "-fsyntax-only" || A == "--analyze" || A == "--precompile" ||
         A == "--cuda-device-only" || A == "--offload-device-only";
}

// Puts gevo-ld, which links what -fgpu-rdc compiles, in front of the linker
// that
// \p Arguments ask for. Whoever names a linker by its path has it as it is.
static void takeLinker(const std::vector<std::string> &Arguments,
                       std::vector<std::string> &Command) {
  constexpr const char *Use = "-fuse-ld=";
  std::string Linker = ownFolder() + "/gevo-ld";
  for (const std::string &A : Arguments) {
    if (startsWith(A, "--ld-path"))
      return;
    std::string Name = startsWith(A, Use) ? A.substr(std::strlen(Use)) : "";
    if (!Name.empty())
      setenv("GEVO_LD", (Name[0] == '/' ? Name : "ld." + Name).c_str(), 0);
  }
  if (access(Linker.c_str(), X_OK) == 0)
    Command.push_back("--ld-path=" + Linker);
  if (const char *Clang = std::getenv("GEVO_CLANG"); Clang && *Clang)
    setenv("GEVO_CC", Clang, 0);
}

int main(int Count, char **Arguments) {
  std::vector<std::string> Command;
  const char *Clang = std::getenv("GEVO_CLANG");
  Command.push_back(Clang && *Clang ? Clang : GEVO_DEFAULT_CLANG);
  bool HasInput = false, Stops = false, HasArchitecture = false;
  const Option *OfReplay = nullptr;
  std::vector<std::string> Rest;
  for (int I = 1; I < Count; ++I) {
    std::string A = Arguments[I];
    if (A == "--gevo-help") {
      printHelp(stdout);
      return 0;
    }
    if (startsWith(A, "--gevo-")) {
      const Option &O = takeOption(A);
      OfReplay = O.OfReplay ? &O : OfReplay;
      continue;
    }
    if (A == "--version") {
      std::puts("gevo " GEVO_VERSION);
      std::fflush(stdout);
    }
    // clang's own options follow.
    if (A == "--help" || A == "-help") {
      printHelp(stdout);
      std::puts("");
      std::fflush(stdout);
    }
    HasInput = HasInput || A[0] != '-' || A == "-";
    Stops = Stops || stopsEarly(A);
    HasArchitecture = HasArchitecture || startsWith(A, "--cuda-gpu-arch") ||
                      startsWith(A, "--offload-arch");
    Rest.push_back(std::move(A));
  }
  if (OfReplay)
    warnWithoutEdits(*OfReplay);
  if (std::getenv("GEVO_RECORD"))
    tellCommand(Count, Arguments);
  // With nothing to compile or link, clang++ answers a question, and the
  // runtime library would be something to link.
  if (HasInput) {
    Command.push_back("--config=" + findConfig());
    // clang looks at the CUDA tree before it reads the warnings of its
    // configuration file.
    Command.push_back("-Wno-unknown-cuda-version");
  }
  if (HasInput && !HasArchitecture) {
    // Nothing to compile for when only objects are linked.
    Command.push_back("--start-no-unused-arguments");
    Command.push_back("--offload-arch=sm_70");
    Command.push_back("--end-no-unused-arguments");
  }
  Command.insert(Command.end(), Rest.begin(), Rest.end());
  // Again after the objects, where linkers that drop unneeded libraries look.
  if (HasInput && !Stops) {
    Command.push_back("-lcudart");
    takeLinker(Rest, Command);
  }
  std::vector<char *> Argv;
  for (std::string &A : Command)
    Argv.push_back(A.data());
  Argv.push_back(nullptr);
  execvp(Argv[0], Argv.data());
  fail("cannot run " + Command[0] + ": " + std::strerror(errno) +
       "; install clang-19, or set GEVO_CLANG");
}
