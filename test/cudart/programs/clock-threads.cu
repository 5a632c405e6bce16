// What a kernel takes does not depend on how many threads of the program work
// on other devices at the same time, nor on the processors of the machine.
// REQUIRES: cuda-link
// RUN: %cuda_program -pthread %s -o %t
// RUN: gevo-run --gpu=V100,V100,V100,V100,V100,V100,V100,V100 -- %t 8 > %t.8
// RUN: FileCheck %s < %t.8
// RUN: taskset -c 0 gevo-run --gpu=V100,V100,V100,V100,V100,V100,V100,V100 -- %t 8 > %t.8.one
// RUN: cmp %t.8 %t.8.one
// RUN: gevo-run --gpu=V100,V100,V100 -- %t 3 > %t.3
// RUN: gevo-run -- %t 1 > %t.1
// RUN: cat %t.1 %t.3 %t.8 | sort -u | wc -l | FileCheck %s --check-prefix=SAME
// CHECK-COUNT-8: {{^[1-9][0-9]* ns, [1-9][0-9]* ns$}}
// SAME: {{^}}1{{$}}

#include "Inputs/check.h"
#include <cstdlib>
#include <thread>
#include <vector>

// Words all over a table, of which some are in L1 and some in L2, and atomic
// operations that meet.
__global__ void scatter(unsigned *table, unsigned *sums, unsigned mask) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 16; ++i) {
    x = x * 1664525u + 1013904223u;
    x += table[x & mask];
  }
  atomicAdd(&sums[x & 63], x);
}

__global__ void shift(float *out, const float *in, int n) {
  __shared__ float tile[33 * 8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[(threadIdx.x * 33) % 264] = in[i % n];
  __syncthreads();
  out[i % n] = tile[threadIdx.x];
}

struct Times {
  long first = 0, second = 0; // Nanoseconds.
};

static long elapsed(cudaEvent_t from, cudaEvent_t to) {
  float ms;
  CHECK(cudaEventSynchronize(to));
  CHECK(cudaEventElapsedTime(&ms, from, to));
  return long(ms * 1e6f + 0.5f);
}

static void work(int device, Times *times) {
  const int words = 1 << 18;
  CHECK(cudaSetDevice(device));
  unsigned *table, *sums;
  CHECK(cudaMalloc(&table, words * sizeof(unsigned)));
  CHECK(cudaMalloc(&sums, 64 * sizeof(unsigned)));
  std::vector<unsigned> host(words);
  for (int i = 0; i < words; ++i)
    host[i] = unsigned(i) * 2654435761u;
  CHECK(cudaMemcpy(table, host.data(), words * sizeof(unsigned),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemset(sums, 0, 64 * sizeof(unsigned)));
  cudaEvent_t events[3];
  for (cudaEvent_t &event : events)
    CHECK(cudaEventCreate(&event));
  CHECK(cudaEventRecord(events[0]));
  scatter<<<200, 128>>>(table, sums, words - 1);
  CHECK(cudaEventRecord(events[1]));
  shift<<<100, 256>>>(reinterpret_cast<float *>(table),
                      reinterpret_cast<float *>(sums), 64);
  CHECK(cudaEventRecord(events[2]));
  times->first = elapsed(events[0], events[1]);
  times->second = elapsed(events[1], events[2]);
  CHECK(cudaFree(table));
  CHECK(cudaFree(sums));
}

// Each device is used once, by one thread.
int main(int argc, char **argv) {
  int count = std::atoi(argv[1]);
  std::vector<Times> times(count);
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back(work, k, &times[k]);
  for (std::thread &thread : threads)
    thread.join();
  for (int k = 0; k < count; ++k)
    std::printf("%ld ns, %ld ns\n", times[k].first, times[k].second);
}
