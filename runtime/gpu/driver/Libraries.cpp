//===- Libraries.cpp - Libraries of the driver API ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library is device code without a context: a kernel of it is a CUkernel,
// which becomes a function in each context that launches it. The CUDA 12
// runtime loads all code this way.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"
#include "runtime/gpu/driver/Image.h"
#include "runtime/gpu/driver/JitOptions.h"
#include "runtime/gpu/driver/Substitution.h"
#include "runtime/gpu/ptx/Parser.h"

using namespace gevo;
using namespace gevo::driver;

namespace {

CUresult findLibrary(CUlibrary Handle, std::shared_ptr<Library> &L) {
  if (CUresult R = checkInitialised())
    return R;
  L = Driver::get().Handles.find<Library>(Handle);
  return L ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult findKernel(CUkernel Handle, std::shared_ptr<LibraryKernel> &K) {
  if (CUresult R = checkInitialised())
    return R;
  K = Driver::get().Handles.find<LibraryKernel>(Handle);
  return K ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Where the managed variables of \p L are: in the module that had them first.
/// A library has them once, whatever the number of contexts.
gpu::VariableBindings managedVariables(const Library &L) {
  gpu::VariableBindings Placed;
  for (const auto &[Id, Handle] : L.Modules)
    if (auto M = Driver::get().Handles.find<Module>(Handle))
      for (const gpu::ModuleVariable &V : M->Loaded->variables())
        if (V.IsManaged && V.IsNamed && !V.IsBound)
          Placed[V.Name] = V.Address;
  return Placed;
}

/// The module of \p L in \p Ctx, loaded on first use.
CUresult moduleIn(Library &L, const std::shared_ptr<Context> &Ctx,
                  CUmodule &Handle) {
  std::lock_guard<std::mutex> Guard(L.Lock);
  CUmodule &Known = L.Modules[Ctx->Id];
  if (!Driver::get().Handles.find<Module>(Known)) {
    std::string Log;
    if (CUresult R =
            loadProgramsModule(Ctx, L.Texts, managedVariables(L), Known, Log))
      return R;
  }
  Handle = Known;
  return CUDA_SUCCESS;
}

/// The function of \p K in \p Ctx.
CUresult functionIn(LibraryKernel &K, const std::shared_ptr<Context> &Ctx,
                    CUfunction &Handle) {
  CUmodule M;
  if (CUresult R = moduleIn(*K.Owner, Ctx, M))
    return R;
  return cuModuleGetFunction(&Handle, M, K.Name.c_str());
}

/// The function of \p K in the current context if that is on device
/// \p Ordinal, else in the device's primary context.
CUresult functionOn(CUkernel Handle, CUdevice Ordinal,
                    CUfunction &FunctionHandle) {
  std::shared_ptr<LibraryKernel> K;
  if (CUresult R = findKernel(Handle, K))
    return R;
  std::shared_ptr<Context> Ctx;
  if (currentContext(Ctx) || Ctx->Owner.Ordinal != Ordinal) {
    Gpu *G = Driver::get().device(Ordinal);
    if (!G)
      return CUDA_ERROR_INVALID_DEVICE;
    Ctx = Driver::get().Handles.find<Context>(G->Primary);
    CUcontext Primary;
    if (!Ctx) {
      if (CUresult R = cuDevicePrimaryCtxRetain(&Primary, Ordinal))
        return R;
      Ctx = Driver::get().Handles.find<Context>(Primary);
    }
    if (!Ctx)
      return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  return guarded([&] { return functionIn(*K, Ctx, FunctionHandle); });
}

CUresult makeLibrary(CUlibrary *Handle, std::vector<std::string> Texts,
                     const JitOptions &Options) {
  // Its module is loaded when it is used; what is wrong shows here.
  std::string Log;
  if (CUresult R = checkSubstitutes(Log)) {
    Options.reportError(Log);
    return R;
  }
  auto L = std::make_shared<Library>();
  std::vector<std::string> Names;
  for (const std::string &Text : Texts) {
    auto Parsed = gpu::ptx::parseModule(Text);
    if (!Parsed) {
      Options.reportError("PTX " + Parsed.error().str());
      return CUDA_ERROR_INVALID_PTX;
    }
    for (const gpu::ptx::Function &F : (*Parsed)->Functions)
      if (F.IsKernel && F.HasBody)
        Names.push_back(F.Name);
  }
  L->Texts = std::move(Texts);
  HandleTable &Handles = Driver::get().Handles;
  *Handle = Handles.insert<CUlibrary>(L);
  for (const std::string &Name : Names) {
    auto K = std::make_shared<LibraryKernel>();
    K->Owner = L;
    K->OwnerHandle = *Handle;
    K->Name = Name;
    L->Kernels[Name] = Handles.insert<CUkernel>(std::move(K));
  }
  Options.reportSuccess();
  return CUDA_SUCCESS;
}

/// The architecture to choose code for: that of the current context, or of
/// the first device.
unsigned preferredArch() {
  std::shared_ptr<Context> Ctx;
  if (!currentContext(Ctx))
    return Ctx->Owner.Properties.Config.SmArch;
  return Driver::get().device(0)->Properties.Config.SmArch;
}

CUresult globalOf(CUdeviceptr *Address, size_t *Bytes, CUlibrary Handle,
                  const char *Name, bool Managed) {
  std::shared_ptr<Library> L;
  if (CUresult R = findLibrary(Handle, L))
    return R;
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  return guarded([&]() -> CUresult {
    CUmodule M;
    if (CUresult R = moduleIn(*L, Ctx, M))
      return R;
    auto Loaded = Driver::get().Handles.find<Module>(M);
    const gpu::ModuleVariable *V =
        Loaded && Name ? Loaded->Loaded->variable(Name) : nullptr;
    if (!V || V->IsManaged != Managed)
      return CUDA_ERROR_NOT_FOUND;
    return cuModuleGetGlobal_v2(Address, Bytes, M, Name);
  });
}

} // namespace

CUresult gevo::driver::findFunction(CUfunction Handle,
                                    std::shared_ptr<Function> &F) {
  // A library's kernel may stand where a function is asked for.
  if (HandleTable::isKind(Handle, ObjectKind::Kernel)) {
    CUfunction InContext;
    if (CUresult R =
            cuKernelGetFunction(&InContext, reinterpret_cast<CUkernel>(Handle)))
      return R;
    Handle = InContext;
  }
  F = Driver::get().Handles.find<Function>(Handle);
  return F ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

namespace gevo::cuda {

CUresult cuLibraryLoadData(CUlibrary *Handle, const void *Code,
                           CUjit_option *Options, void **Values, unsigned Count,
                           CUlibraryOption *, void **, unsigned) {
  if (CUresult R = checkInitialised())
    return R;
  if (!Handle || !Code)
    return CUDA_ERROR_INVALID_VALUE;
  JitOptions Jit(Count, Options, Values);
  if (CUresult R = Jit.check())
    return R;
  return guarded([&] {
    std::vector<std::string> Texts;
    std::string Log;
    if (CUresult R = readImage(Code, preferredArch(), Texts, Log)) {
      Jit.reportError(Log);
      return R;
    }
    return makeLibrary(Handle, std::move(Texts), Jit);
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary *Handle, const char *File,
                               CUjit_option *Options, void **Values,
                               unsigned Count, CUlibraryOption *, void **,
                               unsigned) {
  if (CUresult R = checkInitialised())
    return R;
  if (!Handle || !File)
    return CUDA_ERROR_INVALID_VALUE;
  JitOptions Jit(Count, Options, Values);
  if (CUresult R = Jit.check())
    return R;
  return guarded([&] {
    std::vector<std::string> Texts;
    std::string Log;
    if (CUresult R = readImageFile(File, preferredArch(), Texts, Log)) {
      Jit.reportError(Log);
      return R;
    }
    return makeLibrary(Handle, std::move(Texts), Jit);
  });
}

CUresult cuLibraryUnload(CUlibrary Handle) {
  if (CUresult R = checkInitialised())
    return R;
  HandleTable &Handles = Driver::get().Handles;
  auto L = Handles.erase<Library>(Handle);
  if (!L)
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard<std::mutex> Guard(L->Lock);
  for (auto &[Name, K] : L->Kernels)
    Handles.erase<LibraryKernel>(K);
  for (auto &[Id, M] : L->Modules)
    if (auto Gone = Handles.erase<Module>(M)) {
      std::lock_guard<std::mutex> ModuleGuard(Gone->Lock);
      for (auto &[Name, F] : Gone->Functions)
        Handles.erase<Function>(F);
      Gone->Functions.clear();
    }
  // Kernels refer to their library.
  L->Kernels.clear();
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *Handle, CUlibrary LibraryHandle,
                            const char *Name) {
  std::shared_ptr<Library> L;
  if (!Handle || !Name)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findLibrary(LibraryHandle, L))
    return R;
  auto It = L->Kernels.find(Name);
  if (It == L->Kernels.end())
    return CUDA_ERROR_NOT_FOUND;
  *Handle = It->second;
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned *Count, CUlibrary Handle) {
  std::shared_ptr<Library> L;
  if (!Count)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findLibrary(Handle, L))
    return R;
  *Count = unsigned(L->Kernels.size());
  return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel *Handles, unsigned Count,
                                   CUlibrary Handle) {
  std::shared_ptr<Library> L;
  if (!Handles)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findLibrary(Handle, L))
    return R;
  unsigned I = 0;
  for (auto &[Name, K] : L->Kernels)
    if (I < Count)
      Handles[I++] = K;
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetModule(CUmodule *Handle, CUlibrary LibraryHandle) {
  std::shared_ptr<Library> L;
  if (!Handle)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findLibrary(LibraryHandle, L))
    return R;
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  return guarded([&] { return moduleIn(*L, Ctx, *Handle); });
}

CUresult cuLibraryGetGlobal(CUdeviceptr *Address, size_t *Bytes,
                            CUlibrary Handle, const char *Name) {
  return globalOf(Address, Bytes, Handle, Name, /*Managed=*/false);
}

CUresult cuLibraryGetManaged(CUdeviceptr *Address, size_t *Bytes,
                             CUlibrary Handle, const char *Name) {
  return globalOf(Address, Bytes, Handle, Name, /*Managed=*/true);
}

CUresult cuKernelGetFunction(CUfunction *FunctionHandle, CUkernel Handle) {
  std::shared_ptr<LibraryKernel> K;
  if (!FunctionHandle)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findKernel(Handle, K))
    return R;
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  return guarded([&] { return functionIn(*K, Ctx, *FunctionHandle); });
}

CUresult cuKernelGetLibrary(CUlibrary *LibraryHandle, CUkernel Handle) {
  std::shared_ptr<LibraryKernel> K;
  if (!LibraryHandle)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findKernel(Handle, K))
    return R;
  *LibraryHandle = K->OwnerHandle;
  return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int *Value, CUfunction_attribute Attribute,
                              CUkernel Handle, CUdevice Device) {
  CUfunction F;
  if (CUresult R = functionOn(Handle, Device, F))
    return R;
  return cuFuncGetAttribute(Value, Attribute, F);
}

CUresult cuKernelSetAttribute(CUfunction_attribute Attribute, int Value,
                              CUkernel Handle, CUdevice Device) {
  CUfunction F;
  if (CUresult R = functionOn(Handle, Device, F))
    return R;
  return cuFuncSetAttribute(F, Attribute, Value);
}

CUresult cuKernelSetCacheConfig(CUkernel Handle, CUfunc_cache Config,
                                CUdevice Device) {
  CUfunction F;
  if (CUresult R = functionOn(Handle, Device, F))
    return R;
  return cuFuncSetCacheConfig(F, Config);
}

CUresult cuKernelGetName(const char **Name, CUkernel Handle) {
  std::shared_ptr<LibraryKernel> K;
  if (!Name)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findKernel(Handle, K))
    return R;
  *Name = K->Name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel Handle, size_t Index, size_t *Offset,
                              size_t *Size) {
  CUfunction F;
  std::shared_ptr<Context> Ctx;
  CUdevice Device = currentContext(Ctx) ? 0 : Ctx->Owner.Ordinal;
  if (CUresult R = functionOn(Handle, Device, F))
    return R;
  return cuFuncGetParamInfo(F, Index, Offset, Size);
}

} // namespace gevo::cuda
