//===- Case.h - One edit set, all the way --------------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws an edit set for a module and holds it against what replay promises: it
// prints back byte for byte, applies, gives the same IR from the file in
// another context, verifies, and lowers to PTX; with edits left out or fields
// corrupted it applies or is refused with a reason, and a refused function
// stays as it was.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_SOAK_CASE_H
#define GEVO_TEST_SOAK_CASE_H

#include "passes/edit/EditSet.h"
#include "passes/edit/Random.h"
#include "passes/ir/Replay.h"
#include "test/soak/Tally.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace gevo {

/// A module that is soaked: the file, and what it holds.
struct Subject {
  std::string Name;
  std::unique_ptr<llvm::MemoryBuffer> Bitcode;
  /// One each: names of types are unique within a context.
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> M;
  std::string Text;
};

/// The text of \p M that two modules are compared by.
std::string textOf(const llvm::Module &M);

struct CaseOptions {
  /// Most edits of a set.
  unsigned MaxEdits = 16;
  /// Lower one in this many of the sets with edits left out or corrupted; of
  /// those as drawn, all are.
  unsigned LowerEvery = 4;
  /// Assemble one in this many with ptxas; 0: none.
  unsigned AssembleEvery = 0;
  std::string Assembler;
};

class Case {
public:
  Case(const Subject &S, uint64_t Seed, const CaseOptions &Options, Tally &T);

  /// Runs all checks; failures are printed and counted.
  void run();

private:
  void step(const char *Name) { T.Step = Name; }
  void fail(const llvm::Twine &What);
  std::unique_ptr<llvm::Module> freshModule(llvm::LLVMContext &C);
  void checkDrawn(const EditSet &Set, const EditSet &Read);
  void checkSubset(EditSet Set);
  void checkCorrupted(EditSet Set);
  void checkVariant(const EditSet &Set, Outcomes &Counts);
  void checkRefusal(const FunctionReplay &F);
  bool verifies(llvm::Module &M);
  void lower(llvm::Module &M);
  void assemble(llvm::StringRef PTX, llvm::StringRef Architecture);

  const Subject &S;
  uint64_t Seed;
  const CaseOptions &Options;
  Tally &T;
  Random Dice;
};

} // namespace gevo

#endif // GEVO_TEST_SOAK_CASE_H
