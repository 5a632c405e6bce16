//===- Registry.h - Device code and its host symbols ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program's start-up code registers: one module for each fat binary,
// with the kernels and variables that host addresses stand for. A module is
// loaded into the driver when something of it is first used, and that is where
// other PTX can take its place (Substitution.h).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_REGISTRY_H
#define GEVO_RUNTIME_CUDART_REGISTRY_H

#include "runtime/cudart/Runtime.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gevo::cudart {

struct Module;

struct Kernel {
  Module *Owner = nullptr;
  const void *Host = nullptr;
  std::string Name;
  CUkernel Handle = nullptr; ///< Once the module is loaded.

  /// The function in a context, until the next reset of a device.
  struct Placed {
    CUcontext Context;
    unsigned Resets;
    CUfunction Function;
  };
  /// What the last launch found. Who reads it needs no lock: rows are complete
  /// before they are seen, and never change or go.
  std::atomic<const Placed *> Last{nullptr};
  std::mutex Lock; ///< For the rows.
  std::vector<std::unique_ptr<const Placed>> Rows;
};

struct Variable {
  Module *Owner = nullptr;
  const void *Host = nullptr;
  std::string Name;
  size_t Bytes = 0;
  /// Of a managed variable: the host's pointer to it.
  void **ManagedPointer = nullptr;
};

struct Module {
  void *Image = nullptr; ///< The handle that the program has is our address.
  std::vector<std::unique_ptr<Kernel>> Kernels;
  std::vector<std::unique_ptr<Variable>> Variables;

  std::mutex Lock; ///< For what follows.
  bool IsLoaded = false;
  cudaError_t LoadError = cudaSuccess;
  CUlibrary Original = nullptr;
  /// What stands in for it, if something does.
  std::vector<CUlibrary> Substitutes;
};

/// All that is registered. Thread-safe.
class Registry {
public:
  static Registry &get();

  Module *addModule(void *Image);
  void addKernel(Module &M, const void *Host, const char *Name);
  void addVariable(Module &M, const void *Host, const char *Name, size_t Bytes,
                   void **ManagedPointer);
  /// Forgets \p M and unloads it.
  void remove(Module &M);

  /// The kernel that \p Host stands for, in a loaded module.
  cudaError_t findKernel(const DriverTable &D, const void *Host, Kernel *&K);
  /// The function of the kernel that \p Host stands for, in the current
  /// context. \p Host may also be a handle given to addHandle().
  cudaError_t findFunction(const DriverTable &D, const void *Host,
                           CUfunction &F);
  /// The host symbol of the function \p F, or null.
  const void *hostOf(CUfunction F);
  /// Address and size of the variable that \p Host stands for, in the current
  /// context.
  cudaError_t findVariable(const DriverTable &D, const void *Host,
                           CUdeviceptr &Address, size_t &Bytes);
  /// Remembers that the program was given the handle \p H of a kernel or a
  /// function, which it may pass where a host symbol is asked for.
  void addHandle(const void *H);
  /// Gives managed variables of all modules their addresses.
  cudaError_t placeManaged(const DriverTable &D);

private:
  cudaError_t load(const DriverTable &D, Module &M);
  /// The managed variable at \p Address, or null. A program's name of one is
  /// the variable itself, not the pointer that was registered.
  Variable *managedAt(const void *Address);

  std::shared_mutex Lock;
  std::vector<std::unique_ptr<Module>> Modules;
  std::unordered_map<const void *, Kernel *> Kernels;
  std::unordered_map<const void *, Variable *> Variables;
  std::unordered_set<const void *> Handles;
};

} // namespace gevo::cudart

#endif // GEVO_RUNTIME_CUDART_REGISTRY_H
