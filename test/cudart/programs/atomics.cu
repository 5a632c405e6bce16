// A histogram with shared and global atomics, and compare-and-swap loops.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__global__ void histogram(const unsigned char *in, int n, unsigned *bins) {
  __shared__ unsigned local[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&local[in[i] % 64], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    atomicAdd(&bins[i], local[i]);
}

__global__ void largest(const int *in, int n, int *result, double *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int old = *(volatile int *)result;
  while (old < in[i]) {
    int seen = atomicCAS(result, old, in[i]);
    if (seen == old)
      break;
    old = seen;
  }
  atomicAdd(sum, double(in[i]));
}

int main() {
  const int n = 5000;
  std::vector<unsigned char> bytes(n);
  std::vector<int> numbers(n);
  std::vector<unsigned> bins(64), want(64);
  int most = 0;
  double total = 0;
  for (int i = 0; i < n; ++i) {
    bytes[i] = (unsigned char)(i * i % 251);
    ++want[bytes[i] % 64];
    numbers[i] = int((i * 2654435761u) >> 12);
    most = numbers[i] > most ? numbers[i] : most;
    total += numbers[i];
  }
  unsigned char *in;
  unsigned *out;
  int *data, *result;
  double *sum;
  CHECK(cudaMalloc(&in, n));
  CHECK(cudaMalloc(&out, 64 * sizeof(unsigned)));
  CHECK(cudaMalloc(&data, n * sizeof(int)));
  CHECK(cudaMalloc(&result, sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(double)));
  CHECK(cudaMemset(out, 0, 64 * sizeof(unsigned)));
  CHECK(cudaMemset(result, 0, sizeof(int)));
  CHECK(cudaMemset(sum, 0, sizeof(double)));
  CHECK(cudaMemcpy(in, bytes.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(data, numbers.data(), n * sizeof(int),
                   cudaMemcpyHostToDevice));
  histogram<<<8, 128>>>(in, n, out);
  largest<<<(n + 127) / 128, 128>>>(data, n, result, sum);
  int got;
  double added;
  CHECK(cudaMemcpy(&got, result, sizeof(got), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&added, sum, sizeof(added), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(bins.data(), out, 64 * sizeof(unsigned),
                   cudaMemcpyDeviceToHost));
  EXPECT(got == most);
  EXPECT(added == total);
  return compare(bins.data(), want.data(), 64);
}
