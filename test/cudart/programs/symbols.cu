// Device variables: read, written, addressed and measured by their symbols.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
__device__ int counter = 40;
__device__ double table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void change() {
  atomicAdd(&counter, 1);
  if (threadIdx.x < 8)
    table[threadIdx.x] *= 10;
}

int main() {
  change<<<1, 8>>>();
  int count;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
  EXPECT(count == 48);
  size_t size;
  CHECK(cudaGetSymbolSize(&size, table));
  EXPECT(size == 8 * sizeof(double));
  void *address;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaMemset(address, 0, 2 * sizeof(double)));
  double got[8], want[8] = {0, 0, 30, 40, 50, 60, 70, 80};
  CHECK(cudaMemcpyFromSymbol(got, table, sizeof(got)));
  int not_a_symbol;
  EXPECT(cudaGetSymbolSize(&size, &not_a_symbol) == cudaErrorInvalidSymbol);
  EXPECT(cudaGetLastError() == cudaErrorInvalidSymbol);
  EXPECT(cudaGetLastError() == cudaSuccess);
  return compare(got, want, 8);
}
