// A device assertion fails the launch, and every call after it, until the
// device is reset; the message goes to standard error.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --json=%t.json -- %t 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ASSERT < %t.err
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// ASSERT: device-assert.cu:{{[0-9]+}}: {{.*}}demand{{.*}}: block: [0,0,0], thread: [0,0,0] Assertion `x == 1` failed
// CHECK: ok
// JSON: "kind": "assertion"

#include "Inputs/check.h"
#include <cassert>

__global__ void demand(int x) { assert(x == 1); }

int main() {
  demand<<<1, 1>>>(1);
  CHECK(cudaDeviceSynchronize());
  demand<<<1, 1>>>(2);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  void *memory;
  EXPECT(cudaMalloc(&memory, 4) == cudaErrorAssert);
  CHECK(cudaDeviceReset());
  cudaGetLastError();
  CHECK(cudaMalloc(&memory, 4));
  demand<<<1, 1>>>(1);
  CHECK(cudaDeviceSynchronize());
  std::puts("ok");
}
