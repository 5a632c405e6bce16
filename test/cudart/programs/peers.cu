// Two devices: each has its memory, copies go between them, and one reads the
// other's when it may.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --gpu=V100,A100 --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__global__ void increment(int *data, int n) {
  int i = threadIdx.x;
  if (i < n)
    ++data[i];
}

int main() {
  const int n = 100;
  int count, can;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count == 2);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 1));
  EXPECT(properties.major == 8);
  std::vector<int> host(n), want(n);
  for (int i = 0; i < n; ++i) {
    host[i] = i;
    want[i] = i + 2;
  }
  int *first, *second;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&first, n * sizeof(int)));
  CHECK(cudaMemcpy(first, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  increment<<<1, 128>>>(first, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&second, n * sizeof(int)));
  CHECK(cudaMemcpyPeer(second, 1, first, 0, n * sizeof(int)));
  increment<<<1, 128>>>(second, n);
  CHECK(cudaMemcpy(host.data(), second, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));
  EXPECT(can == 1);
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  EXPECT(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessAlreadyEnabled);
  increment<<<1, 128>>>(first, n);
  CHECK(cudaDeviceSynchronize());
  std::vector<int> again(n);
  CHECK(cudaMemcpy(again.data(), first, n * sizeof(int), cudaMemcpyDefault));
  EXPECT(again == want);
  int device;
  CHECK(cudaGetDevice(&device));
  EXPECT(device == 1);
  // Memory of a stream is on the stream's device, whatever is current.
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaSetDevice(0));
  int *ordered;
  CHECK(cudaMallocAsync(&ordered, 1024, stream));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, ordered));
  EXPECT(attributes.device == 1);
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 1));
  CHECK(cudaMallocFromPoolAsync(&ordered, 1024, pool, nullptr));
  CHECK(cudaPointerGetAttributes(&attributes, ordered));
  EXPECT(attributes.device == 1);
  return compare(host.data(), want.data(), n);
}
