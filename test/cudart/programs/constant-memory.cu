// Constant memory, written as a whole, in parts and asynchronously.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__constant__ float coefficients[16];
__constant__ int offset;

__global__ void filter(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    sum += coefficients[k] * in[(i + k + offset) % n];
  out[i] = sum;
}

int main() {
  const int n = 512, shift = 5;
  float host[16];
  std::vector<float> in(n), out(n), want(n);
  for (int k = 0; k < 16; ++k)
    host[k] = float(k + 1);
  for (int i = 0; i < n; ++i)
    in[i] = float(i % 17);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 16; ++k)
      want[i] += host[k] * in[(i + k + shift) % n];
  float *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, n * sizeof(float)));
  CHECK(cudaMemcpy(a, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(coefficients, host, 8 * sizeof(float)));
  CHECK(cudaMemcpyToSymbolAsync(coefficients, host + 8, 8 * sizeof(float),
                                8 * sizeof(float), cudaMemcpyHostToDevice, 0));
  CHECK(cudaMemcpyToSymbol(offset, &shift, sizeof(shift)));
  filter<<<4, 128>>>(a, b, n);
  CHECK(cudaMemcpy(out.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT(cudaMemcpyToSymbol(coefficients, host, sizeof(host), 4) ==
         cudaErrorInvalidValue);
  return compare(out.data(), want.data(), n);
}
