// A three-dimensional grid of three-dimensional blocks over pitched memory.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__global__ void fill(cudaPitchedPtr box, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= width || y >= height || z >= depth)
    return;
  char *slice = (char *)box.ptr + z * box.pitch * height;
  ((int *)(slice + y * box.pitch))[x] = x + 100 * y + 10000 * z;
}

int main() {
  const int width = 19, height = 11, depth = 5;
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, make_cudaExtent(width * sizeof(int), height, depth)));
  CHECK(cudaMemset3D(box, 0xff,
                     make_cudaExtent(width * sizeof(int), height, depth)));
  dim3 block(8, 4, 2);
  dim3 grid((width + 7) / 8, (height + 3) / 4, (depth + 1) / 2);
  fill<<<grid, block>>>(box, width, height, depth);
  CHECK(cudaGetLastError());
  std::vector<int> got(width * height * depth), want(got.size());
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr =
      make_cudaPitchedPtr(got.data(), width * sizeof(int), width, height);
  copy.extent = make_cudaExtent(width * sizeof(int), height, depth);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        want[(z * height + y) * width + x] = x + 100 * y + 10000 * z;
  return compare(got.data(), want.data(), got.size());
}
