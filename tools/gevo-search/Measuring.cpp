//===- Measuring.cpp - What results depend on besides the code ------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By content, not by path or date: ranks on other machines have other ones. A
// version number would have to be raised by hand with every change of the
// clock; some 20 MB are read in milliseconds.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Measuring.h"
#include "runtime/gpu/driver/DeviceProperties.h"
#include "runtime/gpu/timing/Sass.h"
#include "runtime/measure/Device.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>
#include <set>

using namespace llvm;
using namespace gevo;

static std::string hashOf(StringRef Text) {
  return utohexstr(xxh3_64bits(Text), /*LowerCase=*/true, 16);
}

static std::string hashOfFile(const std::string &Path) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  return File ? hashOf((*File)->getBuffer()) : "none";
}

// What executes programs: gevo-run, the libraries beside it, and this program.
static std::set<std::string> executors() {
  std::string Self =
      sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&executors));
  std::string Library = measure::embeddedGpuPath();
  SmallString<128> Run(sys::path::parent_path(Self));
  sys::path::append(Run, "gevo-run");
  std::set<std::string> Files = {Self, Library, Run.str().str()};
  for (StringRef Name : {"gevo-gpu", "gevo-cudart"}) {
    SmallString<128> Folder(sys::path::parent_path(Library));
    sys::path::append(Folder, Name);
    std::error_code EC;
    for (sys::fs::directory_iterator I(Folder, EC), End; I != End && !EC;
         I.increment(EC))
      Files.insert(I->path());
  }
  return Files;
}

// Variables that change what the embedded GPU does; gevo-run hands them on.
static constexpr StringLiteral Variables[] = {"GEVO_CHECK", "GEVO_COSTS",
                                              "GEVO_ON_FINDING",
                                              "GEVO_STEP_LIMIT", "GEVO_TIMING"};

Expected<std::string>
gevo::measuringIdentity(const std::vector<std::string> &Gpus) {
  std::string All;
  for (const std::string &Gpu : Gpus) {
    std::string Problem;
    auto Model = driver::gpuModel(Gpu, Problem);
    if (!Model)
      return createStringError(inconvertibleErrorCode(), Problem);
    All += gpu::timing::profileText(Model->Profile);
  }
  for (const std::string &File : executors())
    All += sys::path::filename(File).str() + " " + hashOfFile(File) + "\n";
  for (StringRef Name : Variables)
    if (const char *Value = std::getenv(Name.data()))
      All += Name.str() + "=" + Value + "\n";
  return hashOf(All);
}

std::string gevo::assemblingIdentity() {
  gpu::timing::SassTools Tools = gpu::timing::findSassTools();
  std::string All;
  for (const std::string &Tool : {Tools.Assembler, Tools.Disassembler})
    All += Tool.empty() ? "none\n" : hashOfFile(Tool) + "\n";
  return hashOf(All);
}
