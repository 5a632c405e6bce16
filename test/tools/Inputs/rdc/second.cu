// The other half of gevo-ld.cu: what it declares is defined here, and names
// that it keeps to itself are here, too.
#include "shared.cuh"
#include <cstdio>

__device__ int Counter;
static __device__ int Hidden = 7;
__device__ float twist(float X, int K) { return X * Scale[K] + 1; }
static __device__ float times(float X, int K) { return X * Scale[K]; }
static __device__ float minus(float X, int K) { return X - Scale[K]; }
__device__ Op Table[2] = {times, minus};
__device__ Op pick(int Which) { return Table[Which]; }

static __global__ void second(float *Data, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  Data[I] = clampTo<float>(Data[I], 0, 900) + Hidden;
  atomicAdd(&Counter, 1);
  if (I == 0)
    printf("second %s\n", "b");
}

void launchSecond(float *Data, int Count) { second<<<8, 128>>>(Data, Count); }
