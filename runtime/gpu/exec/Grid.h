//===- Grid.h - State shared by the blocks of a launch ----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Grid per launch: what is launched, how, and what came of it so far.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_GRID_H
#define GEVO_RUNTIME_GPU_EXEC_GRID_H

#include "runtime/gpu/exec/Code.h"
#include "runtime/gpu/exec/Device.h"

#include <cstdio>
#include <map>
#include <tuple>

namespace gevo::gpu {

class RaceDetector;
class Recorder;

struct Grid {
  Grid(Device &D, const Kernel &K, const KernelCode &Code, GlobalMemory &Memory,
       const LaunchOptions &O);
  ~Grid();

  /// Adds a finding, or counts it if the same instructions reported it
  /// before. \p Key tells instructions apart.
  void addFinding(Finding F, uint64_t Key, uint64_t OtherKey = 0);
  /// Counts a finding that was added before; false if it was not.
  bool countFinding(FindingKind K, uint64_t Key, uint64_t OtherKey);
  /// Ends the launch; the first call decides how.
  void stop(LaunchStatus S, std::string Message);
  bool stopped() const { return Result.Status != LaunchStatus::Ok; }
  bool checks(CheckFamily F) const { return Options.Checks.has(F); }
  /// Block coordinates of a linear index.
  Dim3 blockAt(uint64_t Index) const;
  CodePlace place(uint32_t Function, uint32_t Pc) const;
  /// Does the load there only copy?
  bool copies(uint32_t Function, uint32_t Pc);
  /// Finding::Memory of what is at \p Address of global memory, or nearest to
  /// it, and of \p Offset of a block's shared memory.
  std::string globalName(uint64_t Address) const;
  std::string sharedName(uint64_t Offset) const;
  /// Traces is there from now on.
  void makeTraces();
  /// To LaunchOptions::Printf; if there is none, to \p To.
  void print(std::string_view Text, std::FILE *To);

  Device &Owner;
  const Kernel &What;
  const KernelCode &Code;
  GlobalMemory &Memory;
  LaunchOptions Options;
  std::vector<char> Params;
  LaunchResult Result;
  uint64_t Steps = 0;
  uint64_t Waiting = 0;     ///< Warps that polled in vain.
  uint64_t StepsBefore = 0; ///< Of the device's earlier launches.
  bool Independent = true;  ///< sm_70 and later: lanes may wait for each other.
  /// Lanes of a warp run in step: before sm_70, and on later GPUs in code for
  /// earlier ones, which chooses that by being so.
  bool InStep = false;
  std::unique_ptr<RaceDetector> Races; ///< Null: not checked.
  std::unique_ptr<Recorder> Traces;    ///< Null: nothing is traced.
  bool CheckUninit = false;
  bool CheckStack = false;  ///< Accesses to local memory that is no variable.
  uint64_t Workspace = 0;   ///< Of the grid barrier; cooperative launches only.
  uint32_t SharedBytes = 0; ///< Static and dynamic.
  uint32_t LocalBytes = 0;  ///< Per thread.

private:
  std::map<uint32_t, std::vector<bool>> OnlyStored; ///< See copies().
  std::map<std::tuple<FindingKind, uint64_t, uint64_t>, size_t> Known;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_GRID_H
