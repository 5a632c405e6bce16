// A kernel with an instruction that the embedded GPU does not run costs itself
// alone: its module loads, the others run, and only who executes the
// instruction fails, with its name and line.
// REQUIRES: cuda-link
// RUN: %cuda_program -gline-tables-only %s -o %t
// RUN: gevo-run -- %t 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=TEXT < %t.err
// RUN: gevo-run --json=%t.json -- %t
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// CHECK: ok
// TEXT: gevo-run: error: fetch({{.*}}): unsupported instruction 'tex.1d.v4.f32.s32': it is a texture instruction
// TEXT-SAME: called near {{.*}}unsupported-kernels.cu:[[#@LINE+8]])
// JSON: "kind": "illegal-instruction"
// JSON: "message": "unsupported instruction 'tex.1d.v4.f32.s32': it is a texture instruction"
// JSON: "problems": []

#include "Inputs/check.h"
__global__ void fetch(cudaTextureObject_t texture, float *out, bool really) {
  if (really)
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

__global__ void fill(float *out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  float *out, got[32], want[32];
  CHECK(cudaMalloc(&out, sizeof(got)));
  fill<<<1, 32>>>(out);
  // What is not executed does no harm.
  fetch<<<1, 32>>>(0, out, false);
  CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    want[i] = i;
  fetch<<<1, 32>>>(0, out, true);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
  return compare(got, want, 32);
}
