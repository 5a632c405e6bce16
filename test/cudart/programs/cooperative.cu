// A cooperative launch whose blocks wait for each other at grid barriers.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <cooperative_groups.h>
#include <vector>

namespace cg = cooperative_groups;

__global__ void prefix(int *data, int *sums, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int step = 1; step < n; step *= 2) {
    sums[i] = data[i] + (i >= step ? data[i - step] : 0);
    grid.sync();
    data[i] = sums[i];
    grid.sync();
  }
}

int main() {
  const int block = 64, n = 512;
  std::vector<int> host(n), want(n);
  for (int i = 0; i < n; ++i) {
    host[i] = i % 7;
    want[i] = host[i] + (i ? want[i - 1] : 0);
  }
  int *data, *sums, blocks, count = n, can;
  CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
  EXPECT(can == 1);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, prefix, block, 0));
  EXPECT(blocks > 0);
  CHECK(cudaMalloc(&data, n * sizeof(int)));
  CHECK(cudaMalloc(&sums, n * sizeof(int)));
  CHECK(cudaMemcpy(data, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  void *arguments[] = {&data, &sums, &count};
  EXPECT(cudaLaunchCooperativeKernel((void *)prefix, dim3(1000000), dim3(block),
                                     arguments, 0, 0) ==
         cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaLaunchCooperativeKernel((void *)prefix, dim3(n / block), dim3(block),
                                    arguments, 0, 0));
  CHECK(cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
  return compare(host.data(), want.data(), n);
}
