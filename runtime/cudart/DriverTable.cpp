//===- DriverTable.cpp - The driver library under the runtime -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/DriverTable.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// Stands for a function that the driver lacks.
template <typename... Types> CUresult lacking(Types...) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// The address of the function \p Name, or of one that refuses.
template <typename... Types>
void lookUp(void *Library, const char *Name, CUresult (*&Into)(Types...)) {
  void *Found = dlsym(Library, Name);
  Into = Found ? reinterpret_cast<CUresult (*)(Types...)>(Found)
               : lacking<Types...>;
}

/// libgevo-gpu.so in the folder above that of this library.
std::string embeddedDriver() {
  Dl_info Self;
  char Real[PATH_MAX];
  if (!dladdr(reinterpret_cast<void *>(&openDriver), &Self) ||
      !realpath(Self.dli_fname, Real))
    return "libgevo-gpu.so";
  std::string Folder = Real;
  Folder.erase(Folder.rfind('/'));
  return Folder + "/../libgevo-gpu.so";
}

std::string driverName() {
  const char *Chosen = std::getenv("GEVO_DRIVER");
  std::string Name = Chosen ? Chosen : "";
  if (Name.empty() || Name == "embedded")
    return embeddedDriver();
  return Name == "nvidia" ? "libcuda.so.1" : Name;
}

} // namespace

const DriverTable *gevo::cudart::openDriver(std::string &Error) {
  std::string Name = driverName();
  void *Library = dlopen(Name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    Error = dlerror();
    return nullptr;
  }
  static DriverTable Table;
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params)                         \
  lookUp(Library, #Symbol, Table.Symbol);
#include "runtime/gpu/driver/Api.def"
  Table.gevoGpuNote = reinterpret_cast<decltype(Table.gevoGpuNote)>(
      dlsym(Library, "gevoGpuNote"));
  return &Table;
}
