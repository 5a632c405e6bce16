// A program of several files, each with device code of its own, and kernels of
// the same name that are local to their files.
// REQUIRES: cuda-link
// RUN: %cuda_program -std=c++17 %s %S/Inputs/first.cu %S/Inputs/second.cu -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"

int first(int value);
int second(int value);

__global__ void own(int *data) { *data *= 2; }

int main() {
  int *data, result = first(10) + second(100);
  CHECK(cudaMalloc(&data, sizeof(int)));
  CHECK(cudaMemcpy(data, &result, sizeof(int), cudaMemcpyHostToDevice));
  own<<<1, 1>>>(data);
  CHECK(cudaMemcpy(&result, data, sizeof(int), cudaMemcpyDeviceToHost));
  int want = 2 * (10 + 1 + 100 + 2);
  return compare(&result, &want, 1);
}
