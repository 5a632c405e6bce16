// A debug build of a kernel with an assertion, as docs/howto/build-systems.md
// has it; with all debug information in the PTX, clang 19 and ptxas disagree.
// REQUIRES: plugin, cuda-link
// RUN: gevo-clang++ -O0 -g -Xarch_device -gline-tables-only %s -o %t
// RUN: gevo-run --check --profile -- %t 2>&1 | FileCheck %s
// CHECK: sum 28
// CHECK: debug-build.cu:[[#@LINE+6]]

#include <cassert>
#include <cstdio>
__global__ void add(int *Sum) {
  assert(threadIdx.x < 8);
  atomicAdd(Sum, threadIdx.x);
}

int main() {
  int *Sum, Got = 0;
  cudaMalloc(&Sum, sizeof(int));
  cudaMemset(Sum, 0, sizeof(int));
  add<<<1, 8>>>(Sum);
  cudaMemcpy(&Got, Sum, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("sum %d\n", Got);
  return 0;
}
