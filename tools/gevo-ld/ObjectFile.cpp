//===- ObjectFile.cpp - Relocatable device code in objects ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-ld/ObjectFile.h"
#include "runtime/gpu/driver/Fatbin.h"

#include <cstring>
#include <elf.h>

using namespace gevo;
using namespace gevo::ld;

namespace {

constexpr char ArchiveStart[] = "!<arch>\n";
constexpr const char *CodeSection = "__nv_relfatbin";
constexpr const char *NameSection = "__nv_module_id";

/// A T at \p At of \p Bytes; zeros if it does not lie within.
template <typename T> T load(std::string_view Bytes, uint64_t At) {
  T Value = {};
  if (At <= Bytes.size() && sizeof(T) <= Bytes.size() - At)
    std::memcpy(&Value, Bytes.data() + At, sizeof(T));
  return Value;
}

std::string_view slice(std::string_view Bytes, uint64_t At, uint64_t Size) {
  if (At > Bytes.size() || Size > Bytes.size() - At)
    return {};
  return Bytes.substr(At, Size);
}

/// Strings with nuls between them, as `ld -r` puts those of several objects.
void takeNames(std::string_view Section, std::vector<std::string> &Into) {
  for (size_t At = 0; At < Section.size();) {
    size_t End = std::min(Section.find('\0', At), Section.size());
    if (End > At)
      Into.emplace_back(Section.substr(At, End - At));
    At = End + 1;
  }
}

/// Containers one after the other, each at a multiple of 8.
void takeFatbins(std::string_view Section, std::vector<std::string> &Into) {
  for (size_t At = 0; At + 16 <= Section.size();) {
    std::string_view Rest = Section.substr(At);
    size_t Size = gpu::isFatbin(Rest) ? gpu::statedFatbinSize(Rest.data()) : 0;
    if (!Size || Size > Rest.size()) {
      At += 8;
      continue;
    }
    Into.emplace_back(Rest.substr(0, Size));
    At += (Size + 7) / 8 * 8;
  }
}

void readElf(const std::string &Name, std::string_view Bytes,
             std::vector<DeviceObject> &Into) {
  auto Header = load<Elf64_Ehdr>(Bytes, 0);
  if (Bytes.substr(0, SELFMAG) != ELFMAG ||
      Header.e_ident[EI_CLASS] != ELFCLASS64 || Header.e_type != ET_REL)
    return;
  auto section = [&](unsigned K) {
    return load<Elf64_Shdr>(Bytes,
                            Header.e_shoff + uint64_t(K) * sizeof(Elf64_Shdr));
  };
  Elf64_Shdr Strings = section(Header.e_shstrndx);
  std::string_view Names = slice(Bytes, Strings.sh_offset, Strings.sh_size);
  DeviceObject Object;
  Object.Name = Name;
  for (unsigned K = 0; K < Header.e_shnum; ++K) {
    Elf64_Shdr S = section(K);
    std::string_view Called =
        Names.substr(std::min<size_t>(S.sh_name, Names.size()));
    Called = Called.substr(0, Called.find('\0'));
    std::string_view Content = slice(Bytes, S.sh_offset, S.sh_size);
    if (Called == CodeSection)
      takeFatbins(Content, Object.Fatbins);
    else if (Called == NameSection)
      takeNames(Content, Object.Modules);
  }
  if (!Object.Fatbins.empty() && !Object.Modules.empty())
    Into.push_back(std::move(Object));
}

/// A member's name: short ones end in a slash, long ones are "/" and where
/// they stand in the member "//".
std::string memberName(std::string_view Field, std::string_view LongNames) {
  if (Field[0] == '/' && Field[1] >= '0' && Field[1] <= '9') {
    size_t At =
        std::strtoull(std::string(Field.substr(1)).c_str(), nullptr, 10);
    Field = LongNames.substr(std::min(At, LongNames.size()));
  }
  return std::string(Field.substr(0, Field.find_first_of("/\n ")));
}

void readArchive(const std::string &Path, std::string_view Bytes,
                 std::vector<DeviceObject> &Into) {
  constexpr size_t HeaderBytes = 60, NameBytes = 16, SizeAt = 48;
  std::string_view LongNames;
  for (size_t At = sizeof(ArchiveStart) - 1;
       At + HeaderBytes <= Bytes.size();) {
    std::string_view Field = Bytes.substr(At, NameBytes);
    size_t Size = std::strtoull(
        std::string(Bytes.substr(At + SizeAt, 10)).c_str(), nullptr, 10);
    std::string_view Member = slice(Bytes, At + HeaderBytes, Size);
    if (Field.substr(0, 3) == "// ")
      LongNames = Member;
    else
      readElf(Path + "(" + memberName(Field, LongNames) + ")", Member, Into);
    At += HeaderBytes + (Size + 1) / 2 * 2;
  }
}

} // namespace

std::vector<DeviceObject> gevo::ld::readObjects(const std::string &Path,
                                                std::string_view Bytes) {
  std::vector<DeviceObject> All;
  // Most of what is linked has none; that is quickly seen.
  if (Bytes.find(CodeSection) == Bytes.npos)
    return All;
  if (Bytes.substr(0, sizeof(ArchiveStart) - 1) == ArchiveStart)
    readArchive(Path, Bytes, All);
  else
    readElf(Path, Bytes, All);
  return All;
}
