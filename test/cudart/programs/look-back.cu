// A scan in one pass, in which each block looks back at what the blocks before
// it have published while they run: cub's, whose status words carry the value
// or, for larger ones, stand for it behind fences; and one written by hand. The
// checks find nothing to report, not even a warning.
// REQUIRES: cuda-link
// RUN: %cuda_program -O2 --cuda-gpu-arch=sm_70 %s -o %t
// RUN: gevo-run --json=%t.json -- %t | FileCheck %s
// RUN: FileCheck --check-prefix=FINDINGS %s < %t.json
// CHECK: ok
// FINDINGS-NOT: "severity"
// FINDINGS: "name": "{{.*}}scanPKi
// FINDINGS-NOT: "severity"
// FINDINGS: DeviceScanKernel
// FINDINGS-NOT: "severity"

#include "Inputs/check.h"
#include <cub/cub.cuh>
#include <vector>

struct Pair {
  double sum;
  long long count;
  bool operator==(const Pair &o) const {
    return sum == o.sum && count == o.count;
  }
};

struct AddPairs {
  __host__ __device__ Pair operator()(const Pair &a, const Pair &b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
};

enum Status { Nothing, Part, Whole };

// Blocks take numbers in the order in which they start, so that the one before
// always runs.
__global__ void scan(const int *in, int *out, int n, int *ticket,
                     volatile int *status, volatile int *parts,
                     volatile int *wholes) {
  __shared__ int words[128], tile, before;
  if (threadIdx.x == 0)
    tile = atomicAdd(ticket, 1);
  __syncthreads();
  int i = tile * 128 + threadIdx.x;
  words[threadIdx.x] = i < n ? in[i] : 0;
  for (int d = 1; d < 128; d *= 2) {
    __syncthreads();
    int left = threadIdx.x >= d ? words[threadIdx.x - d] : 0;
    __syncthreads();
    words[threadIdx.x] += left;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    parts[tile] = words[127];
    __threadfence();
    status[tile] = Part;
    for (int t = tile - 1; t >= 0; --t) {
      int s;
      while ((s = status[t]) == Nothing)
        ;
      __threadfence();
      sum += s == Whole ? wholes[t] : parts[t];
      if (s == Whole)
        break;
    }
    wholes[tile] = sum + words[127];
    __threadfence();
    status[tile] = Whole;
    before = sum;
  }
  __syncthreads();
  if (i < n)
    out[i] = before + words[threadIdx.x];
}

template <typename T, typename Op>
bool cubScan(const std::vector<T> &host, Op add) {
  size_t n = host.size(), bytes = 0;
  std::vector<T> got(n), want(n);
  T *in, *out, sum = host[0];
  void *storage = nullptr;
  CHECK(cudaMalloc(&in, n * sizeof(T)));
  CHECK(cudaMalloc(&out, n * sizeof(T)));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cub::DeviceScan::InclusiveScan(storage, bytes, in, out, add, int(n)));
  CHECK(cudaMalloc(&storage, bytes));
  CHECK(cub::DeviceScan::InclusiveScan(storage, bytes, in, out, add, int(n)));
  CHECK(cudaMemcpy(got.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < n; ++i)
    want[i] = i ? sum = add(sum, host[i]) : sum;
  return got == want;
}

int main() {
  const int n = 30000, tiles = (n + 127) / 128;
  std::vector<int> host(n), want(n), got(n);
  std::vector<Pair> pairs(n);
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    host[i] = int((i * 7919u) % 1009);
    pairs[i] = {double(host[i]), 1};
    want[i] = sum += host[i];
  }
  EXPECT(cubScan(host, cub::Sum()));
  EXPECT(cubScan(pairs, AddPairs()));
  int *in, *out, *words;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  CHECK(cudaMalloc(&words, (3 * tiles + 1) * sizeof(int)));
  CHECK(cudaMemset(words, 0, (3 * tiles + 1) * sizeof(int)));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  scan<<<tiles, 128>>>(in, out, n, words, words + 1, words + 1 + tiles,
                       words + 1 + 2 * tiles);
  CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
  return compare(got.data(), want.data(), n);
}
