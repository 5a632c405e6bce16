//===- kernels.cu - The kernels of the timing benchmark -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of the timing benchmark; kernels.ptx is what clang -O3 makes of
// this file for sm_70.
extern "C" __global__ void matmul(const float *A, const float *B, float *C,
                                  int N) {
  __shared__ float TileA[16][16], TileB[16][16];
  int X = threadIdx.x, Y = threadIdx.y;
  int Row = blockIdx.y * 16 + Y, Col = blockIdx.x * 16 + X;
  float Sum = 0;
  for (int T = 0; T < N; T += 16) {
    TileA[Y][X] = A[Row * N + T + X];
    TileB[Y][X] = B[(T + Y) * N + Col];
    __syncthreads();
#pragma unroll
    for (int K = 0; K < 16; ++K)
      Sum += TileA[Y][K] * TileB[K][X];
    __syncthreads();
  }
  C[Row * N + Col] = Sum;
}

extern "C" __global__ void stencil(const float *In, float *Out, int W, int H) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X > 0 && Y > 0 && X < W - 1 && Y < H - 1)
    Out[Y * W + X] =
        0.2f * (In[Y * W + X] + In[Y * W + X - 1] + In[Y * W + X + 1] +
                In[(Y - 1) * W + X] + In[(Y + 1) * W + X]);
}
