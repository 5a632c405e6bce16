// Work in several streams, ordered by events; priorities and queries.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__global__ void add(int *data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += value;
}

int main() {
  const int n = 1024, count = 4;
  int least, greatest;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream[count];
  cudaEvent_t done[count];
  int *host, *data;
  CHECK(cudaMallocHost(&host, n * sizeof(int)));
  CHECK(cudaMalloc(&data, n * sizeof(int)));
  for (int i = 0; i < count; ++i) {
    if (i % 2)
      CHECK(cudaStreamCreateWithPriority(&stream[i], cudaStreamNonBlocking,
                                         greatest));
    else
      CHECK(cudaStreamCreate(&stream[i]));
    CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
  }
  for (int i = 0; i < n; ++i)
    host[i] = i;
  CHECK(cudaMemcpyAsync(data, host, n * sizeof(int), cudaMemcpyHostToDevice,
                        stream[0]));
  for (int i = 0; i < count; ++i) {
    if (i)
      CHECK(cudaStreamWaitEvent(stream[i], done[i - 1], 0));
    add<<<n / 256, 256, 0, stream[i]>>>(data, n, 1 << i);
    CHECK(cudaEventRecord(done[i], stream[i]));
  }
  CHECK(cudaMemcpyAsync(host, data, n * sizeof(int), cudaMemcpyDeviceToHost,
                        stream[count - 1]));
  CHECK(cudaStreamSynchronize(stream[count - 1]));
  CHECK(cudaStreamQuery(stream[0]));
  CHECK(cudaEventQuery(done[count - 1]));
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = i + 15;
  unsigned flags;
  int priority;
  CHECK(cudaStreamGetFlags(stream[1], &flags));
  CHECK(cudaStreamGetPriority(stream[1], &priority));
  EXPECT(flags == cudaStreamNonBlocking);
  EXPECT(priority == greatest);
  int bad = compare(host, want.data(), n);
  for (int i = 0; i < count; ++i) {
    CHECK(cudaStreamDestroy(stream[i]));
    CHECK(cudaEventDestroy(done[i]));
  }
  CHECK(cudaFreeHost(host));
  return bad;
}
