//===- Elf.h - What a program says of itself --------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what gevo-run must know of a program or library before it runs: which
// symbols and libraries it imports and which device code it carries. Any bytes
// are safe to read.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_ELF_H
#define GEVO_TOOLS_GEVO_RUN_ELF_H

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gevo::run {

/// What an ELF file of this machine says.
struct ElfSummary {
  std::string Interpreter;         ///< The loader; empty in a static program.
  std::vector<std::string> Needed; ///< SONAMEs.
  std::set<std::string> Imported;  ///< Undefined dynamic symbols.
  std::set<std::string> Exported;  ///< Defined dynamic symbols.
  bool HasRpath = false;           ///< DT_RPATH, which LD_LIBRARY_PATH cannot
                                   ///< overrule.
  bool HasFatbins = false;         ///< It registers device code.
  bool HasPtx = false;             ///< Some of that is PTX.
  std::set<unsigned> MachineCode;  ///< Architectures of its cubins.
};

/// Reads the file \p Name. Nothing if it cannot be read or is no 64-bit ELF
/// file.
std::optional<ElfSummary> readElf(const std::string &Name);

/// The libraries that the loader would take for \p Program with the search
/// path \p LibraryPath, as file names. Runs the loader, not the program.
std::vector<std::string> loadedLibraries(const std::string &Program,
                                         const ElfSummary &Elf,
                                         const std::string &LibraryPath);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_ELF_H
