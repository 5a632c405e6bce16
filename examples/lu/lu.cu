//===- lu.cu - LU decomposition in place, tile by tile --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each round factors a tile of the diagonal, then solves for the tiles to its
// right (rows of U) and below it (columns of L), then updates all that is left.
// There is no pivoting: matrices are diagonally dominant. L has ones on its
// diagonal, which are not stored.
//
//   lu [size] [seed] [--verify]
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

constexpr int Tile = 16;

// Beyond its border the matrix goes on as the identity.
static __device__ float load(const float *M, int Size, int Row, int Column) {
  if (Row < Size && Column < Size)
    return M[Row * Size + Column];
  return Row == Column ? 1.0f : 0.0f;
}

static __device__ void store(float *M, int Size, int Row, int Column,
                             float Value) {
  if (Row < Size && Column < Size)
    M[Row * Size + Column] = Value;
}

__global__ void factorDiagonal(float *M, int Size, int Start) {
  __shared__ float D[Tile][Tile];
  int T = threadIdx.x;
  for (int I = 0; I < Tile; ++I)
    D[I][T] = load(M, Size, Start + I, Start + T);
  __syncthreads();
  // A thread has a row: its factor first, then what the factor takes away.
  for (int I = 0; I < Tile - 1; ++I) {
    if (T > I)
      D[T][I] /= D[I][I];
    __syncthreads();
    if (T > I)
      for (int J = I + 1; J < Tile; ++J)
        D[T][J] -= D[T][I] * D[I][J];
    __syncthreads();
  }
  for (int I = 0; I < Tile; ++I)
    store(M, Size, Start + I, Start + T, D[I][T]);
}

// Blocks with y = 0 have tiles to the right of the diagonal, those with y = 1
// tiles below it.
__global__ void solvePanels(float *M, int Size, int Start) {
  __shared__ float D[Tile][Tile], P[Tile][Tile];
  int T = threadIdx.x, Other = Start + (blockIdx.x + 1) * Tile;
  bool Right = blockIdx.y == 0;
  int Row = Right ? Start : Other, Column = Right ? Other : Start;
  for (int I = 0; I < Tile; ++I) {
    D[I][T] = load(M, Size, Start + I, Start + T);
    P[I][T] = load(M, Size, Row + I, Column + T);
    __syncthreads();
  }
  if (Right) {
    // A thread has a column, which L is solved for.
    for (int I = 1; I < Tile; ++I)
      for (int J = 0; J < I; ++J)
        P[I][T] -= D[I][J] * P[J][T];
  } else {
    // A thread has a row, which U is solved for.
    for (int I = 0; I < Tile; ++I) {
      for (int J = 0; J < I; ++J)
        P[T][I] -= P[T][J] * D[J][I];
      P[T][I] /= D[I][I];
    }
  }
  __syncthreads();
  for (int I = 0; I < Tile; ++I)
    store(M, Size, Row + I, Column + T, P[I][T]);
}

__global__ void updateRest(float *M, int Size, int Start) {
  __shared__ float L[Tile][Tile], U[Tile][Tile];
  int X = threadIdx.x, Y = threadIdx.y;
  int Row = Start + (blockIdx.y + 1) * Tile + Y;
  int Column = Start + (blockIdx.x + 1) * Tile + X;
  L[Y][X] = load(M, Size, Row, Start + X);
  U[Y][X] = load(M, Size, Start + Y, Column);
  __syncthreads();
  float Sum = 0;
  for (int I = 0; I < Tile; ++I)
    Sum += L[Y][I] * U[I][X];
  store(M, Size, Row, Column, load(M, Size, Row, Column) - Sum);
}

static void decompose(float *M, int Size) {
  for (int Start = 0; Start < Size; Start += Tile) {
    int Rest = (Size - Start - 1) / Tile;
    factorDiagonal<<<1, Tile>>>(M, Size, Start);
    if (Rest == 0)
      break;
    solvePanels<<<dim3(Rest, 2), Tile>>>(M, Size, Start);
    updateRest<<<dim3(Rest, Rest), dim3(Tile, Tile)>>>(M, Size, Start);
  }
}

static void decomposeOnHost(std::vector<double> &M, int Size) {
  for (int K = 0; K < Size; ++K)
    for (int I = K + 1; I < Size; ++I) {
      M[I * Size + K] /= M[K * Size + K];
      for (int J = K + 1; J < Size; ++J)
        M[I * Size + J] -= M[I * Size + K] * M[K * Size + J];
    }
}

static void check(cudaError_t Status) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(Status));
  std::exit(1);
}

int main(int Count, char **Arguments) {
  bool Verify = Count > 1 && !std::strcmp(Arguments[Count - 1], "--verify");
  Count -= Verify;
  int Size = Count > 1 ? std::atoi(Arguments[1]) : 40;
  std::mt19937 Dice(Count > 2 ? std::atoi(Arguments[2]) : 1);
  if (Size < 1 || Size > 4096) {
    std::fprintf(stderr, "lu [size up to 4096] [seed]\n");
    return 2;
  }
  std::vector<float> Matrix(size_t(Size) * Size);
  for (int Row = 0; Row < Size; ++Row)
    for (int Column = 0; Column < Size; ++Column) {
      float Value = 0.5f + Dice() / 4294967296.0f;
      Matrix[Row * Size + Column] = Row == Column ? Value + Size : Value;
    }

  size_t Bytes = Matrix.size() * sizeof(float);
  float *Device;
  check(cudaMalloc(&Device, Bytes));
  check(cudaMemcpy(Device, Matrix.data(), Bytes, cudaMemcpyHostToDevice));
  decompose(Device, Size);
  check(cudaGetLastError());
  std::vector<float> Result(Matrix.size());
  check(cudaMemcpy(Result.data(), Device, Bytes, cudaMemcpyDeviceToHost));
  for (int Row = 0; Row < Size; ++Row)
    for (int Column = 0; Column < Size; ++Column)
      std::printf("%.6g%c", Result[Row * Size + Column],
                  Column + 1 < Size ? ' ' : '\n');
  if (!Verify)
    return 0;

  std::vector<double> Expected(Matrix.begin(), Matrix.end());
  decomposeOnHost(Expected, Size);
  double Worst = 0;
  for (size_t I = 0; I < Expected.size(); ++I)
    Worst = std::fmax(Worst, std::fabs(Result[I] - Expected[I]) /
                                 std::fabs(Expected[I]));
  std::fprintf(stderr, "largest relative difference from the host: %g\n",
               Worst);
  return Worst < 1e-4 ? 0 : 1;
}
