//===- Elf.cpp - What a program says of itself ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/Elf.h"
#include "runtime/gpu/driver/Fatbin.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::run;

namespace {

/// The bytes of a file, read as tables with every offset checked.
class Image {
public:
  explicit Image(std::string Bytes) : Bytes(std::move(Bytes)) {}

  template <typename T> bool read(uint64_t Offset, T &Into) const {
    if (Offset > Bytes.size() || sizeof(T) > Bytes.size() - Offset)
      return false;
    std::memcpy(&Into, Bytes.data() + Offset, sizeof(T));
    return true;
  }
  /// The entries of a table of T.
  template <typename T>
  std::vector<T> table(uint64_t Offset, uint64_t Size) const {
    std::vector<T> All;
    T One;
    for (uint64_t At = 0; Size - At >= sizeof(T) && read(Offset + At, One);
         At += sizeof(T))
      All.push_back(One);
    return All;
  }
  std::string_view piece(uint64_t Offset, uint64_t Size) const {
    if (Offset > Bytes.size() || Size > Bytes.size() - Offset)
      return {};
    return std::string_view(Bytes).substr(Offset, Size);
  }
  std::string text(uint64_t Table, uint64_t At) const {
    uint64_t Offset = Table + At;
    if (Offset < Table || Offset >= Bytes.size())
      return "";
    return Bytes.c_str() + Offset;
  }

private:
  std::string Bytes;
};

/// Reads one file into a summary.
class Reader {
public:
  explicit Reader(const Image &In) : In(In) {}

  bool readAll(ElfSummary &Out) {
    Elf64_Ehdr Header;
    if (!In.read(0, Header) || std::memcmp(Header.e_ident, ELFMAG, SELFMAG) ||
        Header.e_ident[EI_CLASS] != ELFCLASS64)
      return false;
    Sections = In.table<Elf64_Shdr>(Header.e_shoff, uint64_t(Header.e_shnum) *
                                                        sizeof(Elf64_Shdr));
    for (const auto &P : In.table<Elf64_Phdr>(
             Header.e_phoff, uint64_t(Header.e_phnum) * sizeof(Elf64_Phdr)))
      if (P.p_type == PT_INTERP)
        Out.Interpreter = In.text(0, P.p_offset);
    for (const Elf64_Shdr &S : Sections) {
      if (S.sh_type == SHT_DYNSYM)
        readSymbols(S, Out);
      else if (S.sh_type == SHT_DYNAMIC)
        readDynamic(S, Out);
      else if (S.sh_type == SHT_PROGBITS && Header.e_shstrndx < Sections.size())
        readCode(S, In.text(Sections[Header.e_shstrndx].sh_offset, S.sh_name),
                 Out);
    }
    return true;
  }

private:
  const Image &In;
  std::vector<Elf64_Shdr> Sections;

  uint64_t strings(const Elf64_Shdr &S) const {
    return S.sh_link < Sections.size() ? Sections[S.sh_link].sh_offset : 0;
  }

  void readSymbols(const Elf64_Shdr &S, ElfSummary &Out) {
    for (const auto &Symbol : In.table<Elf64_Sym>(S.sh_offset, S.sh_size)) {
      std::string Name = In.text(strings(S), Symbol.st_name);
      if (!Name.empty())
        (Symbol.st_shndx == SHN_UNDEF ? Out.Imported : Out.Exported)
            .insert(std::move(Name));
    }
  }

  void readDynamic(const Elf64_Shdr &S, ElfSummary &Out) {
    for (const auto &D : In.table<Elf64_Dyn>(S.sh_offset, S.sh_size)) {
      if (D.d_tag == DT_NEEDED)
        Out.Needed.push_back(In.text(strings(S), D.d_un.d_val));
      Out.HasRpath = Out.HasRpath || D.d_tag == DT_RPATH;
    }
  }

  /// Containers stand one after the other, each at a multiple of eight.
  void readCode(const Elf64_Shdr &S, const std::string &Name, ElfSummary &Out) {
    if (Name == ".nvFatBinSegment")
      Out.HasFatbins = true;
    if (Name != ".nv_fatbin" && Name != "__nv_relfatbin")
      return;
    Out.HasFatbins = true;
    std::string_view Rest = In.piece(S.sh_offset, S.sh_size);
    constexpr size_t Smallest = 16;
    while (Rest.size() >= Smallest) {
      if (!gpu::isFatbin(Rest)) {
        Rest.remove_prefix(8);
        continue;
      }
      size_t Size = gpu::statedFatbinSize(Rest.data());
      std::string Error;
      if (Size > Rest.size() || Size < Smallest)
        return;
      if (auto Entries = gpu::readFatbin(Rest.substr(0, Size), Error))
        for (const gpu::FatbinEntry &E : *Entries) {
          Out.HasPtx = Out.HasPtx || E.isPTX();
          if (E.isELF())
            Out.MachineCode.insert(E.Arch);
        }
      Rest.remove_prefix(std::min(Rest.size(), (Size + 7) / 8 * 8));
    }
  }
};

} // namespace

std::optional<ElfSummary> gevo::run::readElf(const std::string &Name) {
  std::ifstream File(Name, std::ios::binary);
  char Magic[SELFMAG];
  if (!File.read(Magic, SELFMAG) || std::memcmp(Magic, ELFMAG, SELFMAG))
    return std::nullopt;
  File.seekg(0);
  Image In(std::string((std::istreambuf_iterator<char>(File)),
                       std::istreambuf_iterator<char>()));
  ElfSummary Out;
  if (!Reader(In).readAll(Out))
    return std::nullopt;
  return Out;
}

std::vector<std::string>
gevo::run::loadedLibraries(const std::string &Program, const ElfSummary &Elf,
                           const std::string &LibraryPath) {
  int Pipe[2];
  if (Elf.Interpreter.empty() || pipe(Pipe))
    return {};
  pid_t Child = fork();
  if (!Child) {
    dup2(Pipe[1], STDOUT_FILENO);
    close(Pipe[0]);
    close(Pipe[1]);
    setenv("LD_LIBRARY_PATH", LibraryPath.c_str(), 1);
    execl(Elf.Interpreter.c_str(), Elf.Interpreter.c_str(), "--list",
          Program.c_str(), nullptr);
    _exit(127);
  }
  close(Pipe[1]);
  std::string Text;
  char Buffer[4096];
  for (ssize_t Got; (Got = read(Pipe[0], Buffer, sizeof(Buffer))) > 0;)
    Text.append(Buffer, size_t(Got));
  close(Pipe[0]);
  if (Child > 0)
    waitpid(Child, nullptr, 0);
  // Lines are "name => file (address)"; some name only a file.
  std::vector<std::string> Files;
  for (size_t At = 0; (At = Text.find("=> ", At)) != std::string::npos;) {
    At += 3;
    size_t End = Text.find_first_of(" \n", At);
    std::string File = Text.substr(At, End - At);
    if (!File.empty() && File[0] == '/')
      Files.push_back(std::move(File));
  }
  return Files;
}
