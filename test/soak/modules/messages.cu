// printf and assert on the device, and an early trap.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O2 --cuda-gpu-arch=sm_70
// FLAGS: -O1 -g --cuda-gpu-arch=sm_80

#include <cassert>
#include <cstdio>

__global__ void check(const int *in, int n, const char *label) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  assert(in[i] >= 0 && "no negative input");
  if (in[i] > 1000) {
    printf("%s: element %d is %d (%f of the limit)\n", label, i, in[i],
           in[i] / 1000.0);
    if (in[i] > 1000000)
      __trap();
  }
  long long since = clock64();
  if (threadIdx.x == 0)
    printf("block %d at %lld\n", blockIdx.x, since);
}
