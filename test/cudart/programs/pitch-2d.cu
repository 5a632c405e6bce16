// Pitched memory and copies of rectangles between host and device.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__global__ void transpose(const float *in, size_t inPitch, float *out,
                          size_t outPitch, int width, int height) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height)
    tile[threadIdx.y][threadIdx.x] =
        ((const float *)((const char *)in + y * inPitch))[x];
  __syncthreads();
  int u = blockIdx.y * 16 + threadIdx.x, v = blockIdx.x * 16 + threadIdx.y;
  if (u < height && v < width)
    ((float *)((char *)out + v * outPitch))[u] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int width = 45, height = 30;
  std::vector<float> in(width * height), out(width * height), want(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      want[x * height + y] = in[y * width + x] = float(x * 1000 + y);
  float *a, *b;
  size_t aPitch, bPitch;
  CHECK(cudaMallocPitch(&a, &aPitch, width * sizeof(float), height));
  CHECK(cudaMallocPitch(&b, &bPitch, height * sizeof(float), width));
  CHECK(cudaMemcpy2D(a, aPitch, in.data(), width * sizeof(float),
                     width * sizeof(float), height, cudaMemcpyHostToDevice));
  CHECK(cudaMemset2D(b, bPitch, 0, height * sizeof(float), width));
  transpose<<<dim3(3, 2), dim3(16, 16)>>>(a, aPitch, b, bPitch, width, height);
  CHECK(cudaMemcpy2DAsync(out.data(), height * sizeof(float), b, bPitch,
                          height * sizeof(float), width, cudaMemcpyDeviceToHost,
                          0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(cudaMemcpy2D(a, 4, in.data(), 4, 8, 2, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidPitchValue);
  return compare(out.data(), want.data(), out.size());
}
