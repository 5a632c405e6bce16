//===- Sass.h - The machine code that PTX became ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where ptxas and nvdisasm are on the machine, PTX is assembled with line
// information and disassembled, and each PTX line is priced by the instructions
// that it became. nvdisasm reads sm_75 and later; sm_70 is assembled as sm_75,
// whose instruction set is Volta's with additions. Earlier architectures have
// another instruction set and are priced by the rules.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SASS_H
#define GEVO_RUNTIME_GPU_TIMING_SASS_H

#include "runtime/gpu/ptx/Module.h"
#include "runtime/gpu/ptx/Result.h"
#include "runtime/gpu/timing/Lowering.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu::timing {

/// One instruction of machine code.
struct SassInstruction {
  std::string Opcode; ///< With modifiers: "LDG.E.128".
  uint32_t Line = 0;  ///< Of the PTX, from 1; 0 if unknown.
  uint8_t Stall = 0;  ///< Cycles the scheduler waits after it.
};

/// The machine code of one function.
struct SassListing {
  std::vector<SassInstruction> Code;
  uint32_t Registers = 0;
  uint64_t Hash = 0; ///< Of the encoding alone: line numbers do not count.
};

/// By name of the function.
using SassModule = std::map<std::string, SassListing>;

/// Reads what "nvdisasm -gp -hex -c" prints.
Result<SassModule> parseListing(std::string_view Text);

/// The tools that make machine code; empty paths if they are not there.
struct SassTools {
  std::string Assembler;
  std::string Disassembler;
  bool found() const { return !Assembler.empty() && !Disassembler.empty(); }
};

/// Looks in GEVO_CUDA_PATH/bin, the build's CUDA tree and the PATH.
SassTools findSassTools();

/// Assembles \p Ptx for \p Arch and reads it back.
Result<SassModule> assemble(const SassTools &Tools, std::string_view Ptx,
                            uint64_t Arch);

/// What became of each instruction of \p F. The rules say what one copy of an
/// instruction would be; loops that were unrolled have several.
SassFunction costsFromSass(const Profile &P, const ptx::Function &F,
                           const SassListing &Listing);

/// Runs \p Arguments (a path first) without a shell and returns its standard
/// output; fails if it cannot run or ends with another status than 0.
Result<std::string> runProcess(const std::vector<std::string> &Arguments);

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SASS_H
