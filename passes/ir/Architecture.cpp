//===- Architecture.cpp - Which GPU a module is compiled for --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Function attributes carry what the driver passed as -target-cpu.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Architecture.h"
#include "passes/ir/Fingerprint.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace llvm;

bool gevo::isDeviceModule(const Module &M) {
  return Triple(M.getTargetTriple()).isNVPTX();
}

static std::string attribute(const Module &M, StringRef Name) {
  for (const Function &F : M)
    if (!F.isDeclaration() && F.hasFnAttribute(Name))
      return F.getFnAttribute(Name).getValueAsString().str();
  return "";
}

std::string gevo::architectureOf(const Module &M) {
  return attribute(M, "target-cpu");
}

std::string gevo::moduleFileStem(Module &M) {
  StringRef Source = M.getSourceFileName();
  std::string Stem = sys::path::stem(Source).str();
  // What is fine in a source's name may not be in ours.
  for (char &C : Stem)
    if (!isAlnum(C) && C != '_' && C != '-' && C != '.')
      C = '_';
  std::string Architecture = architectureOf(M);
  // One source may be compiled from several folders, and with several sets of
  // definitions.
  SmallString<128> Identity(Source);
  sys::fs::make_absolute(Identity);
  for (Function &F : M)
    if (!F.isDeclaration())
      Identity += fingerprint(F);
  return Stem + "-" +
         utohexstr(xxh3_64bits(Identity) & 0xffffffff, /*LowerCase=*/true, 8) +
         "-" + (Architecture.empty() ? "unknown" : Architecture);
}

// clang's -fcuda-short-ptr: pointers to shared memory are narrower than others.
static bool hasShortPointers(const Module &M) {
  const unsigned Shared = 3;
  return M.getDataLayout().getPointerSize(Shared) <
         M.getDataLayout().getPointerSize();
}

std::unique_ptr<TargetMachine>
gevo::createTargetMachine(const Module &M, const TargetOptions &Options,
                          CodeGenOptLevel Level) {
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  if (!T)
    return nullptr;
  // NVPTX learns of short pointers through an option of the process only, which
  // it reads when a machine is made. Whoever makes another one through us says
  // anew what it needs.
  static std::mutex OneAtATime;
  std::lock_guard<std::mutex> Lock(OneAtATime);
  cl::Option *Short = cl::getRegisteredOptions().lookup("nvptx-short-ptr");
  if (!Short || Short->addOccurrence(0, Short->ArgStr,
                                     hasShortPointers(M) ? "true" : "false",
                                     /*MultiArg=*/true))
    return nullptr;
  return std::unique_ptr<TargetMachine>(T->createTargetMachine(
      M.getTargetTriple(), architectureOf(M), attribute(M, "target-features"),
      Options, std::nullopt, std::nullopt, Level));
}
