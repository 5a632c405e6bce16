//===- small.cu - A program with one small kernel -------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is left of an evaluation when the kernel itself takes next to no time.
//
//===----------------------------------------------------------------------===//

#include <cstdio>

constexpr int Size = 256, Block = 64;

__global__ void blur(const float *In, float *Out, float Weight) {
  __shared__ float Tile[Block + 2];
  int I = blockIdx.x * Block + threadIdx.x;
  Tile[threadIdx.x + 1] = In[I];
  if (threadIdx.x == 0)
    Tile[0] = I > 0 ? In[I - 1] : 0;
  if (threadIdx.x == Block - 1)
    Tile[Block + 1] = I + 1 < Size ? In[I + 1] : 0;
  __syncthreads();
  Out[I] = (Tile[threadIdx.x] + Weight * Tile[threadIdx.x + 1] +
            Tile[threadIdx.x + 2]) /
           (Weight + 2);
}

int main() {
  float Host[Size], *In, *Out;
  for (int I = 0; I < Size; ++I)
    Host[I] = I % 17;
  cudaMalloc(&In, sizeof(Host));
  cudaMalloc(&Out, sizeof(Host));
  cudaMemcpy(In, Host, sizeof(Host), cudaMemcpyHostToDevice);
  blur<<<Size / Block, Block>>>(In, Out, 4);
  cudaMemcpy(Host, Out, sizeof(Host), cudaMemcpyDeviceToHost);
  for (float Value : Host)
    std::printf("%g\n", Value);
  return 0;
}
