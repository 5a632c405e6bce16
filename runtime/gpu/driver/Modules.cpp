//===- Modules.cpp - Modules of the driver API ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"
#include "runtime/gpu/driver/GevoGpu.h"
#include "runtime/gpu/driver/Image.h"
#include "runtime/gpu/driver/JitOptions.h"
#include "runtime/gpu/driver/SubstituteFiles.h"
#include "runtime/gpu/driver/Substitution.h"
#include "runtime/gpu/ptx/Parser.h"
#include "runtime/gpu/ptx/SameCode.h"

using namespace gevo;
using namespace gevo::driver;

Module::~Module() {
  if (Loaded)
    for (const gpu::ModuleVariable &V : Loaded->variables())
      if (!V.IsBound)
        Driver::get().removeMemory(V.Address);
}

namespace {

/// Variables that \p Bindings names stay where they are. \p Log takes the
/// error, or the notes of what was loaded.
CUresult makeModule(const std::shared_ptr<Context> &Ctx,
                    const std::vector<std::string> &Texts,
                    const gpu::VariableBindings &Bindings,
                    std::shared_ptr<Module> &M, std::string &Log) {
  auto Loaded = Texts.size() == 1 ? Ctx->Engine->load(Texts[0], Bindings)
                                  : Ctx->Engine->link(Texts, Bindings);
  if (!Loaded) {
    Log = "PTX " + Loaded.error().str();
    return CUDA_ERROR_INVALID_PTX;
  }
  M = std::make_shared<Module>();
  M->Ctx = Ctx;
  M->Texts = Texts;
  M->Loaded = std::move(*Loaded);
  for (const std::string &Note : M->Loaded->notes())
    Log += (Log.empty() ? "" : "\n") + Note;
  for (const gpu::ModuleVariable &V : M->Loaded->variables()) {
    if (!V.Bytes || !V.Address || V.IsBound)
      continue;
    MemoryRange Range;
    Range.Base = V.Address;
    Range.Bytes = V.Bytes;
    Range.Kind = V.IsManaged ? gpu::MemoryKind::Managed
                 : V.IsConst ? gpu::MemoryKind::ModuleConst
                             : gpu::MemoryKind::ModuleGlobal;
    Range.Ctx = Ctx;
    Driver::get().addMemory(std::move(Range));
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult gevo::driver::loadModule(const std::shared_ptr<Context> &Ctx,
                                  const std::vector<std::string> &Texts,
                                  gpu::VariableBindings Bindings,
                                  CUmodule &Handle, std::string &Log) {
  {
    std::lock_guard<std::mutex> Guard(Ctx->Lock);
    Bindings.insert(Ctx->Bindings.begin(), Ctx->Bindings.end());
  }
  std::shared_ptr<Module> M;
  if (CUresult R = makeModule(Ctx, Texts, Bindings, M, Log))
    return R;
  Handle = Driver::get().Handles.insert<CUmodule>(std::move(M));
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  Ctx->Modules.insert(Handle);
  return CUDA_SUCCESS;
}

namespace {

CUresult findModule(CUmodule Handle, std::shared_ptr<Module> &M) {
  if (CUresult R = checkInitialised())
    return R;
  M = Driver::get().Handles.find<Module>(Handle);
  return M ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// The handle of the module's kernel \p Name, which is \p K of \p Owner
/// unless it has one already.
CUfunction addFunction(CUmodule Handle, Module &M, const std::string &Name,
                       const std::shared_ptr<Module> &Owner,
                       const gpu::Kernel &K) {
  std::lock_guard<std::mutex> Guard(M.Lock);
  CUfunction &F = M.Functions[Name];
  if (!F) {
    auto New = std::make_shared<Function>();
    New->Owner = Owner;
    New->OwnerHandle = Handle;
    New->Code = &K;
    New->Handle = F = Driver::get().Handles.insert<CUfunction>(New);
  }
  return F;
}

/// Whether launches of one kernel can be launches of the other: they pass as
/// many arguments as the program's kernel has, without a word on how many.
bool haveSameParams(const gpu::Kernel &A, const gpu::Kernel &B) {
  return std::equal(A.params().begin(), A.params().end(), B.params().begin(),
                    B.params().end(),
                    [](const gpu::KernelParam &P, const gpu::KernelParam &Q) {
                      return P.Offset == Q.Offset && P.Size == Q.Size;
                    });
}

/// The files whose kernels are for \p M: those that were made from it, or all
/// if none is known to be.
std::vector<std::string> filesFor(const Module &M) {
  std::vector<std::string> All, Own;
  for (const SubstituteFile &File : substituteFiles()) {
    All.push_back(File.Name);
    if (File.Original.empty() || M.Texts.size() != 1)
      continue;
    std::optional<std::string> Text = substituteText(File.Original);
    if (Text && gpu::ptx::isSameCode(*Text, M.Texts[0]))
      Own.push_back(File.Name);
  }
  return Own.empty() ? All : Own;
}

/// Puts kernels of GEVO_SUBSTITUTE in the place of the module's. They use the
/// module's variables.
CUresult substituteKernels(CUmodule Handle, std::string &Log) {
  auto M = Driver::get().Handles.find<Module>(Handle);
  gpu::VariableBindings Shared;
  for (const gpu::ModuleVariable &V : M->Loaded->variables())
    if (V.IsNamed)
      Shared[V.Name] = V.Address;
  for (const std::string &File : filesFor(*M)) {
    std::optional<std::string> Text = substituteText(File);
    std::shared_ptr<Module> Other;
    CUresult R = CUDA_ERROR_FILE_NOT_FOUND;
    std::string Why;
    if (Text)
      R = makeModule(M->Ctx, {*Text}, Shared, Other, Why);
    if (R) {
      Log = "cannot load '" + File + "', which is to be substituted" +
            (Why.empty() ? "" : ": " + Why);
      gevoGpuNote("problem", Log.c_str());
      return R;
    }
    for (const auto &K : Other->Loaded->kernels()) {
      const gpu::Kernel *Program = M->Loaded->kernel(K->name());
      if (!Program)
        continue;
      if (!haveSameParams(*Program, *K)) {
        Log = "cannot load '" + File +
              "', which is to be substituted: " + K->name() +
              " has other parameters than the program's";
        gevoGpuNote("problem", Log.c_str());
        return CUDA_ERROR_INVALID_IMAGE;
      }
      addFunction(Handle, *M, K->name(), Other, *K);
      gevoGpuNote("substituted", (File + "\n" + K->name()).c_str());
    }
  }
  return CUDA_SUCCESS;
}

} // namespace

CUresult gevo::driver::checkSubstitutes(std::string &Log) {
  for (const auto &[File, Original] : substituteFiles()) {
    std::optional<std::string> Text = substituteText(File);
    std::string Why;
    if (Text) {
      auto Parsed = gpu::ptx::parseModule(*Text);
      if (!Parsed)
        Why = ": PTX " + Parsed.error().str();
    }
    if (Text && Why.empty())
      continue;
    Log = "cannot load '" + File + "', which is to be substituted" + Why;
    gevoGpuNote("problem", Log.c_str());
    return Text ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_FILE_NOT_FOUND;
  }
  return CUDA_SUCCESS;
}

CUresult gevo::driver::loadProgramsModule(const std::shared_ptr<Context> &Ctx,
                                          const std::vector<std::string> &Texts,
                                          gpu::VariableBindings Bindings,
                                          CUmodule &Handle, std::string &Log) {
  CUresult R = loadModule(Ctx, Texts, std::move(Bindings), Handle, Log);
  if (!R && (R = substituteKernels(Handle, Log)))
    cuda::cuModuleUnload(Handle);
  return R;
}

namespace {

CUresult loadImage(CUmodule *Handle, const void *Image,
                   const JitOptions &Options) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Handle || !Image)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = Options.check())
    return R;
  return guarded([&] {
    std::vector<std::string> Texts;
    std::string Log;
    CUresult R =
        readImage(Image, Ctx->Owner.Properties.Config.SmArch, Texts, Log);
    if (!R)
      R = loadProgramsModule(Ctx, Texts, {}, *Handle, Log);
    if (R)
      Options.reportError(Log);
    else
      Options.reportSuccess(Log);
    return R;
  });
}

} // namespace

namespace gevo::cuda {

CUresult cuModuleLoad(CUmodule *Handle, const char *File) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Handle || !File)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    JitOptions None(0, nullptr, nullptr);
    std::vector<std::string> Texts;
    std::string Log;
    CUresult R =
        readImageFile(File, Ctx->Owner.Properties.Config.SmArch, Texts, Log);
    if (!R)
      R = loadProgramsModule(Ctx, Texts, {}, *Handle, Log);
    if (R)
      None.reportError(Log);
    return R;
  });
}

CUresult cuModuleLoadData(CUmodule *Handle, const void *Image) {
  return loadImage(Handle, Image, JitOptions(0, nullptr, nullptr));
}

CUresult cuModuleLoadDataEx(CUmodule *Handle, const void *Image, unsigned Count,
                            CUjit_option *Options, void **Values) {
  return loadImage(Handle, Image, JitOptions(Count, Options, Values));
}

CUresult cuModuleLoadFatBinary(CUmodule *Handle, const void *Image) {
  return loadImage(Handle, Image, JitOptions(0, nullptr, nullptr));
}

CUresult cuModuleUnload(CUmodule Handle) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  auto M = Driver::get().Handles.erase<Module>(Handle);
  if (!M)
    return CUDA_ERROR_INVALID_HANDLE;
  {
    std::lock_guard<std::mutex> Guard(M->Ctx->Lock);
    M->Ctx->Modules.erase(Handle);
  }
  std::lock_guard<std::mutex> Guard(M->Lock);
  for (auto &[Name, F] : M->Functions)
    Driver::get().Handles.erase<Function>(F);
  M->Functions.clear();
  return Ctx->Sticky;
}

CUresult cuModuleGetFunction(CUfunction *Handle, CUmodule ModuleHandle,
                             const char *Name) {
  std::shared_ptr<Module> M;
  if (!Handle || !Name)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findModule(ModuleHandle, M))
    return R;
  const gpu::Kernel *K = M->Loaded->kernel(Name);
  if (!K)
    return CUDA_ERROR_NOT_FOUND;
  return guarded([&] {
    *Handle = addFunction(ModuleHandle, *M, Name, M, *K);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunctionCount(unsigned *Count, CUmodule ModuleHandle) {
  std::shared_ptr<Module> M;
  if (!Count)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findModule(ModuleHandle, M))
    return R;
  *Count = unsigned(M->Loaded->kernels().size());
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *Handles, unsigned Count,
                                    CUmodule ModuleHandle) {
  std::shared_ptr<Module> M;
  if (!Handles)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findModule(ModuleHandle, M))
    return R;
  return guarded([&] {
    const auto &Kernels = M->Loaded->kernels();
    for (unsigned I = 0; I < Count && I < Kernels.size(); ++I)
      Handles[I] =
          addFunction(ModuleHandle, *M, Kernels[I]->name(), M, *Kernels[I]);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *Address, size_t *Bytes,
                              CUmodule ModuleHandle, const char *Name) {
  std::shared_ptr<Module> M;
  if (!Name || (!Address && !Bytes))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findModule(ModuleHandle, M))
    return R;
  const gpu::ModuleVariable *V = M->Loaded->variable(Name);
  if (!V)
    return CUDA_ERROR_NOT_FOUND;
  if (Address)
    *Address = V->Address;
  if (Bytes)
    *Bytes = size_t(V->Bytes);
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
