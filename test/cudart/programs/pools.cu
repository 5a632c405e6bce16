// Stream-ordered memory from the default pool and from a pool of the program's
// own.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__global__ void fill(int *data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = value + i;
}

int main() {
  const int n = 1000;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaMemPool_t pool;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&pool, &properties));
  int *a, *b;
  CHECK(cudaMallocAsync(&a, n * sizeof(int), stream));
  CHECK(cudaMallocFromPoolAsync(&b, n * sizeof(int), pool, stream));
  fill<<<8, 128, 0, stream>>>(a, n, 1);
  fill<<<8, 128, 0, stream>>>(b, n, 1000);
  std::vector<int> got(2 * n), want(2 * n);
  CHECK(cudaMemcpyAsync(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost,
                        stream));
  CHECK(cudaMemcpyAsync(got.data() + n, b, n * sizeof(int),
                        cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaFreeAsync(b, stream));
  CHECK(cudaStreamSynchronize(stream));
  unsigned long long threshold = 1 << 20, kept = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                                &threshold));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
  EXPECT(kept == threshold);
  CHECK(cudaMemPoolDestroy(pool));
  for (int i = 0; i < n; ++i) {
    want[i] = 1 + i;
    want[n + i] = 1000 + i;
  }
  return compare(got.data(), want.data(), got.size());
}
