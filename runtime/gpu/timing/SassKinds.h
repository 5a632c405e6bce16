//===- SassKinds.h - What machine instructions are --------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises instructions of a listing by their opcodes and registers alone,
// without the PTX that they were made of; SassCosts.cpp brings both together.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SASSKINDS_H
#define GEVO_RUNTIME_GPU_TIMING_SASSKINDS_H

#include "runtime/gpu/timing/Sass.h"

#include <set>
#include <string>
#include <string_view>

namespace gevo::gpu::timing {

/// What an opcode of machine code occupies.
enum class SassClass : uint8_t { Nothing, Memory, Control, Pipe };
struct SassPipe {
  SassClass Class;
  Unit Pipe;
  bool Known = true; ///< Has SassOpcodes.def a row for it?
};

/// By the first row of SassOpcodes.def that fits. What has none is taken for a
/// special function, the slowest of arithmetic: an unknown instruction should
/// not look like a gain.
SassPipe classify(std::string_view Opcode);

/// The opcodes of \p L, with their modifiers, that no row fits; each once.
std::set<std::string> unknownOpcodes(const SassListing &L);

/// Does a conversion have an operand of 64 bits on either side?
bool convertsWide(std::string_view Opcode);

/// True for what only copies a register or makes a constant. It has the line of
/// whatever wants the value, which depends on how PTX is written.
bool onlyMoves(const SassInstruction &I);

/// True for a load from a table of constants, such as the places that a switch
/// jumps to.
bool readsTable(const SassInstruction &I);

/// True for loads from and stores to local memory.
bool accessesLocal(std::string_view Opcode);

/// What a lane of a machine instruction accesses.
unsigned accessBytes(std::string_view Opcode);

/// True for what prepares and ends divergence, and calls: no branches.
bool preparesDivergence(std::string_view Opcode);

/// What \p I is, given the instruction \p Own of \p F that it came from; null
/// if that is not known.
SassPipe kindIn(const Profile &P, const ptx::Function &F,
                const ptx::Instruction *Own, const SassInstruction &I);

/// True for what of that marks where the lanes of a warp part and meet.
bool marksMeeting(std::string_view Opcode);

/// True for a branch without a condition.
bool jumpsAlways(const SassInstruction &I);

/// True if the assembler lets one lane do the atomic operation of the line of
/// \p Index for all that are active: the machine counts them (ATOMS.POPC), or
/// the operation is guarded by a comparison with the number of the lane.
bool combinesLanes(const SassListing &L, uint32_t Index);

/// Gives the machine code of \p F that has the line of a copy of a register
/// that of what was copied, where both are in one block.
void followCopies(const ptx::Function &F, SassListing &L);

/// Which instructions of \p L are issued where the assembler made several
/// copies of a stretch of PTX with branches in between: those of one whole
/// copy, and all of stretches that are there once. \p SassStretch and \p Target
/// say, for each instruction, which stretch of machine code it is in and with
/// which of PTX it is issued (NoIndex: with none).
std::vector<bool> chooseCopies(const SassListing &L,
                               const std::vector<uint32_t> &SassStretch,
                               const std::vector<uint32_t> &Target);

/// Finds branches of \p Out that the assembler turned round: of the two ways
/// that PTX goes on, the one that comes first behind the machine's branch is
/// the one that it does not jump to. \p Stretch is by instruction of \p F, and
/// \p PlacesOf has, by stretch, its machine instructions.
void findInverted(const ptx::Function &F, const std::vector<uint32_t> &Stretch,
                  const std::vector<std::vector<uint32_t>> &PlacesOf,
                  SassFunction &Out);

/// True for a branch of PTX without a condition.
bool jumps(const ptx::Instruction &I);

/// Finds what the assembler stores and loads because registers are few: local
/// memory at lines of \p F that access none.
void findSpills(const ptx::Function &F, SassListing &L);

/// Finds the paths of \p L that seldom run, and takes the registers of what is
/// on them. \p SassStretch is by instruction.
void findSlowPaths(SassListing &L, const std::vector<uint32_t> &SassStretch);

/// What \p Call, of a function of the assembler's own, is priced as: what the
/// rules have for its PTX instruction, one behind the other. Empty if that is
/// no arithmetic.
std::vector<SassOp> chainByRules(const Profile &P, const ptx::Function &F,
                                 const SassOp &Call);

/// By what copies of machine code are counted: the line, but of spills, which
/// differ from copy to copy, all loads and all stores, and all that only moves.
uint32_t lineKey(const SassInstruction &I);

/// Finds the accesses of \p Code, made of \p F, that the assembler made of
/// several PTX instructions, and notes how wide they are.
void findMerged(const ptx::Function &F, const SassListing &L,
                SassFunction &Code);

/// What a lane of \p I, a load or store of \p F, accesses.
unsigned bytesOf(const ptx::Function &F, const ptx::Instruction &I);

/// A machine instruction, issued for itself.
struct SassPlace {
  SassPipe Kind;
  uint32_t To;  ///< The stretch of PTX that it is issued with, or NoIndex.
  bool Expands; ///< Of an expansion with paths or functions of its own.
  SassOp Op;
};

/// PTX, its machine code, and the stretches without branches of both, by
/// instruction.
struct SassMatch {
  const Profile &P;
  const ptx::Function &F;
  const SassListing &L;
  const std::vector<uint32_t> &Stretch, &SassStretch;
};

/// Finds loops whose copies are mixed in a stretch of machine code. \p Code is
/// by machine instruction; \p Out has what one iteration issues.
void findLoops(const SassMatch &M, const std::vector<SassPlace> &Code,
               SassFunction &Out);

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SASSKINDS_H
