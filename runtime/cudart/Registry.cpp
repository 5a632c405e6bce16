//===- Registry.cpp - Device code and its host symbols --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Registry.h"
#include "runtime/cudart/Substitution.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// The libraries of \p M in which names are looked up, first to last.
std::vector<CUlibrary> libraries(const Module &M) {
  std::vector<CUlibrary> All = M.Substitutes;
  All.push_back(M.Original);
  return All;
}

/// The variable \p V in the current context.
CUresult locate(const DriverTable &D, const Variable &V, CUdeviceptr &Address,
                size_t &Bytes) {
  auto Get = V.ManagedPointer ? D.cuLibraryGetManaged : D.cuLibraryGetGlobal;
  CUresult R = CUDA_ERROR_NOT_FOUND;
  for (CUlibrary L : libraries(*V.Owner))
    if (!(R = Get(&Address, &Bytes, L, V.Name.c_str())))
      break;
  return R;
}

} // namespace

Registry &Registry::get() {
  static Registry *R = new Registry;
  return *R;
}

Module *Registry::addModule(void *Image) {
  auto M = std::make_unique<Module>();
  M->Image = Image;
  std::unique_lock<std::shared_mutex> Guard(Lock);
  Modules.push_back(std::move(M));
  return Modules.back().get();
}

void Registry::addKernel(Module &M, const void *Host, const char *Name) {
  auto K = std::make_unique<Kernel>();
  K->Owner = &M;
  K->Host = Host;
  K->Name = Name;
  std::unique_lock<std::shared_mutex> Guard(Lock);
  Kernels[Host] = K.get();
  M.Kernels.push_back(std::move(K));
}

void Registry::addVariable(Module &M, const void *Host, const char *Name,
                           size_t Bytes, void **ManagedPointer) {
  auto V = std::make_unique<Variable>();
  V->Owner = &M;
  V->Host = Host;
  V->Name = Name;
  V->Bytes = Bytes;
  V->ManagedPointer = ManagedPointer;
  std::unique_lock<std::shared_mutex> Guard(Lock);
  Variables[Host] = V.get();
  M.Variables.push_back(std::move(V));
}

void Registry::remove(Module &M) {
  std::unique_lock<std::shared_mutex> Guard(Lock);
  for (const auto &K : M.Kernels)
    if (auto It = Kernels.find(K->Host);
        It != Kernels.end() && It->second == K.get())
      Kernels.erase(It);
  for (const auto &V : M.Variables)
    if (auto It = Variables.find(V->Host);
        It != Variables.end() && It->second == V.get())
      Variables.erase(It);
  // Programs unregister when they end, and then there may be no driver to
  // speak of; one that was used is there.
  cudaError_t Why;
  if (M.IsLoaded)
    if (const DriverTable *D = driver(Why))
      for (CUlibrary L : libraries(M))
        D->cuLibraryUnload(L);
  auto IsIt = [&](const std::unique_ptr<Module> &P) { return P.get() == &M; };
  Modules.erase(std::remove_if(Modules.begin(), Modules.end(), IsIt),
                Modules.end());
}

cudaError_t Registry::load(const DriverTable &D, Module &M) {
  std::lock_guard<std::mutex> Guard(M.Lock);
  if (M.IsLoaded || M.LoadError)
    return M.LoadError;
  M.LoadError =
      loadLibrary(D, M.Image, "the program's device code", M.Original);
  if (!M.LoadError)
    M.LoadError = loadSubstitutes(D, M);
  if (M.LoadError)
    return M.LoadError;
  for (const auto &K : M.Kernels)
    for (CUlibrary L : libraries(M))
      if (!D.cuLibraryGetKernel(&K->Handle, L, K->Name.c_str()))
        break;
  M.IsLoaded = true;
  return cudaSuccess;
}

cudaError_t Registry::findKernel(const DriverTable &D, const void *Host,
                                 Kernel *&K) {
  {
    std::shared_lock<std::shared_mutex> Guard(Lock);
    auto It = Kernels.find(Host);
    if (It == Kernels.end())
      return cudaErrorInvalidDeviceFunction;
    K = It->second;
  }
  if (cudaError_t E = load(D, *K->Owner))
    return E;
  return K->Handle ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t Registry::findFunction(const DriverTable &D, const void *Host,
                                   CUfunction &F) {
  Kernel *K = nullptr;
  {
    std::shared_lock<std::shared_mutex> Guard(Lock);
    auto It = Kernels.find(Host);
    if (It != Kernels.end())
      K = It->second;
    else if (!Handles.count(Host))
      return cudaErrorInvalidDeviceFunction;
  }
  if (!K) {
    auto Handle = const_cast<void *>(Host);
    if (D.cuKernelGetFunction(&F, reinterpret_cast<CUkernel>(Handle)))
      F = reinterpret_cast<CUfunction>(Handle);
    return cudaSuccess;
  }
  CUcontext Ctx = nullptr;
  D.cuCtxGetCurrent(&Ctx);
  unsigned Resets = contextResets();
  auto fits = [&](const Kernel::Placed &P) {
    return P.Context == Ctx && P.Resets == Resets;
  };
  if (const Kernel::Placed *P = K->Last.load(std::memory_order_acquire);
      P && fits(*P)) {
    F = P->Function;
    return cudaSuccess;
  }
  if (cudaError_t E = findKernel(D, Host, K))
    return E;
  std::lock_guard<std::mutex> Guard(K->Lock);
  auto Known = std::find_if(K->Rows.begin(), K->Rows.end(),
                            [&](const auto &P) { return fits(*P); });
  if (Known == K->Rows.end()) {
    if (CUresult R = D.cuKernelGetFunction(&F, K->Handle))
      return toRuntime(R);
    K->Rows.push_back(
        std::make_unique<const Kernel::Placed>(Kernel::Placed{Ctx, Resets, F}));
    Known = std::prev(K->Rows.end());
  }
  F = (*Known)->Function;
  K->Last.store(Known->get(), std::memory_order_release);
  return cudaSuccess;
}

const void *Registry::hostOf(CUfunction F) {
  std::shared_lock<std::shared_mutex> Guard(Lock);
  for (const auto &M : Modules)
    for (const auto &K : M->Kernels) {
      std::lock_guard<std::mutex> Rows(K->Lock);
      for (const auto &P : K->Rows)
        if (P->Function == F)
          return K->Host;
    }
  return nullptr;
}

Variable *Registry::managedAt(const void *Address) {
  for (const auto &M : Modules)
    for (const auto &V : M->Variables)
      if (V->ManagedPointer && *V->ManagedPointer == Address)
        return V.get();
  return nullptr;
}

cudaError_t Registry::findVariable(const DriverTable &D, const void *Host,
                                   CUdeviceptr &Address, size_t &Bytes) {
  Variable *V = nullptr;
  {
    std::shared_lock<std::shared_mutex> Guard(Lock);
    auto It = Variables.find(Host);
    V = It != Variables.end() ? It->second : managedAt(Host);
    if (!V)
      return cudaErrorInvalidSymbol;
  }
  if (cudaError_t E = load(D, *V->Owner))
    return E;
  return locate(D, *V, Address, Bytes) ? cudaErrorInvalidSymbol : cudaSuccess;
}

void Registry::addHandle(const void *H) {
  std::unique_lock<std::shared_mutex> Guard(Lock);
  Handles.insert(H);
}

cudaError_t Registry::placeManaged(const DriverTable &D) {
  std::vector<Variable *> Managed;
  {
    std::shared_lock<std::shared_mutex> Guard(Lock);
    for (const auto &M : Modules)
      for (const auto &V : M->Variables)
        if (V->ManagedPointer)
          Managed.push_back(V.get());
  }
  for (Variable *V : Managed) {
    CUdeviceptr Address;
    size_t Bytes;
    if (cudaError_t E = load(D, *V->Owner))
      return E;
    if (CUresult R = locate(D, *V, Address, Bytes))
      return toRuntime(R);
    *V->ManagedPointer = reinterpret_cast<void *>(Address);
  }
  return cudaSuccess;
}
