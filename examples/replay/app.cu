//===- app.cu - A blur with room for improvement --------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A blur written the way first versions are: every thread clears the whole
// tile before each use, one barrier too many, and a division per neighbour.
// Prints the sum of the result, so that two builds can be compared.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int BlockSize = 128;

__global__ void blur(const float *in, float *out, int n, float weight) {
  __shared__ float tile[BlockSize + 2];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < BlockSize + 2; ++j)
    tile[j] = 0.0f;
  __syncthreads();
  tile[threadIdx.x + 1] = i < n ? in[i] : 0.0f;
  if (threadIdx.x == 0)
    tile[0] = i > 0 ? in[i - 1] : 0.0f;
  if (threadIdx.x == BlockSize - 1)
    tile[BlockSize + 1] = i + 1 < n ? in[i + 1] : 0.0f;
  __syncthreads();
  if (i < n) {
    float sum = tile[threadIdx.x] / weight;
    sum += tile[threadIdx.x + 1] / weight;
    sum += tile[threadIdx.x + 2] / weight;
    out[i] = sum;
  }
}

static bool failed(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  return status != cudaSuccess;
}

int main() {
  const int n = 4096;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i)
    in[i] = static_cast<float>(i % 7);
  float *deviceIn = nullptr, *deviceOut = nullptr;
  if (failed(cudaMalloc(&deviceIn, n * sizeof(float)), "cudaMalloc") ||
      failed(cudaMalloc(&deviceOut, n * sizeof(float)), "cudaMalloc") ||
      failed(cudaMemcpy(deviceIn, in.data(), n * sizeof(float),
                        cudaMemcpyHostToDevice),
             "copy to the device"))
    return 1;
  blur<<<n / BlockSize, BlockSize>>>(deviceIn, deviceOut, n, 3.0f);
  if (failed(cudaGetLastError(), "launch") ||
      failed(cudaMemcpy(out.data(), deviceOut, n * sizeof(float),
                        cudaMemcpyDeviceToHost),
             "copy from the device"))
    return 1;
  double sum = 0;
  for (float value : out)
    sum += value;
  std::printf("sum %.3f\n", sum);
  cudaFree(deviceIn);
  cudaFree(deviceOut);
}
