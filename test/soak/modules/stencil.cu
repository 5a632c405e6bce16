// A five-point stencil with a halo in shared memory.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O0 -g --cuda-gpu-arch=sm_60

constexpr int Tile = 16;

__device__ float relax(float c, float n, float s, float w, float e, float k) {
  return c + k * (n + s + w + e - 4.0f * c);
}

__global__ void diffuse(const float *in, float *out, int width, int height,
                        float k) {
  __shared__ float tile[Tile + 2][Tile + 2];
  int x = blockIdx.x * Tile + threadIdx.x;
  int y = blockIdx.y * Tile + threadIdx.y;
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  bool inside = x < width && y < height;
  tile[ly][lx] = inside ? in[y * width + x] : 0.0f;
  if (threadIdx.x == 0)
    tile[ly][0] = inside && x > 0 ? in[y * width + x - 1] : 0.0f;
  if (threadIdx.x == Tile - 1)
    tile[ly][Tile + 1] = inside && x + 1 < width ? in[y * width + x + 1] : 0.0f;
  if (threadIdx.y == 0)
    tile[0][lx] = inside && y > 0 ? in[(y - 1) * width + x] : 0.0f;
  if (threadIdx.y == Tile - 1)
    tile[Tile + 1][lx] =
        inside && y + 1 < height ? in[(y + 1) * width + x] : 0.0f;
  __syncthreads();
  if (inside)
    out[y * width + x] = relax(tile[ly][lx], tile[ly - 1][lx], tile[ly + 1][lx],
                               tile[ly][lx - 1], tile[ly][lx + 1], k);
}
