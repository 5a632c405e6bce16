// Heat on a plane with a halo in shared memory, and constant weights.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/stencil.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
__constant__ float Weights[3] = {0.5f, 0.125f, 0.0f};

extern "C" __global__ void heat(const float *In, float *Out, int W, int H) {
  __shared__ float Tile[10][34];
  int X = blockIdx.x * 32 + threadIdx.x, Y = blockIdx.y * 8 + threadIdx.y;
  // Outside the plane it is cold.
  for (int R = threadIdx.y; R < 10; R += 8)
    for (int C = threadIdx.x; C < 34; C += 32) {
      int GX = blockIdx.x * 32 + C - 1, GY = blockIdx.y * 8 + R - 1;
      bool Inside = GX >= 0 && GX < W && GY >= 0 && GY < H;
      Tile[R][C] = Inside ? In[GY * W + GX] : Weights[2];
    }
  __syncthreads();
  if (X >= W || Y >= H)
    return;
  int R = threadIdx.y + 1, C = threadIdx.x + 1;
  float Around =
      Tile[R - 1][C] + Tile[R + 1][C] + Tile[R][C - 1] + Tile[R][C + 1];
  Out[Y * W + X] = Weights[0] * Tile[R][C] + Weights[1] * Around;
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

int main(int, char **Argv) {
  constexpr int W = 70, H = 37;
  auto In = load<float>(Argv[1], "start");
  std::vector<float> Want(W * H);
  for (int Round = 0; Round < 2; ++Round) {
    auto at = [&](int X, int Y) {
      return X >= 0 && X < W && Y >= 0 && Y < H ? In[Y * W + X] : 0.0f;
    };
    for (int Y = 0; Y < H; ++Y)
      for (int X = 0; X < W; ++X)
        Want[Y * W + X] =
            0.5f * at(X, Y) + 0.125f * (at(X, Y - 1) + at(X, Y + 1) +
                                        at(X - 1, Y) + at(X + 1, Y));
    In = Want;
  }
  Comparison C;
  C.near("heat", load<float>(Argv[1], "a"), Want, 1e-6);
  return C.verdict();
}

#endif
