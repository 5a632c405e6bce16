//===- Sass.h - The machine code that PTX became ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where ptxas and nvdisasm are on the machine, PTX is assembled with line
// information and disassembled, and what the clock issues is the machine code:
// its instructions, registers, order and stall counts. The lines say with which
// PTX instruction each of them is issued and whose memory it accesses. So time
// depends on the machine code and on what was executed, not on how the PTX was
// written. Architectures before sm_70 have another instruction set, which the
// disassembler does not read: they are priced by the rules, with the
// assembler's count of registers.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SASS_H
#define GEVO_RUNTIME_GPU_TIMING_SASS_H

#include "runtime/gpu/ptx/Module.h"
#include "runtime/gpu/ptx/Result.h"
#include "runtime/gpu/timing/Lowering.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu::timing {

/// One instruction of machine code.
struct SassInstruction {
  std::string Opcode;     ///< With modifiers: "LDG.E.128".
  uint32_t Line = 0;      ///< Of the PTX, from 1; 0 if unknown.
  uint8_t Stall = 0;      ///< Cycles the scheduler waits after it.
  bool Label = false;     ///< Something may jump here.
  bool Guarded = false;   ///< By the last of its sources.
  bool ReadsLane = false; ///< Its result is the number of the lane.
  bool Spill = false;     ///< Of local memory that PTX does not access.
  bool Helper = false;    ///< Calls a function of the assembler's own.
  bool Slow = false;      ///< On a path that seldom runs, and a branch ...
  bool Chooses = false;   ///< ... that leads there; see SassExpansions.cpp.
  /// Which of the warp's six counters has its results outstanding, and a bit
  /// for each counter that must be zero before it is issued.
  uint8_t Counter = NoCounter;
  uint8_t Awaits = 0;
  static constexpr uint8_t NoCounter = 7;
  std::vector<uint16_t> Sources, Results; ///< See SassOp.
};

/// The machine code of one function.
struct SassListing {
  std::vector<SassInstruction> Code;
  uint32_t Registers = 0;
  uint64_t Hash = 0; ///< Of the encoding alone: line numbers do not count.
};

/// By name of the function.
struct SassModule : std::map<std::string, SassListing> {
  std::string Assembler; ///< "ptxas 12.5.82"
  uint64_t Arch = 0;     ///< What it was assembled for.
  /// Why there are counts of registers only and no instructions, if so.
  std::string WhyNoCode;
};

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

/// Assembles \p Ptx for \p Arch and reads it back, or finds what was made of
/// it before (see SassCache.h); of a kernel \p Entry alone, with what it uses,
/// unless that is empty. Lines are those of \p Ptx in any case. Of
/// architectures that the disassembler does not read there are only counts of
/// registers, for which the assembler alone must be there.
Result<SassModule> assemble(const SassTools &Tools, std::string_view Ptx,
                            uint64_t Arch, const std::string &Entry = {});

/// Where the costs of instructions may come from.
enum class CostChoice : uint8_t {
  Auto,  ///< Machine code where it can be had, otherwise rules.
  Rules, ///< Rules about PTX.
  Text,  ///< Rules about PTX, issued in the order in which it stands.
  Sass   ///< Machine code or an error.
};
/// "auto", "rules", "text" or "sass".
std::optional<CostChoice> costChoiceByName(std::string_view Name);

/// The registers of an instruction: \p Opcode with its modifiers, \p Text what
/// stands behind it.
void findRegisters(SassInstruction &I, std::string_view Text);

/// Makes its counter the result of each atomic operation that has one and no
/// other result.
void giveCounters(SassListing &L);

/// The registers, by instruction of \p L, that must have arrived before it is
/// issued although it does not read them; see SassWaits.cpp. \p Free says which
/// are not issued, so that the next one waits instead.
std::vector<std::vector<uint16_t>>
awaitedRegisters(const SassListing &L, const std::vector<bool> &Free);

/// Gives predicates to what \p F branches around, where its machine code \p L
/// has no branch; see SassPredicates.cpp and ptx/Predicate.h. Returns whether
/// anything changed.
bool predicateAs(const Profile &P, const SassListing &L, ptx::Function &F);

/// What the machine code of \p F issues, and when. The rules say what one copy
/// of a PTX instruction would be; loops that were unrolled have several.
SassFunction costsFromSass(const Profile &P, const ptx::Function &F,
                           const SassListing &Listing);

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SASS_H
