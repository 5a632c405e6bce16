// Sums over blocks: shared memory, shuffles of the last warp, atomics.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/reduction.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
__device__ int warpSum(int V) {
  for (int D = 16; D; D /= 2)
    V += __shfl_down_sync(0xFFFFFFFF, V, D);
  return V;
}

extern "C" __global__ void sumAndMax(const int *X, int N, int *Sum, int *Max) {
  __shared__ int Part[32], Most;
  if (threadIdx.x == 0)
    Most = INT_MIN;
  __syncthreads();
  int V = 0;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x) {
    V += X[I];
    atomicMax(&Most, X[I]);
  }
  V = warpSum(V);
  if (threadIdx.x % 32 == 0)
    Part[threadIdx.x / 32] = V;
  __syncthreads();
  if (threadIdx.x < 32) {
    V = warpSum(threadIdx.x < blockDim.x / 32 ? Part[threadIdx.x] : 0);
    if (threadIdx.x == 0) {
      atomicAdd(Sum, V);
      atomicMax(Max, Most);
    }
  }
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

int main(int, char **Argv) {
  auto X = load<int>(Argv[1], "x");
  std::vector<int> Sum(1), Max{-2147483647};
  for (int V : X) {
    Sum[0] += V;
    Max[0] = V > Max[0] ? V : Max[0];
  }
  Comparison C;
  C.equal("sum", load<int>(Argv[1], "sum"), Sum);
  C.equal("max", load<int>(Argv[1], "max"), Max);
  return C.verdict();
}

#endif
