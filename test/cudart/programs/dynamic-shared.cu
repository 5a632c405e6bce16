// Dynamic shared memory, up to what has to be asked for first.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__global__ void reverse(int *data, int n) {
  extern __shared__ int buffer[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    buffer[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = buffer[n - 1 - i];
}

int main() {
  const int n = 16000;
  std::vector<int> host(n), want(n);
  for (int i = 0; i < n; ++i) {
    host[i] = i * 3;
    want[n - 1 - i] = i * 3;
  }
  int *data;
  CHECK(cudaMalloc(&data, n * sizeof(int)));
  CHECK(cudaMemcpy(data, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  reverse<<<1, 256, n * sizeof(int)>>>(data, n);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             n * sizeof(int)));
  reverse<<<1, 256, n * sizeof(int)>>>(data, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
  return compare(host.data(), want.data(), n);
}
