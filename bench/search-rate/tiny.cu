//===- tiny.cu - A program with a kernel of one line ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an evaluation costs whatever the kernel is.
//
//===----------------------------------------------------------------------===//

#include <cstdio>

constexpr int Size = 256, Block = 64;

__global__ void axpy(const float *X, float *Y, float A) {
  int I = blockIdx.x * Block + threadIdx.x;
  Y[I] = A * X[I] + Y[I];
}

int main() {
  float Host[Size], *X, *Y;
  for (int I = 0; I < Size; ++I)
    Host[I] = I % 17;
  cudaMalloc(&X, sizeof(Host));
  cudaMalloc(&Y, sizeof(Host));
  cudaMemcpy(X, Host, sizeof(Host), cudaMemcpyHostToDevice);
  cudaMemcpy(Y, Host, sizeof(Host), cudaMemcpyHostToDevice);
  axpy<<<Size / Block, Block>>>(X, Y, 4);
  cudaMemcpy(Host, Y, sizeof(Host), cudaMemcpyDeviceToHost);
  for (float Value : Host)
    std::printf("%g\n", Value);
  return 0;
}
