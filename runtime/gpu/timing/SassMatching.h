//===- SassMatching.h - Where machine code came from ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Execution is that of PTX, so each machine instruction is issued with some
// stretch of PTX. Both codes are cut into stretches without branches and
// barriers. The lines of a stretch of machine code vote for the stretch of PTX
// that it came from, and what the assembler moved in from elsewhere is issued
// there. SassCosts.cpp issues what was matched.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SASSMATCHING_H
#define GEVO_RUNTIME_GPU_TIMING_SASSMATCHING_H

#include "runtime/gpu/timing/SassKinds.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gevo::gpu::timing {

/// The machine code of one function, matched with its PTX, which must outlive
/// it.
class SassMatching {
public:
  SassMatching(const Profile &P, const ptx::Function &F, const SassListing &L);

  SassPipe kindOf(uint32_t Index) const {
    uint32_t Own = instructionOf(Index);
    return kindIn(P, F, Own == NoIndex ? nullptr : &F.Code[Own],
                  Listing.Code[Index]);
  }
  /// The first PTX instruction of the line of machine instruction \p Index.
  uint32_t instructionOf(uint32_t Index) const {
    auto It = OfLine.find(Listing.Code[Index].Line);
    return It == OfLine.end() ? NoIndex : It->second.front();
  }
  /// The same where the line says something: what marks where lanes meet has
  /// that of any jump, and a copy that of any use.
  uint32_t originOf(uint32_t Index) const {
    const SassInstruction &I = Listing.Code[Index];
    return marksMeeting(I.Opcode) || onlyMoves(I) ? NoIndex
                                                  : instructionOf(Index);
  }
  /// Does another copy of an unrolled stretch stand for what \p Index is of?
  bool isOfAnotherCopy(uint32_t Index) const;

  SassListing Listing;                              ///< Copies followed.
  std::vector<std::vector<uint16_t>> Awaited;       ///< By machine instruction.
  std::map<uint32_t, std::vector<uint32_t>> OfLine; ///< PTX, by line.
  std::vector<uint32_t> Stretch;                    ///< By PTX instruction.
  std::vector<uint32_t> FirstOf;                    ///< By stretch of PTX.
  std::vector<uint32_t> SassStretch;                ///< By machine instruction.
  std::vector<uint32_t> Target; ///< By stretch of machine code, of PTX.
  /// By stretch of machine code: stretches of PTX whose memory or control it
  /// has.
  std::vector<std::set<uint32_t>> Present;
  /// By machine instruction: the stretch of PTX with which arithmetic is
  /// issued, its own if that has memory or control in this stretch of machine
  /// code, otherwise the one that won the vote. What only moves goes with what
  /// stands behind it, or before.
  std::vector<uint32_t> TargetOf;
  std::vector<uint32_t> To; ///< By machine instruction, stretch of PTX.
  std::vector<std::vector<uint32_t>> PlacesOf; ///< By stretch of PTX.
  std::vector<unsigned> Copies; ///< By stretch of PTX: how often it is there
                                ///< in machine code.
  /// By stretch of PTX and lineKey(): machine instructions that are there.
  std::map<std::pair<uint32_t, uint32_t>, unsigned> Total;

private:
  void cutPtx();
  void cutSass();
  void findWaits();
  void vote();
  void findTargets();
  void choose();
  void findCopies();

  const Profile &P;
  const ptx::Function &F;
  std::vector<bool> Chosen; ///< By machine instruction: see chooseCopies.
  std::set<std::pair<SassClass, uint32_t>> LinesChosen; ///< And what they are.
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SASSMATCHING_H
