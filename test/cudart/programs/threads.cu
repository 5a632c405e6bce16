// Several host threads, each with its own stream, memory and last error.
// REQUIRES: cuda-link
// RUN: %cuda_program -pthread %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// CHECK: ok
// JSON: "launches": 40

#include "Inputs/check.h"
#include <atomic>
#include <thread>
#include <vector>

__global__ void square(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= data[i];
}

static std::atomic<int> Good{0};

static void work(int id) {
  const int n = 500;
  std::vector<int> host(n);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int round = 0; round < 10; ++round) {
    int *data;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    for (int i = 0; i < n; ++i)
      host[i] = i + id;
    CHECK(cudaMemcpyAsync(data, host.data(), n * sizeof(int),
                          cudaMemcpyHostToDevice, stream));
    square<<<2, 256, 0, stream>>>(data, n);
    CHECK(cudaMemcpyAsync(host.data(), data, n * sizeof(int),
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    bool good = true;
    for (int i = 0; i < n; ++i)
      good = good && host[i] == (i + id) * (i + id);
    Good += good;
    CHECK(cudaFree(data));
  }
  if (id == 0)
    EXPECT(cudaFree(&host) != cudaSuccess);
  EXPECT((cudaGetLastError() != cudaSuccess) == (id == 0));
}

int main() {
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back(work, id);
  for (std::thread &t : threads)
    t.join();
  EXPECT(Good == 40);
  std::puts("ok");
}
