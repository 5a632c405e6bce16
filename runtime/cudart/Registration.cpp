//===- Registration.cpp - What a program's start-up code calls ------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Registry.h"

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// The handle of a module is the address of one of these: nvcc's start-up code
/// reads nothing through it.
Module &moduleOf(void **Handle) { return *reinterpret_cast<Module *>(Handle); }

} // namespace

namespace gevo::cudart {

void **__cudaRegisterFatBinary(void *Image) {
  return reinterpret_cast<void **>(Registry::get().addModule(Image));
}

void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **Handle) {
  if (Handle)
    Registry::get().remove(moduleOf(Handle));
}

void __cudaRegisterFunction(void **Handle, const char *Host, char *,
                            const char *Name, int, void *, void *, void *,
                            void *, int *) {
  Registry::get().addKernel(moduleOf(Handle), Host, Name);
}

void __cudaRegisterVar(void **Handle, char *Host, char *, const char *Name, int,
                       size_t Bytes, int, int) {
  Registry::get().addVariable(moduleOf(Handle), Host, Name, Bytes, nullptr);
}

void __cudaRegisterManagedVar(void **Handle, void **Pointer, char *,
                              const char *Name, int, size_t Bytes, int, int) {
  Registry::get().addVariable(moduleOf(Handle), Pointer, Name, Bytes, Pointer);
}

void __cudaRegisterHostVar(void **, const char *, char *, size_t) {}

#if GEVO_CUDART_MAJOR >= 12
char __cudaRegisterUnifiedTable(void **, void *) { return 1; }
#else
void __cudaRegisterTexture(void **, const void *, const void **, const char *,
                           int, int, int) {
  refuse("texture references");
}

void __cudaRegisterSurface(void **, const void *, const void **, const char *,
                           int, int) {
  refuse("surface references");
}
#endif

char __cudaInitModule(void **) {
  // Called before a program first looks at a managed variable.
  return call([](const DriverTable &D) {
           return Registry::get().placeManaged(D);
         }) == cudaSuccess;
}

} // namespace gevo::cudart
