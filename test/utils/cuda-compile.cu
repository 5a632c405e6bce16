// The CUDA tree compiles device and host code for two architectures, with
// cooperative groups, random numbers and thrust, and links the shared runtime.

// REQUIRES: cuda-link
// RUN: %clangxx_cuda --cuda-gpu-arch=sm_70 --cuda-gpu-arch=sm_80 -O2 %s -o %t %cuda_libs
// RUN: llvm-readelf -d -S %t | FileCheck %s
// CHECK: .nv_fatbin
// CHECK: NEEDED{{.*}}libcudart.so.12

#include <cooperative_groups.h>
#include <curand_kernel.h>
#include <thrust/transform_reduce.h>

__global__ void scale(int N, float A, float *X) {
  auto Block = cooperative_groups::this_thread_block();
  curandState State;
  curand_init(1, threadIdx.x, 0, &State);
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Block.sync();
  if (I < N)
    X[I] *= A + curand_uniform(&State);
}

int main() {
  float *X;
  if (cudaMalloc(&X, 128) != cudaSuccess)
    return 1;
  scale<<<1, 32>>>(32, 2.0f, X);
  return cudaDeviceSynchronize() != cudaSuccess;
}
