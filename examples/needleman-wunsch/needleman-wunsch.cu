//===- needleman-wunsch.cu - Global alignment of two sequences ------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of scores is divided into square tiles. A launch fills the tiles
// of one anti-diagonal, which need only those of the two before. Within a tile
// a block goes by anti-diagonals again: first those that grow, then those that
// shrink, with a barrier after each, although its threads are one warp.
//
//   needleman-wunsch [length A] [length B] [seed] [--verify]
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

constexpr int Tile = 16, Letters = 4, Gap = 10;

/// Scores of a pair of letters: equal, a likely exchange, an unlikely one.
constexpr int PairScores[Letters * Letters] = {10, -1, -3, -4, -1, 7,  -5, -3,
                                               -3, -5, 9,  0,  -4, -3, 0,  8};

static __device__ int best(int Diagonal, int Left, int Up) {
  return max(Diagonal, max(Left, Up));
}

__global__ void fillTiles(const char *A, const char *B, const int *Scores,
                          int *Table, int Rows, int Columns, int FirstRow,
                          int Diagonal, int Penalty) {
  // The tile with the row above and the column before it.
  __shared__ int Cells[Tile + 1][Tile + 1];
  __shared__ int Pairs[Tile][Tile];
  int T = threadIdx.x, TileRow = FirstRow + blockIdx.x;
  int Row = TileRow * Tile, Column = (Diagonal - TileRow) * Tile;
  int Stride = Columns + 1;

  // What lies beyond the table counts as zero.
  for (int I = 0; I < Tile; ++I) {
    Cells[I + 1][T + 1] = 0;
    Pairs[I][T] = 0;
  }
  Cells[0][T + 1] = 0;
  Cells[T + 1][0] = 0;
  __syncthreads();
  for (int I = 0; I < Tile; ++I)
    if (Row + I < Rows && Column + T < Columns)
      Pairs[I][T] = Scores[A[Row + I] * Letters + B[Column + T]];
  __syncthreads();
  if (T == 0)
    Cells[0][0] = Table[Row * Stride + Column];
  if (Row + T < Rows)
    Cells[T + 1][0] = Table[(Row + T + 1) * Stride + Column];
  __syncthreads();
  if (Column + T < Columns)
    Cells[0][T + 1] = Table[Row * Stride + Column + T + 1];
  __syncthreads();

  for (int Step = 0; Step < Tile; ++Step) {
    if (T <= Step) {
      int X = T + 1, Y = Step - T + 1;
      Cells[Y][X] = best(Cells[Y - 1][X - 1] + Pairs[Y - 1][X - 1],
                         Cells[Y][X - 1] - Penalty, Cells[Y - 1][X] - Penalty);
    }
    __syncthreads();
  }
  for (int Step = Tile - 2; Step >= 0; --Step) {
    if (T <= Step) {
      int X = T + Tile - Step, Y = Tile - T;
      Cells[Y][X] = best(Cells[Y - 1][X - 1] + Pairs[Y - 1][X - 1],
                         Cells[Y][X - 1] - Penalty, Cells[Y - 1][X] - Penalty);
    }
    __syncthreads();
  }

  for (int I = 0; I < Tile; ++I)
    if (Row + I < Rows && Column + T < Columns)
      Table[(Row + I + 1) * Stride + Column + T + 1] = Cells[I + 1][T + 1];
}

static void fillOnHost(const std::vector<char> &A, const std::vector<char> &B,
                       std::vector<int> &Table) {
  size_t Stride = B.size() + 1;
  for (size_t I = 1; I <= A.size(); ++I)
    for (size_t J = 1; J <= B.size(); ++J)
      Table[I * Stride + J] = std::max(
          {Table[(I - 1) * Stride + J - 1] +
               PairScores[A[I - 1] * Letters + B[J - 1]],
           Table[I * Stride + J - 1] - Gap, Table[(I - 1) * Stride + J] - Gap});
}

// Walks back from the last cell: how many letters stand in pairs.
static int countPairs(const std::vector<char> &A, const std::vector<char> &B,
                      const std::vector<int> &Table) {
  size_t I = A.size(), J = B.size(), Stride = B.size() + 1;
  int Pairs = 0;
  while (I > 0 && J > 0) {
    int Here = Table[I * Stride + J];
    if (Here == Table[(I - 1) * Stride + J - 1] +
                    PairScores[A[I - 1] * Letters + B[J - 1]])
      --I, --J, ++Pairs;
    else if (Here == Table[I * Stride + J - 1] - Gap)
      --J;
    else
      --I;
  }
  return Pairs;
}

static void check(cudaError_t Status) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(Status));
  std::exit(1);
}

template <typename T> static T *onDevice(const std::vector<T> &Data) {
  T *Pointer;
  check(cudaMalloc(&Pointer, Data.size() * sizeof(T)));
  check(cudaMemcpy(Pointer, Data.data(), Data.size() * sizeof(T),
                   cudaMemcpyHostToDevice));
  return Pointer;
}

int main(int Count, char **Arguments) {
  bool Verify = Count > 1 && !std::strcmp(Arguments[Count - 1], "--verify");
  Count -= Verify;
  int Rows = Count > 1 ? std::atoi(Arguments[1]) : 40;
  int Columns = Count > 2 ? std::atoi(Arguments[2]) : Rows;
  std::mt19937 Dice(Count > 3 ? std::atoi(Arguments[3]) : 1);
  if (Rows < 1 || Columns < 1 || Rows > 8192 || Columns > 8192) {
    std::fprintf(stderr, "needleman-wunsch [length A] [length B] [seed], with "
                         "lengths from 1 to 8192\n");
    return 2;
  }
  // B is a relative of A: one letter in six is another.
  std::vector<char> A(Rows), B(Columns);
  for (char &Letter : A)
    Letter = Dice() % Letters;
  for (int I = 0; I < Columns; ++I)
    B[I] = I < Rows && Dice() % 6 ? A[I] : Dice() % Letters;
  std::vector<int> Table(size_t(Rows + 1) * (Columns + 1));
  for (int I = 0; I <= Rows; ++I)
    Table[size_t(I) * (Columns + 1)] = -I * Gap;
  for (int J = 0; J <= Columns; ++J)
    Table[J] = -J * Gap;
  std::vector<int> Expected = Table;

  int TileRows = (Rows + Tile - 1) / Tile;
  int TileColumns = (Columns + Tile - 1) / Tile;
  char *DeviceA = onDevice(A), *DeviceB = onDevice(B);
  int *Scores =
      onDevice(std::vector<int>(PairScores, PairScores + Letters * Letters));
  int *DeviceTable = onDevice(Table);
  for (int Diagonal = 0; Diagonal < TileRows + TileColumns - 1; ++Diagonal) {
    int First = std::max(0, Diagonal - TileColumns + 1);
    int Last = std::min(Diagonal, TileRows - 1);
    fillTiles<<<Last - First + 1, Tile>>>(DeviceA, DeviceB, Scores, DeviceTable,
                                          Rows, Columns, First, Diagonal, Gap);
  }
  check(cudaGetLastError());
  check(cudaMemcpy(Table.data(), DeviceTable, Table.size() * sizeof(int),
                   cudaMemcpyDeviceToHost));
  std::printf("score %d, %d letters in pairs\n", Table.back(),
              countPairs(A, B, Table));
  if (!Verify)
    return 0;
  fillOnHost(A, B, Expected);
  size_t Wrong = 0;
  for (size_t I = 0; I < Table.size(); ++I)
    Wrong += Table[I] != Expected[I];
  std::printf("%zu of %zu cells differ from the host's result\n", Wrong,
              Table.size());
  return Wrong ? 1 : 0;
}
