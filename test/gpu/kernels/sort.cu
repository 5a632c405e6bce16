// A bitonic sort in shared memory, and a radix sort over blocks of it.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/sort.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
extern "C" __global__ void bitonic(float *Keys) {
  __shared__ float Line[512];
  unsigned T = threadIdx.x, Base = blockIdx.x * 512;
  Line[T] = Keys[Base + T];
  Line[T + 256] = Keys[Base + T + 256];
  for (unsigned Size = 2; Size <= 512; Size *= 2)
    for (unsigned Step = Size / 2; Step; Step /= 2) {
      __syncthreads();
      unsigned A = 2 * T - (T & (Step - 1)), B = A + Step;
      bool Up = (A & Size) == 0;
      float X = Line[A], Y = Line[B];
      if ((X > Y) == Up) {
        Line[A] = Y;
        Line[B] = X;
      }
    }
  __syncthreads();
  Keys[Base + T] = Line[T];
  Keys[Base + T + 256] = Line[T + 256];
}

// One block sorts 1024 keys by four bits at a time.
extern "C" __global__ void radix(unsigned *Keys) {
  __shared__ unsigned A[1024], B[1024], Count[16][33];
  unsigned T = threadIdx.x, Lane = T % 32, Warp = T / 32;
  A[T] = Keys[T];
  __syncthreads();
  unsigned *From = A, *To = B;
  for (int Shift = 0; Shift < 32; Shift += 4) {
    unsigned Key = From[T], Digit = Key >> Shift & 15;
    unsigned Same = __match_any_sync(0xFFFFFFFF, Digit);
    unsigned Before = __popc(Same & ((1u << Lane) - 1));
    if (T < 512)
      Count[T / 32][T % 32] = 0;
    __syncthreads();
    if (Before == 0)
      Count[Digit][Warp] = __popc(Same);
    __syncthreads();
    if (T == 0) {
      unsigned Sum = 0;
      for (int D = 0; D < 16; ++D)
        for (int W = 0; W < 32; ++W) {
          unsigned Here = Count[D][W];
          Count[D][W] = Sum;
          Sum += Here;
        }
    }
    __syncthreads();
    To[Count[Digit][Warp] + Before] = Key;
    __syncthreads();
    unsigned *Swap = From;
    From = To;
    To = Swap;
  }
  Keys[T] = From[T];
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

#include <algorithm>

int main(int, char **Argv) {
  auto Before = load<float>(Argv[1], "unsorted");
  for (size_t I = 0; I < Before.size(); I += 512)
    std::sort(Before.begin() + I, Before.begin() + I + 512);
  auto Numbers = load<unsigned>(Argv[1], "unsortedNumbers");
  std::sort(Numbers.begin(), Numbers.end());
  Comparison C;
  C.equal("keys", load<float>(Argv[1], "keys"), Before);
  C.equal("numbers", load<unsigned>(Argv[1], "numbers"), Numbers);
  return C.verdict();
}

#endif
