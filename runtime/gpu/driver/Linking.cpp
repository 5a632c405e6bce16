//===- Linking.cpp - Linking of PTX in the driver API ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"
#include "runtime/gpu/driver/Image.h"
#include "runtime/gpu/driver/JitOptions.h"
#include "runtime/gpu/ptx/Parser.h"

#include <cstring>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// Adds \p Texts, which come from \p Name, to the state \p Handle.
CUresult addTexts(CUlinkState Handle, const std::vector<std::string> &Texts,
                  const char *Name, const JitOptions &Options) {
  auto State = Driver::get().Handles.find<LinkState>(Handle);
  if (!State)
    return CUDA_ERROR_INVALID_HANDLE;
  for (const std::string &Text : Texts) {
    // A text that does not parse is the business of this call, not of the one
    // that loads the result.
    if (auto Parsed = gpu::ptx::parseModule(Text); !Parsed) {
      Options.reportError(std::string(Name ? Name : "PTX") + " " +
                          Parsed.error().str());
      return CUDA_ERROR_INVALID_PTX;
    }
    State->Texts.push_back(Text);
  }
  return CUDA_SUCCESS;
}

/// Why \p Texts are no whole program; empty if they are.
std::string linkError(const std::vector<std::string> &Texts) {
  auto Whole = gpu::ptx::linkTexts(Texts);
  if (!Whole)
    return "link " + Whole.error().str();
  std::string Why;
  for (const std::string &Name : gpu::ptx::undefinedNames(**Whole))
    Why += (Why.empty() ? "" : "\n") + ("undefined reference to '" + Name) +
           "'; add the module that defines it";
  return Why;
}

bool isTakenInput(CUjitInputType Type) {
  return Type == CU_JIT_INPUT_PTX || Type == CU_JIT_INPUT_FATBINARY;
}

} // namespace

namespace gevo::cuda {

CUresult cuLinkCreate_v2(unsigned Count, CUjit_option *Options, void **Values,
                         CUlinkState *Handle) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Handle)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = JitOptions(Count, Options, Values).check())
    return R;
  return guarded([&] {
    auto State = std::make_shared<LinkState>();
    if (Count)
      State->Options.assign(Options, Options + Count);
    State->Values = Values;
    *Handle = Driver::get().Handles.insert<CUlinkState>(std::move(State));
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkAddData_v2(CUlinkState Handle, CUjitInputType Type, void *Data,
                          size_t Size, const char *Name, unsigned Count,
                          CUjit_option *Options, void **Values) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  JitOptions Jit(Count, Options, Values);
  if (CUresult R = Jit.check())
    return R;
  if (!Data || !Size)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isTakenInput(Type))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  return guarded([&] {
    std::vector<std::string> Texts;
    std::string Log;
    if (Type == CU_JIT_INPUT_PTX) {
      const char *Text = static_cast<const char *>(Data);
      Texts.emplace_back(Text, strnlen(Text, Size));
    } else if (CUresult R = readImage(Data, Ctx->Owner.Properties.Config.SmArch,
                                      Texts, Log)) {
      Jit.reportError(Log);
      return R;
    }
    return addTexts(Handle, Texts, Name, Jit);
  });
}

CUresult cuLinkAddFile_v2(CUlinkState Handle, CUjitInputType Type,
                          const char *File, unsigned Count,
                          CUjit_option *Options, void **Values) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  JitOptions Jit(Count, Options, Values);
  if (CUresult R = Jit.check())
    return R;
  if (!File)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isTakenInput(Type))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  return guarded([&] {
    std::vector<std::string> Texts;
    std::string Log;
    if (CUresult R = readImageFile(File, Ctx->Owner.Properties.Config.SmArch,
                                   Texts, Log)) {
      Jit.reportError(Log);
      return R;
    }
    return addTexts(Handle, Texts, File, Jit);
  });
}

CUresult cuLinkComplete(CUlinkState Handle, void **Image, size_t *Size) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  auto State = Driver::get().Handles.find<LinkState>(Handle);
  if (!State)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!Image || State->Texts.empty())
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    JitOptions Jit(unsigned(State->Options.size()), State->Options.data(),
                   State->Values);
    if (std::string Why = linkError(State->Texts); !Why.empty()) {
      Jit.reportError(Why);
      // What programs of NVIDIA's driver see, too.
      return CUDA_ERROR_UNKNOWN;
    }
    Jit.reportSuccess();
    State->Image = makeLinkedImage(State->Texts);
    *Image = State->Image.data();
    if (Size)
      *Size = State->Image.size();
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkDestroy(CUlinkState Handle) {
  if (CUresult R = checkInitialised())
    return R;
  return Driver::get().Handles.erase<LinkState>(Handle)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace gevo::cuda
