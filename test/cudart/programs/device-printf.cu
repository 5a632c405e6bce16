// What kernels print is on the program's standard output, in the order of
// blocks.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: before
// CHECK-NEXT: block 0 thread 0: text 0.00
// CHECK-NEXT: block 0 thread 1: text 1.50
// CHECK-NEXT: block 1 thread 0: text 0.00
// CHECK-NEXT: block 1 thread 1: text 1.50
// CHECK-NEXT: after

#include "Inputs/check.h"
__global__ void hello(const char *what) {
  printf("block %d thread %d: %s %5.2f\n", blockIdx.x, threadIdx.x, "text",
         1.5 * threadIdx.x);
}

int main() {
  std::printf("before\n");
  std::fflush(stdout);
  hello<<<2, 2>>>(nullptr);
  CHECK(cudaDeviceSynchronize());
  std::printf("after\n");
}
