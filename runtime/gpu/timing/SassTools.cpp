//===- SassTools.cpp - Running the assembler and the disassembler ---------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are in memory: whatever ends the process, nothing is left behind.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/KernelText.h"
#include "runtime/gpu/timing/Process.h"
#include "runtime/gpu/timing/SassCache.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
namespace fs = std::filesystem;

namespace {

/// A file without a folder, which other processes find by its path as long as
/// the object lives.
class MemoryFile {
public:
  explicit MemoryFile(const char *Name)
      : File(memfd_create(Name, MFD_CLOEXEC)),
        Path("/proc/" + std::to_string(getpid()) + "/fd/" +
             std::to_string(File)) {}
  ~MemoryFile() {
    if (File >= 0)
      close(File);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  bool isOpen() const { return File >= 0; }

private:
  const int File;

public:
  const std::string Path;
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

/// "12.5.82" of what a tool of CUDA says about itself.
std::string versionOf(const std::string &Tool) {
  Result<std::string> Text = runProcess({Tool, "--version"});
  if (!Text)
    return "of unknown version";
  size_t At = Text->rfind(", V");
  if (At == std::string::npos)
    return "of unknown version";
  size_t Begin = At + 3, End = Text->find_first_not_of("0123456789.", Begin);
  return Text->substr(Begin, End - Begin);
}

/// What ptxas says of registers, as lines "registers COUNT FUNCTION".
std::string registerLines(const std::string &Said) {
  constexpr std::string_view Function = "Function properties for ",
                             Used = "Used ";
  std::istringstream In(Said);
  std::string Line, Name, Out;
  while (std::getline(In, Line)) {
    if (size_t At = Line.find(Function); At != std::string::npos)
      Name = Line.substr(At + Function.size());
    size_t At = Line.find(Used);
    if (At == std::string::npos || Name.empty())
      continue;
    unsigned long Count =
        std::strtoul(Line.c_str() + At + Used.size(), nullptr, 10);
    if (Count)
      Out += "registers " + std::to_string(Count) + " " + Name + "\n";
  }
  return Out;
}

/// \p Failure with \p Name for \p Path, the same in every process.
Diagnostic withoutPath(Diagnostic Failure, const std::string &Path,
                       const std::string &Name) {
  std::string &Text = Failure.Message;
  for (size_t At; (At = Text.find(Path)) != std::string::npos;)
    Text.replace(At, Path.size(), Name);
  return Failure;
}

/// The first architecture whose machine code is read, and the next one.
constexpr uint64_t Volta = 70, Turing = 75;

/// Writes into the ELF header of \p Binary, code for \p Arch of Volta's, that
/// it is for Turing, whose encoding has all of Volta's instructions:
/// disassemblers of CUDA 13.1 and later refuse the former and read its code as
/// the latter's. What has no such header is left for the disassembler to judge.
void passForTuring(const std::string &Binary, uint64_t Arch) {
  constexpr std::streamoff FlagsAt = 48; // e_flags of a 64-bit file.
  std::fstream File(Binary, std::ios::in | std::ios::out | std::ios::binary);
  if (File.seekg(FlagsAt).get() == std::fstream::int_type(Arch))
    File.seekp(FlagsAt).put(char(Turing));
}

/// The machine code of \p Ptx as text, behind lines that say by what and for
/// what it was made, and how many registers it uses.
Result<std::string> make(const SassTools &Tools, std::string_view Ptx,
                         uint64_t Arch, const std::string &Entry) {
  MemoryFile SourceFile("k.ptx"), BinaryFile("k.cubin");
  if (!SourceFile.isOpen() || !BinaryFile.isOpen())
    return Diagnostic{"no file in memory for the assembler", 0, 0,
                      FailureCause::Machine};
  const std::string &Source = SourceFile.Path, &Binary = BinaryFile.Path;
  std::ofstream(Source, std::ios::binary) << Ptx;
  std::vector<std::string> Arguments = {
      Tools.Assembler, "-v",   "-arch=sm_" + std::to_string(Arch),
      "-lineinfo",     Source, "-o",
      Binary};
  if (!Entry.empty())
    Arguments.insert(Arguments.end(), {"--entry", Entry});
  Result<std::string> Assembled = runProcess(Arguments, true);
  // Binary first: it was opened later, so Source may be how it begins.
  auto Named = [&](Diagnostic Failure) {
    return withoutPath(withoutPath(std::move(Failure), Binary, "machine code"),
                       Source, "PTX");
  };
  if (!Assembled)
    return Named(Assembled.error());
  std::string Head = "ptxas " + versionOf(Tools.Assembler) + "\n" +
                     std::to_string(Arch) + "\n" + registerLines(*Assembled);
  if (Arch < Volta)
    return Head;
  if (Arch < Turing)
    passForTuring(Binary, Arch);
  Result<std::string> Listing =
      runProcess({Tools.Disassembler, "-gp", "-hex", "-c", Binary});
  if (!Listing)
    return Named(Listing.error());
  return Head + *Listing;
}

/// Reads what make() made.
Result<SassModule> readMade(const std::string &Text) {
  size_t First = Text.find('\n'), Second = Text.find('\n', First + 1);
  if (Second == std::string::npos)
    return Diagnostic{"the listing of machine code has no instructions"};
  uint64_t Arch = std::strtoull(Text.c_str() + First + 1, nullptr, 10);
  bool HasCode = Arch >= Volta;
  Result<SassModule> M =
      HasCode ? parseListing(std::string_view(Text).substr(Second + 1))
              : SassModule();
  if (!M)
    return M;
  M->Assembler = Text.substr(0, First);
  M->Arch = Arch;
  constexpr std::string_view Word = "registers ";
  for (size_t At = Second + 1; Text.compare(At, Word.size(), Word) == 0;
       At = Text.find('\n', At) + 1) {
    char *Name = nullptr;
    unsigned long Count =
        std::strtoul(Text.c_str() + At + Word.size(), &Name, 10);
    size_t Begin = size_t(Name - Text.c_str()) + 1;
    std::string Function = Text.substr(Begin, Text.find('\n', Begin) - Begin);
    auto It = HasCode ? M->find(Function) : M->try_emplace(Function).first;
    if (It != M->end())
      It->second.Registers = uint32_t(Count);
  }
  return M;
}

/// Only what can be read is kept, and only what was kept whole is taken.
Result<SassModule> assembleText(const SassTools &Tools, std::string_view Ptx,
                                uint64_t Arch, const std::string &Entry) {
  SassCache Cache(sassCacheFolder());
  std::string Key = sassKey(Tools, Ptx, Arch, Entry);
  if (std::optional<std::string> Known = Cache.find(Key))
    if (Result<SassModule> M = readMade(*Known))
      return M;
  Result<std::string> Made = make(Tools, Ptx, Arch, Entry);
  if (!Made)
    return Made.error();
  Result<SassModule> M = readMade(*Made);
  if (M)
    Cache.store(Key, *Made);
  return M;
}

} // namespace

SassTools gevo::gpu::timing::findSassTools() {
  return {findTool("ptxas"), findTool("nvdisasm")};
}

Result<SassModule> gevo::gpu::timing::assemble(const SassTools &Tools,
                                               std::string_view Ptx,
                                               uint64_t Arch,
                                               const std::string &Entry) {
  Diagnostic Unread{"the machine code of sm_" + std::to_string(Arch) +
                    " cannot be read"};
  if (Arch < Volta && Tools.Assembler.empty())
    return Unread;
  if (Arch >= Volta && !Tools.found())
    return Diagnostic{
        std::string(Tools.Assembler.empty() ? "ptxas" : "nvdisasm") +
        " is not on this machine"};
  ptx::KernelText Part = Entry.empty() ? ptx::KernelText{std::string(Ptx), {}}
                                       : ptx::kernelText(Ptx, Entry);
  Result<SassModule> M = assembleText(Tools, Part.Text, Arch, Entry);
  // What was cut out may lack something that the assembler asks for.
  if (!M && !Part.Lines.empty()) {
    Part = {std::string(Ptx), {}};
    M = assembleText(Tools, Part.Text, Arch, Entry);
  }
  if (Arch < Volta && (!M || M->empty()))
    return Unread;
  if (Arch < Volta)
    M->WhyNoCode = Unread.Message;
  if (M)
    for (auto &[Name, Listing] : *M)
      for (SassInstruction &I : Listing.Code)
        I.Line = Part.lineInModule(I.Line);
  return M;
}

std::optional<CostChoice>
gevo::gpu::timing::costChoiceByName(std::string_view Name) {
  if (Name == "auto")
    return CostChoice::Auto;
  if (Name == "rules")
    return CostChoice::Rules;
  if (Name == "text")
    return CostChoice::Text;
  if (Name == "sass")
    return CostChoice::Sass;
  return std::nullopt;
}
