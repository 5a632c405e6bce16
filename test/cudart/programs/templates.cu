// Kernels that are templates: each instance is a kernel of its own.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

template <typename T, int Scale> __global__ void scale(T *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = data[i] * T(Scale) + T(1);
}

template <typename Op> __global__ void apply(float *data, int n, Op op) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = op(data[i]);
}

struct Square {
  float shift;
  __host__ __device__ float operator()(float x) const { return x * x + shift; }
};

template <typename T, int Scale> bool test() {
  const int n = 300;
  std::vector<T> host(n), want(n);
  for (int i = 0; i < n; ++i) {
    host[i] = T(i % 50);
    want[i] = host[i] * T(Scale) + T(1);
  }
  T *data;
  CHECK(cudaMalloc(&data, n * sizeof(T)));
  CHECK(cudaMemcpy(data, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  scale<T, Scale><<<3, 128>>>(data, n);
  CHECK(cudaMemcpy(host.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  return host == want;
}

int main() {
  EXPECT((test<float, 2>()));
  EXPECT((test<double, 3>()));
  EXPECT((test<int, 4>()));
  EXPECT((test<short, 5>()));
  const int n = 100;
  std::vector<float> host(n), want(n);
  Square op{0.5f};
  for (int i = 0; i < n; ++i) {
    host[i] = float(i);
    want[i] = op(host[i]);
  }
  float *data;
  CHECK(cudaMalloc(&data, n * sizeof(float)));
  CHECK(cudaMemcpy(data, host.data(), n * sizeof(float),
                   cudaMemcpyHostToDevice));
  apply<<<1, 128>>>(data, n, op);
  CHECK(cudaMemcpy(host.data(), data, n * sizeof(float),
                   cudaMemcpyDeviceToHost));
  return compare(host.data(), want.data(), n);
}
