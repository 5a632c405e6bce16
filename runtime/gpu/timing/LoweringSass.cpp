//===- LoweringSass.cpp - What machine code issues ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/FunctionLowering.h"

#include <algorithm>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

/// The machine code that is issued with instruction \p Index.
void FunctionLowering::lowerSass(uint32_t Index) {
  for (const SassOp &Op : (*Sass)[Index]) {
    size_t First = Out.Uops.size();
    Operands O{Op.Sources, Op.Results};
    switch (Op.What) {
    case SassOp::Plain:
    case SassOp::Spill: {
      Uop U;
      U.Pipe = Op.Pipe;
      U.Latency = Op.Latency;
      U.Kind = Op.What == SassOp::Spill ? UopKind::Spill
               : Op.Pipe == Unit::None  ? UopKind::Free
                                        : UopKind::Alu;
      single(U, Op.Instruction, O);
      break;
    }
    case SassOp::Access:
      lowerMemory(Op.Instruction, O);
      break;
    case SassOp::Control:
      if (ptx::opcodeInfo(F.Code[Op.Instruction].Op).Fam == ptx::Family::Memory)
        lowerMemory(Op.Instruction, O); // A fence.
      else
        lowerControl(Op.Instruction, O);
      break;
    }
    for (; First < Out.Uops.size(); ++First) {
      Out.Uops[First].Stall = Op.Stall;
      Out.Uops[First].Flags |= Op.Flags;
      Places.push_back(Op.Place);
    }
  }
}

/// A region in the order of the machine code.
void FunctionLowering::placeRegion(uint32_t Begin, uint32_t End) {
  std::vector<uint32_t> Order;
  for (uint32_t U = Out.FirstUop[Begin]; U < Out.FirstUop[End]; ++U)
    Order.push_back(U);
  std::stable_sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    return Places[A] < Places[B];
  });
  Out.RegionAt[Begin] = uint32_t(Out.Regions.size());
  Out.Regions.push_back(
      {Begin, End, uint32_t(Out.Uops.size()), uint32_t(Order.size())});
  for (uint32_t U : Order)
    Out.Uops.push_back(Uop(Out.Uops[U]));
}
