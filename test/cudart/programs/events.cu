// Elapsed time is that of the modelled GPU: the same on every run, longer for
// more work.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
__global__ void spin(float *data, int rounds) {
  float x = data[threadIdx.x];
  for (int i = 0; i < rounds; ++i)
    x = x * 0.999f + 0.5f;
  data[threadIdx.x] = x;
}

static float milliseconds(float *data, int rounds) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  spin<<<1, 32>>>(data, rounds);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsed;
  CHECK(cudaEventElapsedTime(&elapsed, start, stop));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return elapsed;
}

int main() {
  float *data;
  CHECK(cudaMalloc(&data, 32 * sizeof(float)));
  CHECK(cudaMemset(data, 0, 32 * sizeof(float)));
  milliseconds(data, 10);
  float shorter = milliseconds(data, 1000);
  float longer = milliseconds(data, 4000);
  EXPECT(shorter > 0);
  EXPECT(longer > 2 * shorter);
  EXPECT(milliseconds(data, 1000) == shorter);
  cudaEvent_t never;
  CHECK(cudaEventCreate(&never));
  float elapsed;
  EXPECT(cudaEventElapsedTime(&elapsed, never, never) ==
         cudaErrorInvalidResourceHandle);
  std::puts("ok");
}
