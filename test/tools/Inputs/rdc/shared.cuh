// What the sources of the programs in gevo-ld.cu share.
#pragma once
typedef float (*Op)(float, int);
extern __device__ int Counter;
extern __constant__ float Scale[4];
__device__ float twist(float X, int K);
__device__ Op pick(int Which);
template <typename T> __device__ T clampTo(T V, T Low, T High) {
  static __device__ int Calls;
  atomicAdd(&Calls, 1);
  return V < Low ? Low : V > High ? High : V;
}
void launchSecond(float *Data, int Count);
