// Sums, votes and minima of a warp by shuffles, then of a block.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O2 -fgpu-rdc --cuda-gpu-arch=sm_90

__device__ float sumOfWarp(float v) {
  for (int step = 16; step > 0; step /= 2)
    v += __shfl_down_sync(0xffffffffu, v, step);
  return v;
}

__global__ void sum(const float *in, float *out, int n) {
  __shared__ float parts[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    v += in[i];
  v = sumOfWarp(v);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0)
    parts[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x + 31) / 32 ? parts[lane] : 0.0f;
    v = sumOfWarp(v);
    if (lane == 0)
      atomicAdd(out, v);
  }
}

__global__ void countAndLeast(const int *in, int *count, int *least, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0x7fffffff;
  unsigned positive = __ballot_sync(0xffffffffu, v > 0);
  bool all = __all_sync(0xffffffffu, v != 0);
  for (int mask = 1; mask < 32; mask *= 2)
    v = min(v, __shfl_xor_sync(0xffffffffu, v, mask));
  if (threadIdx.x % 32 == 0) {
    atomicAdd(count, __popc(positive) + (all ? 1 : 0));
    atomicMin(least, v);
  }
}
