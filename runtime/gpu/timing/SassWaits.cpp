//===- SassWaits.cpp - What machine code waits for ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From Volta on a GPU has no scoreboard of registers. A warp has six counters:
// an instruction whose latency is not fixed, as a load, adds to one of them and
// takes from it when its results are there, and an instruction says which of
// them must be zero before it is issued (Huerta et al. 2025, arXiv:2503.20481,
// who measured it on Turing, Ampere and Blackwell). With more than six loads on
// their way some share one, and the first use of any waits for the last:
//
//   LDG R4, [R2]        counter 0              LDG R4, [R2]
//   LDG R5, [R2+0x80]   counter 0       ->     LDG R5, [R2+0x80]
//   FADD R6, R4, R7     awaits 0               FADD R6, R4, R7, (R5)
//
// The clock has a scoreboard; what is awaited and not read becomes one more
// operand. An atomic operation whose result nobody reads, and which has no form
// without one, adds to its counter, too:
//
//   Again:
//   ATOMG.CAS PT, RZ, [R2], R6, R7    counter 5, awaits 5
//   ...
//   BRA Again
//
// What it writes then is the counter itself, and who awaits that reads it,
// wherever it comes from. Counters that are free when a source was read (so
// that it may be written again) are not looked at: that takes a few cycles.
// What the clock does not issue passes its waits on to what stands behind it.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"
#include "runtime/gpu/timing/SassKinds.h"

#include <algorithm>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

bool contains(const std::vector<uint16_t> &List, uint16_t Register) {
  return std::find(List.begin(), List.end(), Register) != List.end();
}

/// Nothing comes to what stands behind it by going on.
bool leaves(const SassInstruction &I) {
  return jumpsAlways(I) || (!I.Guarded && (I.Opcode == "EXIT" ||
                                           I.Opcode.compare(0, 3, "RET") == 0));
}

/// The register that stands for counter \p C.
uint16_t registerOf(unsigned C) { return uint16_t(FirstSassCounter + C); }

} // namespace

void gevo::gpu::timing::giveCounters(SassListing &L) {
  for (SassInstruction &I : L.Code)
    if (I.Opcode.compare(0, 4, "ATOM") == 0 && I.Results.empty() &&
        I.Counter < NumSassCounters)
      I.Results.push_back(registerOf(I.Counter));
}

std::vector<std::vector<uint16_t>>
gevo::gpu::timing::awaitedRegisters(const SassListing &L,
                                    const std::vector<bool> &Free) {
  std::vector<std::vector<uint16_t>> Awaited(L.Code.size());
  // In the order of the listing: what an earlier iteration of a loop has left
  // on its way is waited for by who reads it.
  std::vector<uint16_t> OnTheirWay[NumSassCounters];
  unsigned Written = 0; // a bit for each counter that is a result somewhere
  for (const SassInstruction &I : L.Code)
    for (unsigned C = 0; C < NumSassCounters; ++C)
      Written |= unsigned(contains(I.Results, registerOf(C))) << C;
  for (size_t K = 0; K < L.Code.size(); ++K) {
    const SassInstruction &I = L.Code[K];
    if (I.Slow)
      continue;
    for (unsigned C = 0; C < NumSassCounters; ++C) {
      if (!(I.Awaits >> C & 1))
        continue;
      for (uint16_t R : OnTheirWay[C])
        if (!contains(I.Sources, R) && !contains(Awaited[K], R))
          Awaited[K].push_back(R);
      OnTheirWay[C].clear();
      if (Written >> C & 1)
        Awaited[K].push_back(registerOf(C));
    }
    // What is written again is no longer what was awaited.
    for (std::vector<uint16_t> &Registers : OnTheirWay)
      Registers.erase(
          std::remove_if(Registers.begin(), Registers.end(),
                         [&](uint16_t R) { return contains(I.Results, R); }),
          Registers.end());
    if (I.Counter < NumSassCounters)
      for (uint16_t R : I.Results)
        if (R != registerOf(I.Counter))
          OnTheirWay[I.Counter].push_back(R);
    if (leaves(I))
      for (std::vector<uint16_t> &Registers : OnTheirWay)
        Registers.clear();
    // What costs nothing is not issued, but nothing passes it either.
    if (Free[K] && K + 1 < L.Code.size() && !L.Code[K + 1].Label)
      std::swap(Awaited[K + 1], Awaited[K]);
  }
  return Awaited;
}
