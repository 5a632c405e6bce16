// A process that ends without ado, as forked ones do, has captured all the same,
// and its launches count.
// REQUIRES: cuda-link
// RUN: rm -rf %t && mkdir %t && %cuda_program %s -o %t/app
// RUN: gevo-run --time=off --capture=%t/c -- %t/app 2>&1 | FileCheck %s
// CHECK: captured 1 of 16 launches of {{.*}}add
// RUN: gevo-run --time=off --replay=%t/c | FileCheck %s --check-prefix=REPLAY
// REPLAY: add{{.*}} 16 {{.*}}passed

#include <cuda_runtime.h>
#include <unistd.h>

__global__ void add(int *Sum) { *Sum += 1; }

int main() {
  int *Sum, Got = 0;
  cudaMalloc(&Sum, sizeof(int));
  cudaMemset(Sum, 0, sizeof(int));
  for (int K = 0; K < 16; ++K)
    add<<<1, 1>>>(Sum);
  cudaMemcpy(&Got, Sum, sizeof(int), cudaMemcpyDeviceToHost);
  _exit(Got == 16 ? 0 : 1);
}
