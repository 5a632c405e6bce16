// An inclusive scan over many blocks in three launches.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/scan.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
extern "C" __global__ void scanBlocks(const unsigned *In, unsigned *Out,
                                      unsigned *Totals) {
  extern __shared__ unsigned Line[];
  unsigned T = threadIdx.x, I = blockIdx.x * blockDim.x + T;
  Line[T] = In[I];
  __syncthreads();
  for (unsigned D = 1; D < blockDim.x; D *= 2) {
    unsigned Add = T >= D ? Line[T - D] : 0;
    __syncthreads();
    Line[T] += Add;
    __syncthreads();
  }
  Out[I] = Line[T];
  if (T == blockDim.x - 1)
    Totals[blockIdx.x] = Line[T];
}

extern "C" __global__ void scanTotals(unsigned *Totals, int Blocks) {
  unsigned Sum = 0;
  for (int I = 0; I < Blocks; ++I) {
    unsigned Here = Totals[I];
    Totals[I] = Sum;
    Sum += Here;
  }
}

extern "C" __global__ void addTotals(unsigned *Out, const unsigned *Totals) {
  Out[blockIdx.x * blockDim.x + threadIdx.x] += Totals[blockIdx.x];
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

int main(int, char **Argv) {
  auto In = load<unsigned>(Argv[1], "in");
  std::vector<unsigned> Want;
  unsigned Sum = 0;
  for (unsigned V : In)
    Want.push_back(Sum += V);
  Comparison C;
  C.equal("out", load<unsigned>(Argv[1], "out"), Want);
  return C.verdict();
}

#endif
