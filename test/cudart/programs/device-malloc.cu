// malloc and free in kernels, with memory that lives from launch to launch.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
__global__ void grow(int **lists, int n) {
  int i = threadIdx.x;
  int *list = (int *)malloc((i + 1) * sizeof(int));
  for (int k = 0; k <= i; ++k)
    list[k] = k;
  lists[i] = list;
}

__global__ void sum(int **lists, int *out) {
  int i = threadIdx.x, total = 0;
  for (int k = 0; k <= i; ++k)
    total += lists[i][k];
  out[i] = total;
  free(lists[i]);
}

int main() {
  int **lists, *out, got[32], want[32];
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  size_t limit;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  EXPECT(limit >= 1 << 20);
  CHECK(cudaMalloc(&lists, 32 * sizeof(int *)));
  CHECK(cudaMalloc(&out, 32 * sizeof(int)));
  grow<<<1, 32>>>(lists, 32);
  sum<<<1, 32>>>(lists, out);
  CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    want[i] = i * (i + 1) / 2;
  return compare(got, want, 32);
}
