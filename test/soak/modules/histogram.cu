// Counters in shared and global memory; atomics of many kinds.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O0 --cuda-gpu-arch=sm_80

__device__ int overflowed;

__global__ void count(const unsigned char *in, unsigned *bins, int n) {
  __shared__ unsigned local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (local[b])
      atomicAdd(&bins[b], local[b]);
}

__device__ float largest(float *place, float v) {
  int *bits = reinterpret_cast<int *>(place);
  int seen = *bits, expected;
  do {
    expected = seen;
    float best = fmaxf(v, __int_as_float(expected));
    seen = atomicCAS(bits, expected, __float_as_int(best));
  } while (seen != expected);
  return __int_as_float(seen);
}

__global__ void extremes(const float *in, float *top, double *total,
                         unsigned long long *seen, int *state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float before = largest(top, in[i]);
  atomicAdd(total, static_cast<double>(in[i]));
  atomicOr(seen, 1ull << (i & 63));
  atomicInc(reinterpret_cast<unsigned *>(state), 100u);
  atomicExch(state + 1, i);
  atomicXor(state + 2, __float_as_int(before));
  if (isinf(in[i]))
    atomicMax(&overflowed, i);
  __threadfence();
}
