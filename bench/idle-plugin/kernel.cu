//===- kernel.cu - A kernel of ordinary size ------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the idle plugin's cost is measured on: a kernel of ordinary size, with
// the CUDA headers that every CUDA file includes.
//
//===----------------------------------------------------------------------===//

__global__ void stencil(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1)
    return;
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += in[(y + dy) * width + x + dx];
  out[y * width + x] = sqrtf(sum / 9.0f);
}
