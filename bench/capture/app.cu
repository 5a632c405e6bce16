//===- app.cu - What a captured program might be --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stencil that runs many times on two buffers, and a reduction over memory
// that is only read. Arguments: rounds, MiB of the latter. With a third
// argument instead threads that allocate a block of the device heap each, use
// it and free it: so many thousand of them.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void stencil(const float *In, float *Out, int Width) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X == 0 || Y == 0 || X >= Width - 1 || Y >= Width - 1)
    return;
  int At = Y * Width + X;
  Out[At] = 0.5f * In[At] + 0.125f * (In[At - 1] + In[At + 1] + In[At - Width] +
                                      In[At + Width]);
}

__global__ void reduce(const float *In, float *Out, int Count) {
  __shared__ float Sums[256];
  float Sum = 0;
  for (int K = blockIdx.x * 256 + threadIdx.x; K < Count; K += gridDim.x * 256)
    Sum += In[K];
  Sums[threadIdx.x] = Sum;
  for (int Half = 128; Half; Half /= 2) {
    __syncthreads();
    if (threadIdx.x < Half)
      Sums[threadIdx.x] += Sums[threadIdx.x + Half];
  }
  if (threadIdx.x == 0)
    Out[blockIdx.x] = Sums[0];
}

__global__ void makeBlocks(float **Blocks) {
  int K = blockIdx.x * blockDim.x + threadIdx.x;
  float *Mine = static_cast<float *>(malloc(4 * sizeof(float)));
  for (int I = 0; I < 4; ++I)
    Mine[I] = K + 0.25f * I;
  Blocks[K] = Mine;
}

__global__ void useBlocks(float **Blocks, float *Sums) {
  int K = blockIdx.x * blockDim.x + threadIdx.x;
  float *Mine = Blocks[K];
  Sums[K] = Mine[0] + Mine[1] + Mine[2] + Mine[3];
  Mine[0] = Sums[K];
}

__global__ void freeBlocks(float **Blocks) {
  free(Blocks[blockIdx.x * blockDim.x + threadIdx.x]);
}

static int runBlocks(int Threads) {
  float **Blocks, *Sums, Last;
  cudaMalloc(&Blocks, Threads * sizeof(float *));
  cudaMalloc(&Sums, Threads * sizeof(float));
  makeBlocks<<<Threads / 256, 256>>>(Blocks);
  useBlocks<<<Threads / 256, 256>>>(Blocks, Sums);
  freeBlocks<<<Threads / 256, 256>>>(Blocks);
  cudaMemcpy(&Last, Sums + Threads - 1, sizeof(Last), cudaMemcpyDeviceToHost);
  std::printf("%g\n", double(Last));
  return cudaDeviceSynchronize() != cudaSuccess;
}

int main(int Argc, char **Argv) {
  if (Argc > 3)
    return runBlocks(std::atoi(Argv[3]) * 1024);
  const int Width = 512;
  int Rounds = Argc > 1 ? std::atoi(Argv[1]) : 4;
  int Count = (Argc > 2 ? std::atoi(Argv[2]) : 4) << 18;
  float *Host = static_cast<float *>(std::malloc(Count * sizeof(float)));
  unsigned State = 1;
  for (int K = 0; K < Count; ++K) {
    State = State * 1664525u + 1013904223u;
    Host[K] = float(State >> 8) / float(1 << 24);
  }
  float *A, *B, *Big, *Sums;
  cudaMalloc(&A, Width * Width * sizeof(float));
  cudaMalloc(&B, Width * Width * sizeof(float));
  cudaMalloc(&Big, Count * sizeof(float));
  cudaMalloc(&Sums, 160 * sizeof(float));
  cudaMemcpy(A, Host, Width * Width * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(Big, Host, Count * sizeof(float), cudaMemcpyHostToDevice);
  for (int K = 0; K < Rounds; ++K) {
    stencil<<<dim3(Width / 32, Width / 8), dim3(32, 8)>>>(A, B, Width);
    reduce<<<160, 256>>>(Big, Sums, Count);
    float *Old = A;
    A = B;
    B = Old;
  }
  float Result[160];
  cudaMemcpy(Result, Sums, sizeof(Result), cudaMemcpyDeviceToHost);
  std::printf("%g\n", double(Result[0]));
  return cudaDeviceSynchronize() != cudaSuccess;
}
