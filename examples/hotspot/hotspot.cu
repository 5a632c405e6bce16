//===- hotspot.cu - Heat on a chip, step by step --------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rectangular chip is divided into cells. Each cell exchanges heat with its
// four neighbours and with the air, and gets some from the power that its
// circuits take. A kernel computes one step in time from a tile in shared
// memory; cells at the border take themselves for the neighbour that they lack.
//
//   hotspot [size] [steps] [seed] [--verify]
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

constexpr int Tile = 16;
constexpr float Ambient = 80.0f;

/// Constants of the material and of one step.
struct Chip {
  float Capacity, ResistanceX, ResistanceY, ResistanceZ, Step;
};

__global__ void advance(const float *Power, const float *Before, float *After,
                        int Size, Chip C) {
  __shared__ float Heat[Tile][Tile];
  __shared__ float Source[Tile][Tile];
  int X = blockIdx.x * Tile + threadIdx.x, Y = blockIdx.y * Tile + threadIdx.y;
  bool Inside = X < Size && Y < Size;

  Heat[threadIdx.y][threadIdx.x] = 0.0f;
  Source[threadIdx.y][threadIdx.x] = 0.0f;
  __syncthreads();
  if (Inside) {
    Heat[threadIdx.y][threadIdx.x] = Before[Y * Size + X];
    Source[threadIdx.y][threadIdx.x] = Power[Y * Size + X];
  }
  __syncthreads();
  if (!Inside)
    return;

  float Here = Heat[threadIdx.y][threadIdx.x];
  float North = Here, South = Here, West = Here, East = Here;
  // Within the tile from shared memory, across its edge from global memory.
  if (Y > 0)
    North = threadIdx.y > 0 ? Heat[threadIdx.y - 1][threadIdx.x]
                            : Before[(Y - 1) * Size + X];
  if (Y < Size - 1)
    South = threadIdx.y < Tile - 1 ? Heat[threadIdx.y + 1][threadIdx.x]
                                   : Before[(Y + 1) * Size + X];
  if (X > 0)
    West = threadIdx.x > 0 ? Heat[threadIdx.y][threadIdx.x - 1]
                           : Before[Y * Size + X - 1];
  if (X < Size - 1)
    East = threadIdx.x < Tile - 1 ? Heat[threadIdx.y][threadIdx.x + 1]
                                  : Before[Y * Size + X + 1];

  float Flow = Source[threadIdx.y][threadIdx.x] +
               (South + North - 2.0f * Here) / C.ResistanceY +
               (East + West - 2.0f * Here) / C.ResistanceX +
               (Ambient - Here) / C.ResistanceZ;
  After[Y * Size + X] = Here + C.Step / C.Capacity * Flow;
}

static void advanceOnHost(const std::vector<float> &Power,
                          const std::vector<float> &Before,
                          std::vector<float> &After, int Size, const Chip &C) {
  for (int Y = 0; Y < Size; ++Y)
    for (int X = 0; X < Size; ++X) {
      auto At = [&](int Row, int Column) {
        Row = Row < 0 ? 0 : Row >= Size ? Size - 1 : Row;
        Column = Column < 0 ? 0 : Column >= Size ? Size - 1 : Column;
        return Before[Row * Size + Column];
      };
      float Here = At(Y, X);
      float Flow = Power[Y * Size + X] +
                   (At(Y + 1, X) + At(Y - 1, X) - 2.0f * Here) / C.ResistanceY +
                   (At(Y, X + 1) + At(Y, X - 1) - 2.0f * Here) / C.ResistanceX +
                   (Ambient - Here) / C.ResistanceZ;
      After[Y * Size + X] = Here + C.Step / C.Capacity * Flow;
    }
}

static void check(cudaError_t Status) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(Status));
  std::exit(1);
}

static float *onDevice(const std::vector<float> &Data) {
  float *Pointer;
  check(cudaMalloc(&Pointer, Data.size() * sizeof(float)));
  check(cudaMemcpy(Pointer, Data.data(), Data.size() * sizeof(float),
                   cudaMemcpyHostToDevice));
  return Pointer;
}

int main(int Count, char **Arguments) {
  bool Verify = Count > 1 && !std::strcmp(Arguments[Count - 1], "--verify");
  Count -= Verify;
  int Size = Count > 1 ? std::atoi(Arguments[1]) : 56;
  int Steps = Count > 2 ? std::atoi(Arguments[2]) : 3;
  std::mt19937 Dice(Count > 3 ? std::atoi(Arguments[3]) : 1);
  if (Size < 1 || Size > 4096 || Steps < 0) {
    std::fprintf(stderr, "hotspot [size up to 4096] [steps] [seed]\n");
    return 2;
  }
  auto Uniform = [&] { return Dice() / 4294967296.0f; };
  std::vector<float> Power(Size * Size), Heat(Size * Size);
  for (float &P : Power)
    P = Uniform() < 0.1f ? 0.5f * Uniform() : 0.01f;
  for (float &H : Heat)
    H = Ambient + 240.0f * Uniform();
  Chip C = {0.5f, 0.1f, 0.1f, 50.0f, 0.005f};

  float *DevicePower = onDevice(Power), *Before = onDevice(Heat),
        *After = onDevice(Heat);
  dim3 Grid((Size + Tile - 1) / Tile, (Size + Tile - 1) / Tile);
  for (int Step = 0; Step < Steps; ++Step) {
    advance<<<Grid, dim3(Tile, Tile)>>>(DevicePower, Before, After, Size, C);
    std::swap(Before, After);
  }
  check(cudaGetLastError());
  std::vector<float> Result(Size * Size);
  check(cudaMemcpy(Result.data(), Before, Result.size() * sizeof(float),
                   cudaMemcpyDeviceToHost));
  for (int Y = 0; Y < Size; ++Y)
    for (int X = 0; X < Size; ++X)
      std::printf("%.6g%c", Result[Y * Size + X], X + 1 < Size ? ' ' : '\n');
  if (!Verify)
    return 0;

  std::vector<float> Other = Heat;
  for (int Step = 0; Step < Steps; ++Step) {
    advanceOnHost(Power, Heat, Other, Size, C);
    std::swap(Heat, Other);
  }
  double Worst = 0;
  for (size_t I = 0; I < Heat.size(); ++I)
    Worst = std::fmax(Worst, std::fabs(Heat[I] - Result[I]) / Heat[I]);
  std::fprintf(stderr, "largest relative difference from the host: %g\n",
               Worst);
  return Worst < 1e-5 ? 0 : 1;
}
