//===- KernelLoader.h - Kernels of a module ---------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds what a kernel can call, lays out its parameters and shared memory and
// decodes it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_KERNELLOADER_H
#define GEVO_RUNTIME_GPU_EXEC_KERNELLOADER_H

#include "runtime/gpu/exec/Decode.h"
#include "runtime/gpu/exec/Device.h"

namespace gevo::gpu {

/// Calls \p Do for each symbol that an instruction of \p F mentions.
template <typename Fn> void forSymbols(const ptx::Function &F, Fn Do) {
  for (const ptx::Operand &O : F.Operands)
    if (O.Kind == ptx::OperandKind::Symbol ||
        (O.Kind == ptx::OperandKind::Address &&
         O.Base == ptx::AddressBase::Symbol))
      Do(O.Index);
}

/// Makes kernels of a module whose variables have their places; a friend of the
/// classes it fills.
struct KernelLoader {
  KernelLoader(const DeviceConfig &Config, const LoadedModule &Owner)
      : Config(Config), Owner(Owner) {}

  /// The kernel that is function \p Function of the module.
  Result<std::unique_ptr<Kernel>> load(uint32_t Function);
  /// \p K with other code for its functions, in their order.
  Result<std::unique_ptr<Kernel>> replace(const Kernel &K,
                                          std::vector<ptx::Function> Code);

private:
  const ptx::Module &module() const { return Owner.source(); }
  Result<std::unique_ptr<Kernel>> make(std::unique_ptr<Kernel> K);
  std::vector<uint32_t> reachable(uint32_t Root) const;
  bool layOutShared(const Kernel &K, DecodeContext &X, Diagnostic &Error) const;
  void layOutParams(Kernel &K, DecodeContext &X) const;
  bool decodeAll(const Kernel &K, DecodeContext &X, Diagnostic &Error) const;
  void measureStack(KernelCode &Code) const;
  void fillAttributes(Kernel &K) const;

  const DeviceConfig &Config;
  const LoadedModule &Owner;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_KERNELLOADER_H
