//===- Symbols.cpp - Variables by their host symbols ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Registry.h"

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// Calls \p Copy(address of the byte \p Offset of the variable).
template <typename Fn>
cudaError_t withSymbol(const void *Symbol, size_t Bytes, size_t Offset,
                       Fn &&Copy) {
  CUdeviceptr At = 0;
  cudaError_t E = call([&](const DriverTable &D) {
    size_t Size;
    if (cudaError_t Wrong = Registry::get().findVariable(D, Symbol, At, Size))
      return Wrong;
    return Offset > Size || Bytes > Size - Offset ? cudaErrorInvalidValue
                                                  : cudaSuccess;
  });
  return E ? E : Copy(reinterpret_cast<char *>(At) + Offset);
}

} // namespace

namespace gevo::cudart {

cudaError_t cudaGetSymbolAddress(void **Pointer, const void *Symbol) {
  if (!Pointer)
    return keepError(cudaErrorInvalidValue);
  return withSymbol(Symbol, 0, 0, [&](void *At) {
    *Pointer = At;
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t *Bytes, const void *Symbol) {
  if (!Bytes)
    return keepError(cudaErrorInvalidValue);
  return call([&](const DriverTable &D) {
    CUdeviceptr At;
    return Registry::get().findVariable(D, Symbol, At, *Bytes);
  });
}

cudaError_t cudaMemcpyToSymbol(const void *Symbol, const void *From,
                               size_t Bytes, size_t Offset,
                               cudaMemcpyKind Kind) {
  return withSymbol(Symbol, Bytes, Offset, [&](void *At) {
    return cudaMemcpy(At, From, Bytes, Kind);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void *Symbol, const void *From,
                                    size_t Bytes, size_t Offset,
                                    cudaMemcpyKind Kind, cudaStream_t Stream) {
  return withSymbol(Symbol, Bytes, Offset, [&](void *At) {
    return cudaMemcpyAsync(At, From, Bytes, Kind, Stream);
  });
}

cudaError_t cudaMemcpyFromSymbol(void *To, const void *Symbol, size_t Bytes,
                                 size_t Offset, cudaMemcpyKind Kind) {
  return withSymbol(Symbol, Bytes, Offset,
                    [&](void *At) { return cudaMemcpy(To, At, Bytes, Kind); });
}

cudaError_t cudaMemcpyFromSymbolAsync(void *To, const void *Symbol,
                                      size_t Bytes, size_t Offset,
                                      cudaMemcpyKind Kind,
                                      cudaStream_t Stream) {
  return withSymbol(Symbol, Bytes, Offset, [&](void *At) {
    return cudaMemcpyAsync(To, At, Bytes, Kind, Stream);
  });
}

} // namespace gevo::cudart
