// A process that ends without ado, as forked ones do, has captured all the same,
// and its launches count, as far as an index tells of them. What none tells of is
// said when it is captured and when it is replayed.
// REQUIRES: cuda-link
// RUN: rm -rf %t && mkdir %t && %cuda_program %s -o %t/app
// RUN: gevo-run --time=off --capture=%t/c -- %t/app 2>&1 | FileCheck %s
// CHECK-NOT: warning
// CHECK: captured 1 of 16 launches of {{.*}}add
// RUN: gevo-run --time=off --replay=%t/c 2>&1 | FileCheck %s --check-prefix=REPLAY --implicit-check-not=warning
// REPLAY: add{{.*}} 16 {{.*}}passed

// RUN: not gevo-run --time=off --capture=%t/d -- %t/app 21 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: warning: '{{.*}}/d' is of a program that was killed, or called _exit, while it was captured: 5 of its launches are in no weight
// CUT: captured 1 of 16
// RUN: gevo-run --time=off --replay=%t/d 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: warning: {{.*}}: 5 of its launches are in no weight
// AGAIN: passed

#include <cstdlib>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void add(int *Sum) { *Sum += 1; }

int main(int Argc, char **Argv) {
  int Launches = Argc > 1 ? std::atoi(Argv[1]) : 16;
  int *Sum, Got = 0;
  cudaMalloc(&Sum, sizeof(int));
  cudaMemset(Sum, 0, sizeof(int));
  for (int K = 0; K < Launches; ++K)
    add<<<1, 1>>>(Sum);
  cudaMemcpy(&Got, Sum, sizeof(int), cudaMemcpyDeviceToHost);
  _exit(Got == 16 ? 0 : 1);
}
