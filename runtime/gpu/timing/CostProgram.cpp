//===- CostProgram.cpp - A kernel as the clock sees it --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/CostProgram.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu::timing;

void CostFunction::add(Uop U, const std::vector<uint16_t> &Sources,
                       const std::vector<uint16_t> &Results) {
  assert(Sources.size() < 256 && Results.size() < 256 &&
         "an instruction has few operands");
  U.FirstRegister = uint32_t(Registers.size());
  U.NumSources = uint8_t(Sources.size());
  U.NumResults = uint8_t(Results.size());
  Registers.insert(Registers.end(), Sources.begin(), Sources.end());
  Registers.insert(Registers.end(), Results.begin(), Results.end());
  Uops.push_back(U);
}

void CostProgram::keepTextOrder() {
  assert(Source == CostSource::PtxRules && "machine code has its own order");
  Source = CostSource::PtxText;
  for (CostFunction &F : Functions) {
    F.Regions.clear();
    std::fill(F.RegionAt.begin(), F.RegionAt.end(), NoIndex);
  }
}

void CostProgram::finish() {
  RegisterBase.clear();
  NumRegisters = 0;
  for (CostFunction &F : Functions) {
    assert(F.FirstUop.size() == F.AccessesBefore.size() &&
           F.RegionAt.size() + 1 == F.FirstUop.size() &&
           "the tables of a function have one row per instruction");
    RegisterBase.push_back(NumRegisters);
    assert(F.NumRegisters + 1 < UINT16_MAX && "operands have 16 bits");
    uint16_t AlwaysReady = uint16_t(F.NumRegisters), Unread = AlwaysReady + 1;
    NumRegisters += F.NumRegisters + 2;
    for (Uop &U : F.Uops) {
      U.Access = F.AccessesBefore[U.Instruction];
      for (unsigned K = 0; K < Uop::NumFirst; ++K)
        U.First[K] = K < U.NumSources ? F.sources(U)[K] : AlwaysReady;
      U.Result = U.NumResults ? F.results(U)[0] : Unread;
    }
  }
}
