// An inclusive prefix sum in dynamic shared memory.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_60
// FLAGS: -O1 --cuda-gpu-arch=sm_70
// FLAGS: -O2 -fcuda-short-ptr --cuda-gpu-arch=sm_80

extern __shared__ int buffer[];

__global__ void scan(const int *in, int *out, int *totals, int n) {
  int thread = threadIdx.x, i = blockIdx.x * blockDim.x + thread;
  int from = 0, to = blockDim.x;
  buffer[thread] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    int v = buffer[from + thread];
    if (thread >= step)
      v += buffer[from + thread - step];
    buffer[to + thread] = v;
    int old = from;
    from = to;
    to = old;
    __syncthreads();
  }
  if (i < n)
    out[i] = buffer[from + thread];
  if (thread == blockDim.x - 1)
    totals[blockIdx.x] = buffer[from + thread];
}

__global__ void addTotals(int *out, const int *totals, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0)
    out[i] += totals[blockIdx.x - 1];
}
