// Pinned, registered and mapped host memory, which kernels read and write in
// place.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <vector>

__global__ void negate(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = -in[i];
}

int main() {
  const int n = 256;
  int *pinned, *mapped;
  CHECK(cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  unsigned flags;
  CHECK(cudaHostGetFlags(&flags, pinned));
  EXPECT(flags & cudaHostAllocMapped);
  std::vector<int> own(n), want(n);
  CHECK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
  int *registered;
  CHECK(cudaHostGetDevicePointer(&registered, own.data(), 0));
  for (int i = 0; i < n; ++i) {
    own[i] = 3 * i;
    want[i] = -3 * i;
  }
  negate<<<1, n>>>(registered, mapped, n);
  CHECK(cudaDeviceSynchronize());
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  int local;
  CHECK(cudaPointerGetAttributes(&attributes, &local));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  CHECK(cudaHostUnregister(own.data()));
  EXPECT(cudaHostUnregister(own.data()) == cudaErrorHostMemoryNotRegistered);
  int bad = compare(pinned, want.data(), n);
  CHECK(cudaFreeHost(pinned));
  return bad;
}
