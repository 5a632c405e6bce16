//===- cheapest-path.cu - The cheapest way down a grid, row by row --------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each cell of a grid has a cost. A path goes from any cell of the first row to
// any of the last, each step down or diagonally down. A launch advances several
// rows: a block takes a strip of columns with a margin on both sides, which
// shrinks by a column a row, and so needs no other block in between.
//
//   cheapest-path [columns] [rows] [seed] [--verify]
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

constexpr int Block = 128;
/// Rows of one launch, and so the width of a margin.
constexpr int Height = 16;

__global__ void descend(const int *Cost, const int *Before, int *After,
                        int Columns, int Row, int Steps) {
  __shared__ int Now[Block], Next[Block], Costs[Block];
  int T = threadIdx.x;
  int Column = static_cast<int>(blockIdx.x) * (Block - 2 * Height) - Height + T;
  bool Inside = Column >= 0 && Column < Columns;

  // No path comes from outside of the grid.
  Now[T] = INT_MAX;
  __syncthreads();
  if (Inside)
    Now[T] = Before[Column];
  __syncthreads();

  for (int Step = 0; Step < Steps; ++Step) {
    bool Known = T > Step && T < Block - 1 - Step;
    Next[T] = INT_MAX;
    Costs[T] = Inside ? Cost[(Row + Step) * Columns + Column] : 0;
    __syncthreads();
    if (Known && Inside) {
      int Left = Now[T - 1], Middle = Now[T], Right = Now[T + 1];
      Next[T] = min(Left, min(Middle, Right)) + Costs[T];
    }
    __syncthreads();
    Now[T] = Next[T];
    __syncthreads();
  }

  if (T >= Height && T < Block - Height && Inside)
    After[Column] = Now[T];
}

static void descendOnHost(const std::vector<int> &Cost, std::vector<int> &Path,
                          int Columns, int Row) {
  std::vector<int> Before = Path;
  for (int C = 0; C < Columns; ++C) {
    int Cheapest = Before[C];
    if (C > 0)
      Cheapest = std::min(Cheapest, Before[C - 1]);
    if (C + 1 < Columns)
      Cheapest = std::min(Cheapest, Before[C + 1]);
    Path[C] = Cheapest + Cost[size_t(Row) * Columns + C];
  }
}

static void check(cudaError_t Status) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(Status));
  std::exit(1);
}

static int *onDevice(const std::vector<int> &Data) {
  int *Pointer;
  check(cudaMalloc(&Pointer, Data.size() * sizeof(int)));
  check(cudaMemcpy(Pointer, Data.data(), Data.size() * sizeof(int),
                   cudaMemcpyHostToDevice));
  return Pointer;
}

int main(int Count, char **Arguments) {
  bool Verify = Count > 1 && !std::strcmp(Arguments[Count - 1], "--verify");
  Count -= Verify;
  int Columns = Count > 1 ? std::atoi(Arguments[1]) : 300;
  int Rows = Count > 2 ? std::atoi(Arguments[2]) : 20;
  std::mt19937 Dice(Count > 3 ? std::atoi(Arguments[3]) : 1);
  if (Columns < 1 || Rows < 1 || Columns > 1 << 20 || Rows > 4096) {
    std::fprintf(stderr, "cheapest-path [columns up to 1048576] [rows up to "
                         "4096] [seed]\n");
    return 2;
  }
  std::vector<int> Cost(size_t(Columns) * Rows);
  for (int &C : Cost)
    C = Dice() % 10;
  std::vector<int> Path(Cost.begin(), Cost.begin() + Columns);

  int *DeviceCost = onDevice(Cost), *Before = onDevice(Path),
      *After = onDevice(Path);
  int Blocks = (Columns + Block - 2 * Height - 1) / (Block - 2 * Height);
  for (int Row = 1; Row < Rows; Row += Height) {
    descend<<<Blocks, Block>>>(DeviceCost, Before, After, Columns, Row,
                               std::min(Height, Rows - Row));
    std::swap(Before, After);
  }
  check(cudaGetLastError());
  std::vector<int> Result(Columns);
  check(cudaMemcpy(Result.data(), Before, Columns * sizeof(int),
                   cudaMemcpyDeviceToHost));
  auto Cheapest = std::min_element(Result.begin(), Result.end());
  std::printf("the cheapest path costs %d and ends in column %d\n", *Cheapest,
              int(Cheapest - Result.begin()));
  if (!Verify)
    return 0;
  for (int Row = 1; Row < Rows; ++Row)
    descendOnHost(Cost, Path, Columns, Row);
  int Wrong = 0;
  for (int C = 0; C < Columns; ++C)
    Wrong += Path[C] != Result[C];
  std::printf("%d of %d columns differ from the host's result\n", Wrong,
              Columns);
  return Wrong ? 1 : 0;
}
