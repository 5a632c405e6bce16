//===- FunctionLowering.h - Lowering of one function ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files of the lowering share: Lowering.cpp has the rules,
// LoweringSass.cpp what is issued where the machine code is at hand.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_FUNCTIONLOWERING_H
#define GEVO_RUNTIME_GPU_TIMING_FUNCTIONLOWERING_H

#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/timing/Lowering.h"
#include "runtime/gpu/timing/Rules.h"

#include <vector>

namespace gevo::gpu::timing {

/// Lowers one function.
class FunctionLowering {
public:
  FunctionLowering(const Profile &P, const ptx::Function &F,
                   const SassFunction *Sass)
      : P(P), F(F), Sass(Sass), Graph(ptx::Cfg::build(F)) {}
  CostFunction run();

private:
  void findUses();
  void findUnused();
  void findFolded();
  void findPredicated();
  bool foldsInto(uint32_t Index, const Operands &O) const;
  void lower(uint32_t Index);
  void lowerSteps(const std::vector<Step> &Steps, uint32_t Index,
                  const Operands &O, unsigned LastLatency = 0);
  void lowerMemory(uint32_t Index, const Operands &O);
  void lowerControl(uint32_t Index, const Operands &O);
  void free(uint32_t Index, const Operands &O);
  void single(Uop U, uint32_t Index, const Operands &O);
  void lowerSass(uint32_t Index);
  void placeRegion(uint32_t Begin, uint32_t End);
  void findRegions();

  const Profile &P;
  const ptx::Function &F;
  const SassFunction *Sass;
  ptx::Cfg Graph;
  CostFunction Out;
  std::vector<Operands> Ops;
  std::vector<uint32_t> Uses, Defs; ///< By register.
  std::vector<uint32_t> User;       ///< By register: the only user, or None.
  std::vector<bool> Guards;     ///< By register: an instruction's predicate.
  std::vector<bool> Free;       ///< By instruction.
  std::vector<bool> Predicated; ///< By instruction: a branch that vanishes.
  std::vector<uint8_t> Classes; ///< By instruction, see MemoryClass.
  std::vector<uint32_t> Places; ///< By micro-operation, of machine code.
  uint16_t FirstTemp = 0;
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_FUNCTIONLOWERING_H
