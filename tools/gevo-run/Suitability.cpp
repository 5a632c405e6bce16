//===- Suitability.cpp - Whether a program can run on the embedded GPU ----===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/Program.h"

#include <cctype>
#include <dlfcn.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::run;

namespace {

/// Names of the runtime and of the driver, and whether we have them.
struct KnownFunctions {
  std::set<std::string> Here, Lacking;

  KnownFunctions() {
    auto both = [](std::set<std::string> &Into, std::string Name,
                   const char *Form) {
      Into.insert(Name + Form);
      Into.insert(std::move(Name));
    };
#define CUDART_FUNCTION(Result, Name, Era, Params) Here.insert(#Name);
#define CUDART_STREAM(Name, Era, Params) both(Here, #Name, "_ptsz");
#define CUDART_SYNC(Name, Era, Params) both(Here, #Name, "_ptds");
#define CUDART_ALIAS(Name, Era, Target) Here.insert(#Name);
#define CUDART_LACKING(Name, Era) Lacking.insert(#Name);
#include "runtime/cudart/Api.def"
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params) Here.insert(#Symbol);
#define CU_ALIAS(Symbol, Base, Since, Mode, Target) Here.insert(#Symbol);
#define CU_LACKING(Symbol, Base, Since, Mode) Lacking.insert(#Symbol);
#include "runtime/gpu/driver/Api.def"
  }
};

/// Whether \p Name is spelled as functions of the runtime and the driver are.
bool isCuda(const std::string &Name) {
  if (!Name.compare(0, 4, "cuda") || !Name.compare(0, 6, "__cuda"))
    return true;
  return Name.size() > 2 && !Name.compare(0, 2, "cu") &&
         std::isupper(static_cast<unsigned char>(Name[2]));
}

} // namespace

std::string gevo::run::unsuitable(const std::string &Program,
                                  const ElfSummary &Elf,
                                  const std::string &Runtimes) {
  std::string Quoted = "'" + Program + "' ";
  for (const std::string &Name : Elf.Needed)
    if (!Name.compare(0, 13, "libcudart.so.") &&
        access((Runtimes + "/" + Name).c_str(), R_OK))
      return Quoted + "is linked with " + Name +
             ", which Gevo does not stand in for; it does for the runtimes of "
             "CUDA 11, 12 and 13, so build the program with one of these";
  if (!Elf.HasFatbins)
    return "";
  if (!Elf.Imported.count("__cudaRegisterFatBinary"))
    return Quoted +
           "is linked with the static CUDA runtime (libcudart_static), which "
           "cannot be replaced; link it with the shared one: clang++ ... "
           "-lcudart, nvcc --cudart=shared, or CMake's CUDA_RUNTIME_LIBRARY "
           "Shared";
  if (Elf.HasPtx || Elf.MachineCode.empty())
    return "";
  std::string Archs;
  for (unsigned Arch : Elf.MachineCode)
    Archs += (Archs.empty() ? "sm_" : ", sm_") + std::to_string(Arch);
  return Quoted + "carries machine code only (" + Archs +
         "), and the embedded GPU runs PTX; build it with clang without "
         "--no-cuda-include-ptx, or with nvcc -gencode "
         "arch=compute_70,code=compute_70";
}

std::vector<std::string>
gevo::run::missingFunctions(const std::string &Program, const ElfSummary &Elf,
                            const std::string &LibraryPath) {
  static const KnownFunctions Known;
  std::set<std::string> Wanted, Exported;
  auto take = [&](const ElfSummary &E) {
    for (const std::string &Name : E.Imported)
      if (isCuda(Name))
        Wanted.insert(Name);
    Exported.insert(E.Exported.begin(), E.Exported.end());
  };
  take(Elf);
  for (const std::string &File : loadedLibraries(Program, Elf, LibraryPath))
    if (auto Library = readElf(File))
      take(*Library);
  std::vector<std::string> Missing;
  for (const std::string &Name : Wanted)
    if (Known.Lacking.count(Name) ||
        (!Known.Here.count(Name) && !Exported.count(Name)))
      Missing.push_back(Name);
  return Missing;
}

std::string gevo::run::unusableDriver(const std::string &Driver) {
  // A program need not look at errors, and of another driver than ours there is
  // no log that tells them: it would seem to have run.
  std::string Name = Driver == "nvidia" ? "libcuda.so.1" : Driver;
  void *Library = dlopen(Name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!Library)
    return "cannot open the driver library: " + std::string(dlerror()) +
           "; --driver is embedded, nvidia, or the name of a library";
  bool IsDriver = dlsym(Library, "cuInit");
  dlclose(Library);
  return IsDriver
             ? ""
             : "'" + Name + "' is no CUDA driver library: it has no cuInit";
}
