// Attributes of kernels and devices, occupancy, and the block size it
// suggests.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
__global__ void __launch_bounds__(256) bounded(float *data) {
  __shared__ float tile[512];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void simple(float *data) { data[threadIdx.x] = 0; }

int main() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  EXPECT(attributes.sharedSizeBytes == 512 * sizeof(float));
  EXPECT(attributes.maxThreadsPerBlock == 256);
  EXPECT(attributes.numRegs > 0);
  int blocks;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, simple, 1024, 0));
  EXPECT(blocks == 2);
  int grid, block;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
  EXPECT(block == 256);
  CHECK(cudaFuncSetCacheConfig(simple, cudaFuncCachePreferL1));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.major == 7 && properties.minor == 0);
  EXPECT(properties.warpSize == 32);
  EXPECT(properties.multiProcessorCount == 80);
  EXPECT(properties.sharedMemPerBlockOptin == 98304);
  EXPECT(properties.memoryPoolsSupported == 1);
  EXPECT(properties.maxThreadsDim[2] == 64);
  EXPECT(grid == blocks / 2 * properties.multiProcessorCount * 2048 / 256);
  int count, value, version;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count == 1);
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
  EXPECT(value == properties.maxThreadsPerBlock);
  CHECK(cudaRuntimeGetVersion(&version));
  EXPECT(version / 1000 == CUDART_VERSION / 1000);
  size_t free, total;
  CHECK(cudaMemGetInfo(&free, &total));
  EXPECT(free <= total && total == properties.totalGlobalMem);
  std::printf("ok %s\n", properties.name);
}
