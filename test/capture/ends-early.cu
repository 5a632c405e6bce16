// A process that ends without ado, as forked ones do, has captured all the same,
// and its launches count. That some may not is said when it is captured and when
// it is replayed.
// REQUIRES: cuda-link
// RUN: rm -rf %t && mkdir %t && %cuda_program %s -o %t/app
// RUN: gevo-run --time=off --capture=%t/c -- %t/app 2>&1 | FileCheck %s
// CHECK: warning: '{{.*}}/c' is of a program that did not come to its end
// CHECK: captured 1 of 16 launches of {{.*}}add
// RUN: gevo-run --time=off --replay=%t/c 2>&1 | FileCheck %s --check-prefix=REPLAY
// REPLAY: gevo-run: warning: '{{.*}}/c' is of a program that did not come to its end while it was captured
// REPLAY: add{{.*}} 16 {{.*}}passed

// RUN: gevo-run --time=off --capture=%t/d -- %t/app returns 2>&1 | FileCheck %s --check-prefix=ENDED --implicit-check-not=warning
// ENDED: captured 1 of 16
// RUN: gevo-run --time=off --replay=%t/d 2>&1 | FileCheck %s --check-prefix=WHOLE --implicit-check-not=warning
// WHOLE: passed

#include <cuda_runtime.h>
#include <unistd.h>

__global__ void add(int *Sum) { *Sum += 1; }

int main(int Count, char **) {
  int *Sum, Got = 0;
  cudaMalloc(&Sum, sizeof(int));
  cudaMemset(Sum, 0, sizeof(int));
  for (int K = 0; K < 16; ++K)
    add<<<1, 1>>>(Sum);
  cudaMemcpy(&Got, Sum, sizeof(int), cudaMemcpyDeviceToHost);
  if (Count > 1)
    return Got == 16 ? 0 : 1;
  _exit(Got == 16 ? 0 : 1);
}
