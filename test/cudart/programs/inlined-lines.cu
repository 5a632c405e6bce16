// What happens in a function of a header that was inlined names the line of
// the kernel that called it, too: findings and profiles. A failed assertion
// names its own.
// REQUIRES: cuda-link
// RUN: %cuda_program -gline-tables-only %s -o %t
// RUN: gevo-run --profile -- %t 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT < %t.err
// RUN: gevo-run --profile --json=%t.json -- %t
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// CHECK: ok

#include "Inputs/check.h"
#include "Inputs/inlined-lines.h"

// TEXT: inlined-lines.h:4, called near {{.*}}inlined-lines.cu:[[#@LINE+14]]
// TEXT: global read of 4 bytes {{.*}}inlined-lines.h:4, called near {{.*}}inlined-lines.cu:[[#@LINE+13]])
// TEXT: assertion 'from[i] > 0' failed at {{.*}}inlined-lines.h:4 {{.*}}, called near {{.*}}inlined-lines.cu:[[#@LINE+12]])
// JSON: "caller_file": "{{.*}}inlined-lines.cu"
// JSON-NEXT: "caller_line": [[#@LINE+10]]
// JSON: "lines": [
// JSON: "file": "{{.*}}inlined-lines.h"
// JSON-NEXT: "line": 4
// JSON-NEXT: "caller_file": "{{.*}}inlined-lines.cu"
// JSON-NEXT: "caller_line": [[#@LINE+5]]
__global__ void copy(const float *from, float *to, int n, int at) {
  int i = threadIdx.x;
  if (i < n)
    to[i] =
        positive(from, i + at);
}

int main() {
  float *from, *to, ones[32];
  for (float &one : ones)
    one = 1;
  CHECK(cudaMalloc(&from, sizeof(ones)));
  CHECK(cudaMalloc(&to, sizeof(ones)));
  CHECK(cudaMemcpy(from, ones, sizeof(ones), cudaMemcpyHostToDevice));
  copy<<<1, 32>>>(from, to, 32, 0);
  CHECK(cudaDeviceSynchronize());
  copy<<<1, 32>>>(from, to, 32, 1 << 20);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&from, sizeof(ones)));
  CHECK(cudaMalloc(&to, sizeof(ones)));
  copy<<<1, 32>>>(from, to, 32, 0);
  EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  std::puts("ok");
}
