// An atomic operation made of compare-and-swap, as the CUDA programming guide
// writes it, is right and races with nothing, although it starts with a plain
// read.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --time=off -- %t 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.err
// CHECK: ok
// REPORT: 100.0% 1 0 sums(

#include "Inputs/check.h"
#include <vector>

__device__ double multiply(double *at, double by) {
  auto *bits = reinterpret_cast<unsigned long long *>(at);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed,
                    __double_as_longlong(by * __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void largest(float *at, float value) {
  int *bits = reinterpret_cast<int *>(at), old = *bits;
  while (__int_as_float(old) < value) {
    int seen = old;
    if ((old = atomicCAS(bits, seen, __float_as_int(value))) == seen)
      break;
  }
}

__global__ void sums(const float *x, int n, double *product, float *most) {
  __shared__ float of_block;
  if (!threadIdx.x)
    of_block = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    multiply(product, i % 2 ? 2.0 : 0.5);
    largest(&of_block, x[i]);
  }
  __syncthreads();
  if (!threadIdx.x)
    largest(most, of_block);
}

int main() {
  const int n = 2001;
  std::vector<float> x(n);
  float expected = 0;
  for (int i = 0; i < n; ++i)
    expected = std::fmax(expected, x[i] = float(i * 37 % 1009));
  float *on_device, *most;
  double *product, one = 1, results[2];
  CHECK(cudaMalloc(&on_device, n * sizeof(float)));
  CHECK(cudaMalloc(&product, sizeof(double)));
  CHECK(cudaMalloc(&most, sizeof(float)));
  CHECK(cudaMemcpy(on_device, x.data(), n * sizeof(float),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(product, &one, sizeof(one), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(most, 0, sizeof(float)));
  sums<<<8, 256>>>(on_device, n, product, most);
  CHECK(cudaDeviceSynchronize());
  float found;
  CHECK(cudaMemcpy(&results[0], product, 8, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&found, most, 4, cudaMemcpyDeviceToHost));
  results[1] = found;
  double wanted[2] = {0.5, expected};
  return compare(results, wanted, 2);
}
