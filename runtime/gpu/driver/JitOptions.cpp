//===- JitOptions.cpp - Options of a module load --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/JitOptions.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace gevo::cuda;
using namespace gevo::driver;

CUresult JitOptions::check() const {
  if (Count && (!Options || !Values))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned I = 0; I < Count; ++I)
    if (Options[I] < 0 || Options[I] >= CU_JIT_NUM_OPTIONS)
      return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

void **JitOptions::value(CUjit_option Option) const {
  for (unsigned I = 0; I < Count; ++I)
    if (Options[I] == Option)
      return &Values[I];
  return nullptr;
}

bool JitOptions::fillLog(CUjit_option Buffer, CUjit_option Size,
                         const std::string &Text) const {
  void **Into = value(Buffer), **Room = value(Size);
  if (!Into || !Room)
    return false;
  // The size is an unsigned that travels in a pointer, in both directions.
  size_t Bytes = unsigned(reinterpret_cast<uintptr_t>(*Room));
  if (!*Into || !Bytes)
    return false;
  size_t Used = std::min(Bytes - 1, Text.size());
  std::memcpy(*Into, Text.data(), Used);
  static_cast<char *>(*Into)[Used] = 0;
  *Room = reinterpret_cast<void *>(uintptr_t(Text.empty() ? 0 : Used + 1));
  return true;
}

void JitOptions::reportError(const std::string &Text) const {
  fillLog(CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, "");
  if (!fillLog(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
               Text))
    std::fprintf(stderr, "gevo-gpu: error: %s\n", Text.c_str());
}

void JitOptions::reportSuccess(const std::string &Notes) const {
  fillLog(CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, Notes);
  fillLog(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, "");
}
