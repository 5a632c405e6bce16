// Pinned and managed memory is the host's: it may be larger than the device's
// and takes nothing of that.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"

int main() {
  size_t free, total, after;
  CHECK(cudaMemGetInfo(&free, &total));
  void *pinned, *managed, *device;
  CHECK(cudaMallocHost(&pinned, total));
  CHECK(cudaMallocManaged(&managed, total + (1 << 20)));
  CHECK(cudaMemGetInfo(&after, &total));
  EXPECT(after == free);
  CHECK(cudaMalloc(&device, free / 10 * 9));
  EXPECT(cudaMalloc(&device, free / 10 * 9) == cudaErrorMemoryAllocation);
  CHECK(cudaFree(managed));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaMemGetInfo(&after, &total));
  EXPECT(after < free / 2);
  std::puts("ok");
}
