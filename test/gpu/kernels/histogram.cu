// Bytes counted in shared memory, then added up with atomics.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/histogram.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
extern "C" __global__ void histogram(const unsigned char *Data, int N,
                                     unsigned long long *Bins) {
  __shared__ unsigned Local[256];
  Local[threadIdx.x] = 0;
  __syncthreads();
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N;
       I += gridDim.x * blockDim.x)
    atomicAdd(&Local[Data[I]], 1u);
  __syncthreads();
  if (Local[threadIdx.x])
    atomicAdd(&Bins[threadIdx.x], (unsigned long long)Local[threadIdx.x]);
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

int main(int, char **Argv) {
  auto Data = load<unsigned char>(Argv[1], "data");
  std::vector<unsigned long long> Want(256);
  for (unsigned char B : Data)
    ++Want[B];
  Comparison C;
  C.equal("bins", load<unsigned long long>(Argv[1], "bins"), Want);
  return C.verdict();
}

#endif
