// __reduce_add_sync and its kin reduce the value over the mask: clang 19's own
// header has the two the wrong way round. clang's built-in functions, which they
// call, keep their order in a program.
// REQUIRES: plugin, cuda-link
// RUN: gevo-clang++ -O1 -Wall -Werror --cuda-gpu-arch=sm_80 %s -o %t 2>&1 | count 0
// RUN: env GEVO_GPU=A100 gevo-run --check -- %t | FileCheck %s
// CHECK: add 528 136
// CHECK: unsigned 1 32
// CHECK: signed -30 1
// CHECK: bits 0 63 32
// CHECK: built-in 528

#include <cstdio>

__global__ void reduce(unsigned *U, int *S) {
  unsigned Mask = 0xffffffffu, Lane = threadIdx.x, V = Lane + 1;
  unsigned Half = Lane < 16 ? 0xffffu : 0xffff0000u;
  unsigned Add = __reduce_add_sync(Mask, V), Low = __reduce_add_sync(Half, V);
  unsigned Min = __reduce_min_sync(Mask, V), Max = __reduce_max_sync(Mask, V);
  int Least = __reduce_min_sync(Mask, 1 - int(Lane)),
      Most = __reduce_max_sync(Mask, 1 - int(Lane));
  unsigned And = __reduce_and_sync(Mask, V), Or = __reduce_or_sync(Mask, V);
  unsigned Xor = __reduce_xor_sync(Mask, V);
  int Direct = __nvvm_redux_sync_add(int(V), int(Mask));
  if (Lane)
    return;
  unsigned All[] = {Add, Low, Min, Max, And, Or, Xor};
  for (int K = 0; K < 7; ++K)
    U[K] = All[K];
  S[0] = Least;
  S[1] = Most;
  S[2] = Direct;
}

int main() {
  unsigned *Device, U[7];
  int *DeviceSigned, S[3];
  cudaMalloc(&Device, sizeof(U));
  cudaMalloc(&DeviceSigned, sizeof(S));
  reduce<<<1, 32>>>(Device, DeviceSigned);
  cudaMemcpy(U, Device, sizeof(U), cudaMemcpyDeviceToHost);
  cudaMemcpy(S, DeviceSigned, sizeof(S), cudaMemcpyDeviceToHost);
  std::printf("add %u %u\nunsigned %u %u\nsigned %d %d\nbits %u %u %u\n"
              "built-in %d\n",
              U[0], U[1], U[2], U[3], S[0], S[1], U[4], U[5], U[6], S[2]);
}
