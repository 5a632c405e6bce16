//===- SassBranches.cpp - Which way the machine's branches jump -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/SassKinds.h"

#include <algorithm>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

bool gevo::gpu::timing::jumps(const ptx::Instruction &I) {
  return I.Op == ptx::Opcode::Bra && I.Guard == ptx::None;
}

void gevo::gpu::timing::findInverted(
    const ptx::Function &F, const std::vector<uint32_t> &Stretch,
    const std::vector<std::vector<uint32_t>> &PlacesOf, SassFunction &Out) {
  for (uint32_t K = 0; K + 1 < Out.size(); ++K)
    for (SassOp &Op : Out[K]) {
      const ptx::Instruction &I = F.Code[Op.Instruction];
      if (Op.What != SassOp::Control || I.Op != ptx::Opcode::Bra ||
          I.Guard == ptx::None)
        continue;
      auto FirstBehind = [&](uint32_t To) {
        const std::vector<uint32_t> &Places = PlacesOf[Stretch[To]];
        auto It = std::upper_bound(Places.begin(), Places.end(), Op.Place);
        return It == Places.end() ? NoIndex : *It;
      };
      uint32_t Next = Op.Instruction + 1;
      if (jumps(F.Code[Next]))
        Next = F.operands(F.Code[Next])[0].Index;
      if (FirstBehind(F.operands(I)[0].Index) < FirstBehind(Next))
        Op.Flags |= FlagInverted;
    }
}
