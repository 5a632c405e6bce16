//===- Cfg.h - Control flow of a parsed function ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Basic blocks, edges and immediate post-dominators. A divergent branch
// reconverges at the immediate post-dominator of its block.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_CFG_H
#define GEVO_RUNTIME_GPU_PTX_CFG_H

#include "runtime/gpu/ptx/Module.h"

#include <vector>

namespace gevo::gpu::ptx {

struct BasicBlock {
  uint32_t Begin = 0; ///< First instruction.
  uint32_t End = 0;   ///< One past the last.
  std::vector<uint32_t> Successors;
  std::vector<uint32_t> Predecessors;
  bool Returns = false; ///< Has an edge to the function's return.
  bool Exits = false;   ///< May end the thread.
};

struct Cfg {
  /// In place of a block: the return itself.
  static constexpr uint32_t Return = None - 1;

  std::vector<BasicBlock> Blocks;
  std::vector<uint32_t> BlockOf; ///< By instruction.
  /// By block: another block, Return, or None where paths never meet.
  std::vector<uint32_t> PostDominator;

  static Cfg build(const Function &F);

private:
  void findBlocks(const Function &F);
  void findEdges(const Function &F);
  void findPostDominators();
};

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_CFG_H
