//===- Lower.cpp - From a module to PTX -----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One legacy pass manager, as code generation still wants it, and used again as
// llc does with -compile-twice.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Lower.h"
#include "passes/ir/Analyses.h"
#include "passes/ir/Architecture.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include <map>

using namespace llvm;
using namespace gevo;

extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

void gevo::initializeNVPTX() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

// clang keeps no names of values, and the names that passes make up would show
// in the comments of our PTX but not of clang's.
static void dropNames(Module &M) {
  for (Function &F : M) {
    for (Argument &A : F.args())
      A.setName("");
    for (BasicBlock &BB : F)
      BB.setName("");
    for (Instruction &I : instructions(F))
      I.setName("");
  }
}

// The number of a call in a line of PTX, or nothing. The code generator counts
// calls over the whole life of a process, and writes the count into comments
// and into the labels of indirect calls' prototypes.
static StringRef callNumber(StringRef Line) {
  constexpr StringLiteral Comment = "// callseq ", Label = "prototype_";
  StringRef Start;
  size_t At = Line.find(Comment);
  if (At != StringRef::npos)
    Start = Line.drop_front(At + Comment.size());
  else if (Line.contains(" : .callprototype") || Line.ends_with(";"))
    Start = Line.ltrim(", \t");
  if (At == StringRef::npos && !Start.consume_front(Label))
    return StringRef();
  return Start.take_while(isDigit);
}

// Numbers the calls from 0, as in a compiler that lowers one module only.
static std::string renumberCalls(StringRef PTX) {
  SmallVector<StringRef, 0> Lines;
  PTX.split(Lines, '\n');
  std::map<unsigned, unsigned> Numbers;
  unsigned N;
  for (StringRef Line : Lines)
    if (!callNumber(Line).getAsInteger(10, N))
      Numbers[N] = 0;
  unsigned Next = 0;
  for (auto &Entry : Numbers)
    Entry.second = Next++;
  std::string Text;
  Text.reserve(PTX.size());
  for (StringRef Line : Lines) {
    StringRef Old = callNumber(Line);
    if (!Old.getAsInteger(10, N)) {
      Text.append(Line.begin(), Old.begin());
      Text += std::to_string(Numbers[N]);
      Line = StringRef(Old.end(), Line.end() - Old.end());
    }
    Text += Line;
    Text += '\n';
  }
  Text.pop_back();
  return Text;
}

namespace {
/// The first error that the code generator reports.
struct Errors {
  std::string First;

  struct Handler : DiagnosticHandler {
    explicit Handler(Errors &To) : To(To) {}
    bool handleDiagnostics(const DiagnosticInfo &Info) override {
      if (Info.getSeverity() == DS_Error && To.First.empty()) {
        raw_string_ostream OS(To.First);
        DiagnosticPrinterRawOStream Printer(OS);
        Info.print(Printer);
      }
      return true;
    }
    Errors &To;
  };
};
} // namespace

struct Lowering::Generator {
  std::unique_ptr<TargetMachine> Machine;
  SmallString<0> Text;
  raw_svector_ostream OS{Text};
  legacy::PassManager Passes;
  // What clang's pipeline has after the place where plugins record and replay.
  Analyses OfLastPasses;
  ModulePassManager LastPasses;

  /// Null if this LLVM has no such code generator.
  static std::unique_ptr<Generator> create(const Module &M,
                                           const LowerOptions &Options);
  Expected<std::string> run(Module &M, const LowerOptions &Options);

  // NVPTX's printer remembers the shared variables of functions by the
  // functions' addresses and never forgets them: no address may come again.
  void retire(std::unique_ptr<Module> M);
  std::vector<std::unique_ptr<Function>> Retired;
};

std::unique_ptr<Lowering::Generator>
Lowering::Generator::create(const Module &M, const LowerOptions &Options) {
  constexpr CodeGenOptLevel Levels[] = {
      CodeGenOptLevel::None, CodeGenOptLevel::Less, CodeGenOptLevel::Default,
      CodeGenOptLevel::Aggressive};
  TargetOptions TO;
  TO.AllowFPOpFusion = Options.Fuse ? FPOpFusion::Fast : FPOpFusion::Standard;
  TO.MCOptions.AsmVerbose = true;
  auto G = std::make_unique<Generator>();
  G->Machine =
      createTargetMachine(M, TO, Levels[std::min(Options.OptLevel, 3u)]);
  if (!G->Machine)
    return nullptr;
  G->Passes.add(new TargetLibraryInfoWrapperPass(Triple(M.getTargetTriple())));
  if (G->Machine->addPassesToEmitFile(G->Passes, G->OS, nullptr,
                                      CodeGenFileType::AssemblyFile))
    return nullptr;
  G->LastPasses.addPass(GlobalDCEPass());
  G->LastPasses.addPass(ConstantMergePass());
  return G;
}

Lowering::Lowering(const LowerOptions &Options) : Options(Options) {}
Lowering::~Lowering() = default;

Expected<std::string> Lowering::Generator::run(Module &M,
                                               const LowerOptions &Options) {
  LLVMContext &C = M.getContext();
  auto Restore = make_scope_exit([&C, Discard = C.shouldDiscardValueNames()] {
    C.setDiscardValueNames(Discard);
  });
  if (!Options.Names) {
    dropNames(M);
    C.setDiscardValueNames(true);
  }
  if (Options.OptLevel > 0) {
    LastPasses.run(M, OfLastPasses.OfModule);
    OfLastPasses.clear();
  }
  // Without a handler of ours LLVM would end the process on an error.
  Errors Found;
  auto Handler = C.getDiagnosticHandler();
  C.setDiagnosticHandler(std::make_unique<Errors::Handler>(Found));
  auto PutBack = make_scope_exit(
      [&C, &Handler] { C.setDiagnosticHandler(std::move(Handler)); });
  Text.clear();
  Passes.run(M);
  if (!Found.First.empty())
    return createStringError(inconvertibleErrorCode(), Found.First);
  return renumberCalls(Text);
}

void Lowering::Generator::retire(std::unique_ptr<Module> M) {
  M->dropAllReferences();
  for (Function &F : make_early_inc_range(*M)) {
    F.setComdat(nullptr);
    F.removeFromParent();
    Retired.emplace_back(&F);
  }
}

static Error noGenerator(const Module &M) {
  return createStringError(inconvertibleErrorCode(),
                           "this LLVM has no code generator for " +
                               M.getTargetTriple());
}

Expected<std::string> Lowering::run(std::unique_ptr<Module> M) {
  // Of what is kept beyond its use, so that memory stays bounded.
  constexpr size_t MostRetired = 1000;
  if (!Current || Current->Retired.size() > MostRetired)
    Current = Generator::create(*M, Options);
  if (!Current)
    return noGenerator(*M);
  Expected<std::string> PTX = Current->run(*M, Options);
  // Nobody promises what state an error leaves it in.
  if (PTX)
    Current->retire(std::move(M));
  else
    Current.reset();
  return PTX;
}

Expected<std::string> gevo::lowerToPTX(Module &M, const LowerOptions &Options) {
  // An instance of its own for one module keeps nothing of it.
  std::unique_ptr<Lowering::Generator> G =
      Lowering::Generator::create(M, Options);
  return G ? G->run(M, Options) : noGenerator(M);
}
