// cudaLaunchKernelEx, and launches by pointer with arguments in an array.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
__global__ void store(int *out, int a, double b, char c) {
  out[blockIdx.x] = a + int(b) + c;
}

int main() {
  int *data, a = 1;
  double b = 20;
  char c = 100;
  CHECK(cudaMalloc(&data, 4 * sizeof(int)));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(1);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, store, data, a, b, c));
  int *rest = data + 2;
  void *arguments[] = {&rest, &a, &b, &c};
  CHECK(cudaLaunchKernel((void *)store, dim3(2), dim3(1), arguments, 0, 0));
  int got[4], want[4] = {121, 121, 121, 121};
  CHECK(cudaMemcpy(got, data, sizeof(got), cudaMemcpyDeviceToHost));
  EXPECT(cudaLaunchKernel((void *)store, dim3(1), dim3(2000), arguments, 0, 0) ==
         cudaErrorInvalidConfiguration);
  EXPECT(cudaLaunchKernel((void *)main, dim3(1), dim3(1), arguments, 0, 0) ==
         cudaErrorInvalidDeviceFunction);
  return compare(got, want, 4);
}
