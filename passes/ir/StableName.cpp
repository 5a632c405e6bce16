//===- StableName.cpp - Names that survive another command line -----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two marks are clang's, for functions and for variables.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/StableName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

StringRef gevo::stableName(StringRef Name) {
  for (StringRef Mark : {"__intern__", "__static__"}) {
    auto [Front, Hash] = Name.rsplit(Mark);
    if (!Front.empty() && !Hash.empty() && all_of(Hash, isHexDigit))
      return Front;
  }
  return Name;
}

Function *gevo::findFunction(Module &M, StringRef Name) {
  if (Function *F = M.getFunction(Name))
    return F;
  for (Function &F : M)
    if (stableName(F.getName()) == Name)
      return &F;
  return nullptr;
}
