// Algorithms of thrust, which comes with CUDA: transform, reduce, scan and
// sort.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <vector>

struct Triple {
  __host__ __device__ int operator()(int x) const { return 3 * x + 1; }
};

int main() {
  const int n = 700;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = int((i * 7919u) % 1009);
  thrust::device_vector<int> data(host.begin(), host.end()), sums(n);
  thrust::transform(data.begin(), data.end(), data.begin(), Triple());
  std::transform(host.begin(), host.end(), host.begin(), Triple());
  EXPECT(thrust::reduce(data.begin(), data.end(), 0) ==
         std::accumulate(host.begin(), host.end(), 0));
  thrust::inclusive_scan(data.begin(), data.end(), sums.begin());
  std::vector<int> wantSums(n), gotSums(n);
  std::partial_sum(host.begin(), host.end(), wantSums.begin());
  thrust::copy(sums.begin(), sums.end(), gotSums.begin());
  EXPECT(gotSums == wantSums);
  thrust::sort(data.begin(), data.end());
  std::sort(host.begin(), host.end());
  std::vector<int> got(n);
  thrust::copy(data.begin(), data.end(), got.begin());
  return compare(got.data(), host.data(), n);
}
