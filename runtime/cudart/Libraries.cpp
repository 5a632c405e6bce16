//===- Libraries.cpp - Device code that a program loads itself ------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Registry.h"

using namespace gevo;
using namespace gevo::cudart;

#if GEVO_CUDART_MAJOR >= 12
namespace gevo::cudart {

cudaError_t cudaLibraryLoadData(cudaLibrary_t *Library, const void *Code,
                                CUjit_option *Options, void **Values,
                                unsigned Count, CUlibraryOption *More,
                                void **MoreValues, unsigned MoreCount) {
  return call([&](const DriverTable &D) {
    return D.cuLibraryLoadData(Library, Code, Options, Values, Count, More,
                               MoreValues, MoreCount);
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *Library, const char *File,
                                    CUjit_option *Options, void **Values,
                                    unsigned Count, CUlibraryOption *More,
                                    void **MoreValues, unsigned MoreCount) {
  return call([&](const DriverTable &D) {
    return D.cuLibraryLoadFromFile(Library, File, Options, Values, Count, More,
                                   MoreValues, MoreCount);
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t Library) {
  return call([&](const DriverTable &D) { return D.cuLibraryUnload(Library); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *Kernel, cudaLibrary_t Library,
                                 const char *Name) {
  return call([&](const DriverTable &D) {
    CUresult R = D.cuLibraryGetKernel(Kernel, Library, Name);
    if (!R)
      Registry::get().addHandle(*Kernel);
    return R;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned *Count, cudaLibrary_t Library) {
  return call([&](const DriverTable &D) {
    return D.cuLibraryGetKernelCount(Count, Library);
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *Kernels, unsigned Count,
                                        cudaLibrary_t Library) {
  return call([&](const DriverTable &D) {
    unsigned All = 0;
    CUresult R = D.cuLibraryEnumerateKernels(Kernels, Count, Library);
    if (!R)
      R = D.cuLibraryGetKernelCount(&All, Library);
    for (unsigned I = 0; !R && I < Count && I < All; ++I)
      Registry::get().addHandle(Kernels[I]);
    return R;
  });
}

cudaError_t cudaLibraryGetGlobal(void **Pointer, size_t *Bytes,
                                 cudaLibrary_t Library, const char *Name) {
  return call([&](const DriverTable &D) {
    return D.cuLibraryGetGlobal(reinterpret_cast<CUdeviceptr *>(Pointer), Bytes,
                                Library, Name);
  });
}

cudaError_t cudaLibraryGetManaged(void **Pointer, size_t *Bytes,
                                  cudaLibrary_t Library, const char *Name) {
  return call([&](const DriverTable &D) {
    return D.cuLibraryGetManaged(reinterpret_cast<CUdeviceptr *>(Pointer),
                                 Bytes, Library, Name);
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t Kernel,
                                            CUfunction_attribute Name,
                                            int Value, int Device) {
  return call([&](const DriverTable &D) {
    return D.cuKernelSetAttribute(Name, Value, Kernel, Device);
  });
}

} // namespace gevo::cudart
#endif
