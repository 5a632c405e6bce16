//===- Exams.cpp - What a finalist has to stand ---------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of exams, and who has steered.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Exams.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

bool Exams::hasHeldOut() const {
  return any_of(All, [](const Exam &E) { return E.What.HeldOut; });
}

// A run that was searched on has steered from the start.
void Exams::refuse(size_t Index) {
  if (All[Index].What.Steered)
    return;
  All[Index].What.Steered = true;
  if (!All[Index].Renew)
    return;
  if (std::optional<Exam> Next = All[Index].Renew())
    All.push_back(std::move(*Next));
}

bool Exams::standsSteered(const Payload &Code, Finalist &F) {
  for (const Exam &E : All) {
    if (!E.What.HeldOut || !E.What.Steered)
      continue;
    Finalist::Check C = E.What;
    C.Result = E.Verdict(Code);
    if (C.Result.valid())
      continue;
    F.Checks.push_back(std::move(C));
    return false;
  }
  return true;
}

void Exams::take(const Payload &Code, Finalist &F) {
  // Of those that are there now: one that is renewed refused the code.
  for (size_t I = 0; I < All.size(); ++I) {
    Finalist::Check C = All[I].What;
    C.Result = All[I].Take(Code, C);
    F.Checks.push_back(C);
    if (C.Result.valid())
      continue;
    refuse(I);
    return;
  }
}

void Exams::mark(Finalist &F) const {
  for (Finalist::Check &C : F.Checks)
    for (const Exam &E : All)
      if (E.What.Name == C.Name && E.What.Gpu == C.Gpu &&
          E.What.Inputs == C.Inputs && E.What.HeldOut == C.HeldOut)
        C.Steered = E.What.Steered;
}
