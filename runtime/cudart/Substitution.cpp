//===- Substitution.cpp - Other PTX in place of a module's ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Substitution.h"
#include "runtime/gpu/driver/SubstituteFiles.h"

using namespace gevo;
using namespace gevo::cudart;

namespace {

cudaError_t fail(const DriverTable &D, const std::string &Text) {
  tell("error", Text);
  if (D.gevoGpuNote)
    D.gevoGpuNote("problem", Text.c_str());
  return cudaErrorInvalidKernelImage;
}

/// Variables would exist twice if kernels of one module used those of two.
cudaError_t checkWhole(const DriverTable &D, const Module &M,
                       const std::string &File, CUlibrary Library) {
  std::string Absent, Shared;
  CUkernel K;
  CUdeviceptr Address;
  size_t Bytes;
  for (const auto &Known : M.Kernels)
    if (D.cuLibraryGetKernel(&K, Library, Known->Name.c_str()))
      Absent = Known->Name;
  for (const auto &Known : M.Variables)
    if (!D.cuLibraryGetGlobal(&Address, &Bytes, Library, Known->Name.c_str()))
      Shared = Known->Name;
  if (Absent.empty() || Shared.empty())
    return cudaSuccess;
  return fail(D, "'" + File + "' has the variable " + Shared +
                     " but not the kernel " + Absent +
                     " of the same module; substitute all kernels of it");
}

} // namespace

cudaError_t gevo::cudart::loadLibrary(const DriverTable &D, const void *Image,
                                      const std::string &What,
                                      CUlibrary &Library) {
  char Log[1024] = "";
  CUjit_option Options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *Values[] = {Log, reinterpret_cast<void *>(sizeof(Log))};
  CUresult R = D.cuLibraryLoadData(&Library, Image, Options, Values, 2, nullptr,
                                   nullptr, 0);
  if (!R)
    return cudaSuccess;
  const char *Why = *Log ? Log
                    : R == CUDA_ERROR_NOT_SUPPORTED
                        ? "the driver library is older than CUDA 12 (it lacks "
                          "cuLibraryLoadData)"
                        : cudaGetErrorString(toRuntime(R));
  fail(D, "cannot load " + What + ": " + Why);
  return toRuntime(R);
}

cudaError_t gevo::cudart::loadSubstitutes(const DriverTable &D, Module &M) {
  // The embedded GPU does it itself, and there variables can be shared.
  if (D.gevoGpuNote)
    return cudaSuccess;
  for (const auto &[File, Original] : substituteFiles()) {
    std::optional<std::string> Text = substituteText(File);
    if (!Text)
      return fail(D, "cannot read '" + File + "', which is to be substituted");
    CUlibrary Library;
    if (cudaError_t E =
            loadLibrary(D, Text->c_str(), "'" + File + "'", Library))
      return E;
    bool IsWanted = false;
    CUkernel Handle;
    for (const auto &Known : M.Kernels) {
      if (D.cuLibraryGetKernel(&Handle, Library, Known->Name.c_str()))
        continue;
      IsWanted = true;
    }
    if (!IsWanted) {
      D.cuLibraryUnload(Library);
      continue;
    }
    if (cudaError_t E = checkWhole(D, M, File, Library))
      return E;
    M.Substitutes.push_back(Library);
  }
  return cudaSuccess;
}
