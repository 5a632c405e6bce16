//===- MachineCode.cpp - What ptxas makes of a variant --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas says how many registers a function takes; the sections of the file that
// it writes say how large its code is.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/MachineCode.h"
#include "passes/edit/AtomicFile.h"
#include "runtime/gpu/driver/DeviceProperties.h"
#include "runtime/gpu/timing/Process.h"
#include "runtime/gpu/timing/Sass.h"
#include "search/MachineError.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

Error gevo::checkAssembler(const std::string &Gpu) {
  std::string Message;
  if (!driver::gpuModel(Gpu, Message))
    return failure(Message);
  if (gpu::timing::findSassTools().Assembler.empty())
    return failure("this objective needs ptxas; set GEVO_CUDA_PATH to a CUDA "
                   "toolkit, or put ptxas on the PATH");
  return Error::success();
}

// "ptxas info : Used 24 registers, 380 bytes cmem[0]", once per kernel.
static double registersIn(StringRef Said) {
  constexpr StringLiteral Used = "Used ";
  double All = 0;
  for (size_t At = Said.find(Used); At != StringRef::npos;
       At = Said.find(Used, At + 1)) {
    unsigned Count = 0;
    StringRef Rest = Said.drop_front(At + Used.size());
    if (!Rest.consumeInteger(10, Count) && Rest.starts_with(" registers"))
      All += Count;
  }
  return All;
}

static Expected<double> codeBytes(StringRef Path) {
  auto File = object::ObjectFile::createObjectFile(Path);
  if (!File)
    return File.takeError();
  double All = 0;
  for (const object::SectionRef &S : File->getBinary()->sections()) {
    Expected<StringRef> Name = S.getName();
    if (!Name)
      return Name.takeError();
    if (Name->starts_with(".text"))
      All += S.getSize();
  }
  return All;
}

// Only what ptxas itself refused is something about the code.
static Error failureOf(const gpu::Diagnostic &D) {
  std::string Text = "ptxas: " + D.Message;
  switch (D.Cause) {
  case gpu::FailureCause::Input:
    return failure(Text);
  case gpu::FailureCause::Tool:
    return make_error<PassingError>(Text);
  case gpu::FailureCause::Machine:
    return make_error<MachineError>(Text);
  }
  llvm_unreachable("a failure without a cause");
}

static Expected<double> costOf(StringRef Ptx, bool Registers,
                               const std::string &Assembler, unsigned Arch) {
  SmallString<128> Source, Binary;
  if (sys::fs::createTemporaryFile("gevo", "ptx", Source))
    return make_error<MachineError>("no temporary file for ptxas");
  FileRemover RemoveSource(Source);
  if (sys::fs::createTemporaryFile("gevo", "cubin", Binary))
    return make_error<MachineError>("no temporary file for ptxas");
  FileRemover RemoveBinary(Binary);
  if (Error E =
          writeFileAtomically(Source, [&](raw_ostream &OS) { OS << Ptx; }))
    return E;
  gpu::Result<std::string> Said = gpu::timing::runProcess(
      {Assembler, "-v", "-c", "-arch=sm_" + std::to_string(Arch),
       Source.str().str(), "-o", Binary.str().str()},
      /*WithErrors=*/true);
  if (!Said)
    return failureOf(Said.error());
  return Registers ? Expected<double>(registersIn(*Said)) : codeBytes(Binary);
}

CodeCost gevo::machineCodeCost(ObjectiveKind Kind, const std::string &Gpu) {
  std::string Message;
  unsigned Arch = driver::gpuModel(Gpu, Message)->Config.SmArch;
  std::string Assembler = gpu::timing::findSassTools().Assembler;
  bool Registers = Kind == ObjectiveKind::Registers;
  return [=](const Payload &Code) -> Expected<double> {
    constexpr uint64_t ForCode = 1 << 20;
    double All = 0;
    for (const std::string &Ptx : Code.Modules) {
      Expected<double> Cost = costOf(Ptx, Registers, Assembler, Arch);
      if (Error E = Cost.takeError()) {
        // What ptxas made of a full disk is nothing about the code.
        Error Full = checkRoom({temporaryFolder()}, ForCode + 4 * Ptx.size());
        if (!Full)
          return E;
        consumeError(std::move(E));
        return Full;
      }
      All += *Cost;
    }
    return All;
  };
}
