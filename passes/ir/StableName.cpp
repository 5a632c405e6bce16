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

// An 'L' stands before the name of what is static, which may be inside of
// namespaces.
bool gevo::isLocalName(StringRef Name) {
  if (Name.contains("_GLOBAL__N_"))
    return true;
  if (!Name.consume_front("_Z"))
    return false;
  size_t Length;
  if (Name.consume_front("N"))
    while (!Name.consumeInteger(10, Length))
      Name = Name.drop_front(std::min(Length, Name.size()));
  return Name.consume_front("L") && !Name.empty() && isDigit(Name[0]);
}

Function *gevo::findFunction(Module &M, StringRef Name) {
  if (Function *F = M.getFunction(Name))
    return F;
  for (Function &F : M)
    if (stableName(F.getName()) == Name)
      return &F;
  return nullptr;
}
