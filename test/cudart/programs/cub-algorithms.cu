// Algorithms of cub, which comes with CUDA: a block's reduction, and a device's
// sum and radix sort with temporary storage.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <vector>

__global__ void blockSums(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

int main() {
  const int n = 512;
  std::vector<int> host(n), sums(4), want(4);
  int total = 0;
  for (int i = 0; i < n; ++i) {
    host[i] = int((i * 7919u) % 1009);
    want[i / 128] += host[i];
    total += host[i];
  }
  int *in, *out, *sum;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  blockSums<<<4, 128>>>(in, out);
  CHECK(cudaMemcpy(sums.data(), out, 4 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(sums == want);
  void *storage = nullptr;
  size_t bytes = 0;
  CHECK(cub::DeviceReduce::Sum(storage, bytes, in, sum, n));
  CHECK(cudaMalloc(&storage, bytes));
  CHECK(cub::DeviceReduce::Sum(storage, bytes, in, sum, n));
  int got;
  CHECK(cudaMemcpy(&got, sum, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(got == total);
  CHECK(cudaFree(storage));
  storage = nullptr;
  CHECK(cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n));
  CHECK(cudaMalloc(&storage, bytes));
  CHECK(cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n));
  std::vector<int> sorted(n);
  CHECK(cudaMemcpy(sorted.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
  std::sort(host.begin(), host.end());
  return compare(sorted.data(), host.data(), n);
}
