//===- kernels.cu - The kernels of the speed benchmark --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of the speed benchmark; kernels.ptx is what clang -O3 makes of
// this file for sm_70.

// Arithmetic of whole warps: one chain of floats, one of integers.
extern "C" __global__ void arithmetic(float *Out, int Rounds) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  float X = 0.5f + 0.001f * I;
  unsigned H = I;
#pragma unroll 4
  for (int R = 0; R < Rounds; ++R) {
    X = X * 1.0001f + 0.25f;
    X = X - 0.125f * X;
    H = H * 1664525u + 1013904223u;
    H ^= H >> 13;
  }
  Out[I] = X + H;
}

// A product of square matrices by tiles in shared memory.
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

// One level of a breadth-first search, a thread a node. Nodes have from none to
// many edges, so lanes of a warp part ways at once. Of the threads that find a
// node, the one whose exchange succeeds puts it into the next frontier.
extern "C" __global__ void search(const int *First, const int *Edges, int N,
                                  int *Depth, int Level, int *Frontier,
                                  int *Next, int *Found) {
  int Node = blockIdx.x * blockDim.x + threadIdx.x;
  if (Node >= N || !Frontier[Node])
    return;
  Frontier[Node] = 0;
  int End = First[Node + 1];
  for (int E = First[Node]; E < End; ++E) {
    int To = Edges[E];
    if (atomicCAS(&Depth[To], -1, Level + 1) == -1) {
      Next[To] = 1;
      atomicAdd(Found, 1);
    }
  }
}
