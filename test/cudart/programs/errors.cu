// Errors stay with the thread until they are asked for, and have names; wrong
// arguments are told apart.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: not gevo-run -- %t > %t.out 2>%t.err
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// CHECK: ok
// ERR: error: store(int*): global write of 4 bytes at 0x10 {{.*}} (block 0,0,0, thread 0,0,0, PTX line {{[0-9]+}})

#include "Inputs/check.h"
#include <cstring>

__global__ void store(int *data) { data[threadIdx.x] = 1; }

int main() {
  EXPECT(cudaMalloc((void **)nullptr, 4) == cudaErrorInvalidValue);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);
  int host[4];
  int *data;
  CHECK(cudaMalloc(&data, sizeof(host)));
  EXPECT(cudaMemcpy(data, host, 2 * sizeof(host), cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(data, host, 4, (cudaMemcpyKind)9) ==
         cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaStreamSynchronize((cudaStream_t)host) ==
         cudaErrorInvalidResourceHandle);
  EXPECT(cudaMalloc(&data, size_t(1) << 60) == cudaErrorMemoryAllocation);
  store<<<0, 1>>>(data);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(!std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation),
                      "cudaErrorMemoryAllocation"));
  EXPECT(!std::strcmp(cudaGetErrorString(cudaSuccess), "no error"));
  EXPECT(cudaFree(nullptr) == cudaSuccess);
  store<<<1, 1>>>((int *)16);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  EXPECT(cudaFree(data) == cudaErrorIllegalAddress);
  std::puts("ok");
  return 3;
}
