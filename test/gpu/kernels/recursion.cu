// Functions that call themselves, with a stack of their own and in divergent
// warps.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/recursion.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
__device__ __noinline__ unsigned ackermann(unsigned M, unsigned N) {
  if (M == 0)
    return N + 1;
  if (N == 0)
    return ackermann(M - 1, 1);
  return ackermann(M - 1, ackermann(M, N - 1));
}

__device__ __noinline__ void quicksort(int *First, int *Last) {
  if (Last - First < 2)
    return;
  int Pivot = *First, *Low = First, *High = Last - 1;
  while (Low <= High) {
    if (*Low < Pivot)
      ++Low;
    else if (*High > Pivot)
      --High;
    else {
      int Swap = *Low;
      *Low++ = *High;
      *High-- = Swap;
    }
  }
  quicksort(First, High + 1);
  quicksort(Low, Last);
}

extern "C" __global__ void recurse(unsigned *A, int *Lists) {
  A[threadIdx.x] = ackermann(2, threadIdx.x % 9);
  int Local[16];
  for (int I = 0; I < 16; ++I)
    Local[I] = Lists[threadIdx.x * 16 + I];
  quicksort(Local, Local + 16);
  for (int I = 0; I < 16; ++I)
    Lists[threadIdx.x * 16 + I] = Local[I];
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

#include <algorithm>

int main(int, char **Argv) {
  std::vector<unsigned> Want;
  for (unsigned T = 0; T < 64; ++T)
    Want.push_back(2 * (T % 9) + 3);
  auto Lists = load<int>(Argv[1], "before");
  for (int T = 0; T < 64; ++T)
    std::sort(&Lists[T * 16], &Lists[T * 16] + 16);
  Comparison C;
  C.equal("ackermann", load<unsigned>(Argv[1], "a"), Want);
  C.equal("lists", load<int>(Argv[1], "lists"), Lists);
  return C.verdict();
}

#endif
