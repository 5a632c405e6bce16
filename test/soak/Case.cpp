//===- Case.cpp - One edit set, all the way -------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks, in the order in which a search and then a compiler meet them.
//
//===----------------------------------------------------------------------===//

#include "test/soak/Case.h"
#include "passes/ir/Architecture.h"
#include "passes/ir/Fingerprint.h"
#include "passes/ir/Lower.h"
#include "passes/ir/Mutate.h"
#include "test/soak/Corruption.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gevo;

// The draw takes its stream from the seed itself.
Case::Case(const Subject &S, uint64_t Seed, const CaseOptions &Options,
           Tally &T)
    : S(S), Seed(Seed), Options(Options), T(T), Dice(~Seed) {}

void Case::fail(const Twine &What) {
  ++T.Failures;
  outs() << "FAIL " << S.Name << " seed " << Seed << ", " << T.Step << ": "
         << What << '\n';
  outs().flush();
}

static std::string fileOf(const EditSet &Set) {
  std::string Text;
  raw_string_ostream OS(Text);
  printEditSet(Set, OS);
  return Text;
}

// Without the comments that list predecessors: their order is that of the
// use lists, which are no part of the IR's meaning.
std::string gevo::textOf(const Module &M) {
  std::string Text, Lean;
  raw_string_ostream OS(Text);
  M.print(OS, nullptr);
  Lean.reserve(Text.size());
  for (StringRef Rest = Text; !Rest.empty();) {
    auto [Line, Next] = Rest.split('\n');
    Lean += Line.substr(0, Line.find(" ; preds = "));
    Lean += '\n';
    Rest = Next;
  }
  return Lean;
}

// The first line in which two texts differ, or empty if they are equal.
static std::string difference(StringRef A, StringRef B) {
  if (A == B)
    return "";
  while (!A.empty() && A.split('\n').first == B.split('\n').first) {
    A = A.split('\n').second;
    B = B.split('\n').second;
  }
  return ("'" + A.split('\n').first + "' and '" + B.split('\n').first + "'")
      .str();
}

static size_t editCount(const EditSet &Set) {
  size_t Count = 0;
  for (const ArchitectureEdits &A : Set.Architectures)
    Count += A.editCount();
  return Count;
}

std::unique_ptr<Module> Case::freshModule(LLVMContext &C) {
  return cantFail(parseBitcodeFile(S.Bitcode->getMemBufferRef(), C),
                  "it was read once");
}

bool Case::verifies(Module &M) {
  step("verify");
  std::string Message;
  raw_string_ostream OS(Message);
  if (!verifyModule(M, &OS))
    return true;
  fail("the module is not valid: " + Message);
  return false;
}

void Case::lower(Module &M) {
  step("lower");
  // The code generator reports what it cannot do as a diagnostic.
  std::string Errors;
  M.getContext().setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *Info, void *To) {
        if (Info->getSeverity() != DS_Error)
          return;
        raw_string_ostream OS(*static_cast<std::string *>(To));
        DiagnosticPrinterRawOStream Printer(OS);
        Info->print(Printer);
      },
      &Errors);
  constexpr unsigned Levels[] = {3, 3, 3, 3, 2, 1, 0};
  std::string Architecture = architectureOf(M);
  Expected<std::string> PTX = lowerToPTX(M, {Dice.pick(Levels), true});
  M.getContext().setDiagnosticHandlerCallBack(nullptr);
  if (!PTX)
    return fail(toString(PTX.takeError()));
  if (!Errors.empty())
    return fail(Errors);
  ++T.Lowered;
  if (Options.AssembleEvery && Seed % Options.AssembleEvery == 0)
    assemble(*PTX, Architecture);
}

void Case::assemble(StringRef PTX, StringRef Architecture) {
  step("assemble");
  int FD;
  SmallString<64> Input, Output;
  if (sys::fs::createTemporaryFile("soak", "ptx", FD, Input) ||
      sys::fs::createTemporaryFile("soak", "log", Output))
    return fail("no place for temporary files");
  FileRemover RemoveInput(Input), RemoveOutput(Output);
  raw_fd_ostream(FD, /*shouldClose=*/true) << PTX;
  std::string Target = ("-arch=" + Architecture).str();
  StringRef Arguments[] = {Options.Assembler, Target, "-o", "/dev/null", Input};
  std::optional<StringRef> Redirects[] = {StringRef(), StringRef(Output),
                                          StringRef(Output)};
  constexpr unsigned Seconds = 60;
  if (sys::ExecuteAndWait(Options.Assembler, Arguments, std::nullopt, Redirects,
                          Seconds) == 0) {
    ++T.Assembled;
    return;
  }
  auto Log = MemoryBuffer::getFile(Output);
  fail("ptxas: " + (Log ? (*Log)->getBuffer().str() : "no message"));
}

void Case::checkDrawn(const EditSet &Set, const EditSet &Read) {
  step("replay");
  std::unique_ptr<Module> Copy = CloneModule(*S.M);
  ReplayReport Report = replay(*Copy, Set, {});
  // Edits apply one by one as they are drawn; what only their sum does wrong,
  // such as a write to constant memory, is refused.
  for (const FunctionReplay &F : Report.Functions)
    if (F.Status != ReplayStatus::Applied) {
      ++T.Drawn.Refused;
      return checkRefusal(F);
    }
  if (Report.applied() != editCount(Set))
    return fail("some edits were passed over");
  ++T.Drawn.Applied;
  if (!verifies(*Copy))
    return;
  step("replay from file");
  LLVMContext C;
  std::unique_ptr<Module> Fresh = freshModule(C);
  replay(*Fresh, Read, {});
  std::string Difference = difference(textOf(*Fresh), textOf(*Copy));
  if (!Difference.empty())
    return fail("the file gives other IR than the edits in memory: " +
                Difference);
  lower(*Fresh);
}

void Case::checkRefusal(const FunctionReplay &F) {
  if (F.Why.Reason.empty() || !F.Why.Edit)
    return fail("the refusal names no edit: " + F.Why.Reason);
  if (StringRef(F.Why.Reason).contains("not valid LLVM IR"))
    return fail("only the verifier refused it");
  ++T.EditsRefused[static_cast<unsigned>(F.Edits->Edits[*F.Why.Edit].Kind)];
}

void Case::checkVariant(const EditSet &Set, Outcomes &Counts) {
  std::unique_ptr<Module> Copy = CloneModule(*S.M);
  ReplayReport Report = replay(*Copy, Set, {});
  bool Refused = false;
  for (const FunctionReplay &F : Report.Functions) {
    if (F.Status == ReplayStatus::Applied)
      continue;
    Refused = true;
    if (F.Why.Reason.empty() || !F.Why.Edit)
      fail("the refusal names no edit: " + F.Why.Reason);
    else
      ++T.EditsRefused[static_cast<unsigned>(F.Edits->Edits[*F.Why.Edit].Kind)];
    // A local function is removed when an applied edit took its last use.
    Function *Kept = Copy->getFunction(F.Edits->Name);
    if (!Kept ? !S.M->getFunction(F.Edits->Name)->hasLocalLinkage()
              : fingerprint(*Kept) != F.Edits->Fingerprint)
      fail("a refused function was changed");
  }
  ++(Refused ? Counts.Refused : Counts.Applied);
  if (Report.applied() == 0) {
    std::string Difference = difference(textOf(*Copy), S.Text);
    if (!Difference.empty())
      fail("nothing was applied, and the module was changed: " + Difference);
  }
  if (!verifies(*Copy) || Seed % Options.LowerEvery != 0 || !Report.applied())
    return;
  lower(*Copy);
}

void Case::checkSubset(EditSet Set) {
  step("subset");
  for (ArchitectureEdits &A : Set.Architectures)
    for (FunctionEdits &F : A.Functions)
      llvm::erase_if(F.Edits, [&](const Edit &) { return Dice.below(2); });
  checkVariant(Set, T.Subsets);
}

void Case::checkCorrupted(EditSet Set) {
  step("corrupted");
  corrupt(Set, Dice);
  Expected<EditSet> Read = parseEditSet(fileOf(Set), "corrupted.json");
  if (Read)
    return checkVariant(*Read, T.Corrupted);
  std::string Message = toString(Read.takeError());
  if (!StringRef(Message).starts_with("corrupted.json:"))
    fail("a message without a place: " + Message);
  ++T.Corrupted.Unreadable;
}

void Case::run() {
  step("draw");
  MutateOptions Draw;
  Draw.Seed = Seed;
  Draw.Count = 1 + Dice.below(Options.MaxEdits);
  EditSet Set = drawEdits(*S.M, Draw);
  for (const ArchitectureEdits &A : Set.Architectures)
    for (const FunctionEdits &F : A.Functions)
      for (const Edit &E : F.Edits)
        ++T.EditsDrawn[static_cast<unsigned>(E.Kind)];
  step("read");
  std::string Text = fileOf(Set);
  Expected<EditSet> Read = parseEditSet(Text, "drawn.json");
  if (!Read)
    return fail(toString(Read.takeError()));
  if (fileOf(*Read) != Text)
    fail("the file prints back differently");
  checkDrawn(Set, *Read);
  checkSubset(Set);
  checkCorrupted(std::move(Set));
}
