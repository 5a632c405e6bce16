// Kernels that are instances of templates, which clang keeps by an array of
// their addresses, in relocatable device code: the array stands before them.
// The linked text is one that ptxas takes, too.
// REQUIRES: plugin, cuda-link
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: echo '__device__ int twice(int X) { return 2 * X; }' > other.cu
// RUN: gevo-clang++ -O1 -fgpu-rdc -c other.cu -o other.o
// RUN: gevo-clang++ -O1 -fgpu-rdc -c %s -o main.o
// RUN: gevo-clang++ main.o other.o -o app
// RUN: gevo-run --check --capture=c -- ./app 2>&1 | FileCheck %s
// RUN: gevo-run --replay=c --extract=ptx
// RUN: %cuda_path/bin/ptxas -arch=sm_70 ptx/module-0.ptx -o linked.cubin
// CHECK: 21 33
// CHECK-NOT: error
#include <cstdio>
#include <cuda_runtime.h>

__device__ int twice(int);

template <typename T, int N>
__global__ void __launch_bounds__(64) add(T *Sum) {
  if (threadIdx.x < N)
    atomicAdd(Sum, T(twice(threadIdx.x)) + T(0.5));
}

int main() {
  int *Whole, A = 0;
  float *Real, B = 0;
  cudaMalloc(&Whole, sizeof(int));
  cudaMalloc(&Real, sizeof(float));
  cudaMemset(Whole, 1, 1);
  cudaMemset(Real, 0, sizeof(float));
  cudaMemset((char *)Whole + 1, 0, 3);
  add<int, 5><<<1, 64>>>(Whole);
  add<float, 6><<<1, 64>>>(Real);
  cudaMemcpy(&A, Whole, sizeof(A), cudaMemcpyDeviceToHost);
  cudaMemcpy(&B, Real, sizeof(B), cudaMemcpyDeviceToHost);
  std::printf("%d %g\n", A, double(B));
  return cudaDeviceSynchronize() != cudaSuccess;
}
