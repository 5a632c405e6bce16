//===- Decode.h - From parsed to executable instructions --------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes the functions of one kernel. Addresses of variables must be known, so
// this runs when a module is loaded on a device.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_DECODE_H
#define GEVO_RUNTIME_GPU_EXEC_DECODE_H

#include "runtime/gpu/exec/Code.h"
#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/ptx/Result.h"

#include <unordered_map>

namespace gevo::gpu {

/// What decoding needs to know beyond the function itself.
struct DecodeContext {
  const ptx::Module *M = nullptr;
  /// By symbol: address of .global and .const variables.
  const std::vector<uint64_t> *Addresses = nullptr;
  /// By symbol: offset of .shared variables of this kernel.
  std::unordered_map<uint32_t, uint32_t> Shared;
  /// By symbol: offset of kernel parameters.
  std::unordered_map<uint32_t, uint32_t> KernelParams;
  /// By function index of the module: index in KernelCode.
  std::unordered_map<uint32_t, uint32_t> Functions;
  KernelCode *Kernel = nullptr;
};

/// Decodes \p F. The Diagnostic's place is that of the offending instruction.
Result<std::unique_ptr<Code>> decodeFunction(const ptx::Function &F,
                                             DecodeContext &Context);

/// Marks the loops of \p C that poll and what they read (see Polling.h).
void markPollLoops(Code &C, const ptx::Cfg &Graph);
/// Marks what writes memory, if any function polls.
void markPollWrites(KernelCode &K);

/// Makes room for \p Bytes at \p Align; returns the offset. Saturates instead
/// of wrapping around.
uint32_t layOut(uint32_t &Cursor, uint64_t Bytes, uint32_t Align);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_DECODE_H
