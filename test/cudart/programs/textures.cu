// Textures and arrays are refused politely: an error that can be checked, and
// one note for each function.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run -- %t 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: not gevo-run --missing -- %t 2>&1 | FileCheck %s --check-prefix=MISSING
// CHECK: ok
// ERR: gevo-cudart: note: cudaMallocArray is not supported
// ERR-NOT: note: cudaMallocArray
// ERR: gevo-cudart: note: cudaCreateTextureObject is not supported
// ERR: gevo-cudart: note: cudaIpcGetMemHandle is not supported
// ERR: gevo-run: not supported: cudaCreateTextureObject
// MISSING: cudaCreateTextureObject
// MISSING: cudaIpcGetMemHandle
// MISSING: cudaMallocArray
// MISSING: needs 3 functions that are missing

#include "Inputs/check.h"
int main() {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT(format.x == 32 && format.f == cudaChannelFormatKindFloat);
  EXPECT(cudaMallocArray(&array, &format, 16, 16) == cudaErrorNotSupported);
  EXPECT(cudaMallocArray(&array, &format, 16, 16) == cudaErrorNotSupported);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  cudaTextureObject_t texture;
  cudaResourceDesc resource = {};
  cudaTextureDesc description = {};
  EXPECT(cudaCreateTextureObject(&texture, &resource, &description, nullptr) ==
         cudaErrorNotSupported);
  cudaIpcMemHandle_t handle;
  EXPECT(cudaIpcGetMemHandle(&handle, &handle) == cudaErrorNotSupported);
  std::puts("ok");
}
