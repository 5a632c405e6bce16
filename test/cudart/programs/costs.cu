// Events tell what the machine code costs where ptxas can make it: two kernels
// that become the same code take the same time, although the PTX of one
// computes more. By the rules they do not.
// REQUIRES: cuda-link, ptxas, nvdisasm
// RUN: %cuda_program -O0 -Xclang -disable-O0-optnone %s -o %t
// RUN: gevo-run --json=%t.json -- %t | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=SASS < %t.json
// RUN: gevo-run --costs=rules --json=%t.rules.json -- %t | FileCheck %s --check-prefix=OTHER
// RUN: FileCheck %s --check-prefix=RULES < %t.rules.json
// RUN: env GEVO_COSTS=rules gevo-run --json=%t.rules.json -- %t | FileCheck %s --check-prefix=OTHER
// RUN: gevo-run --costs=text --json=%t.text.json -- %t
// RUN: FileCheck %s --check-prefix=TEXT < %t.text.json
// RUN: env GEVO_COSTS=text gevo-run --json=%t.text.json -- %t
// RUN: FileCheck %s --check-prefix=TEXT < %t.text.json
// RUN: env GEVO_COSTS=free not gevo-run -- %t 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: not gevo-run --costs=free -- %t 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: mkdir -p %t.cuda/bin && cp /bin/false %t.cuda/bin/ptxas
// RUN: env GEVO_CUDA_PATH=%t.cuda gevo-run -- %t 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: env GEVO_CUDA_PATH=%t.cuda gevo-run --json=%t.why.json -- %t
// RUN: FileCheck %s --check-prefix=WHY < %t.why.json
// SAME: same
// SASS: "costs": "sass"
// SASS: "costs": "sass"
// OTHER: other
// RULES: "costs": "ptx-rules"
// RULES: "costs": "ptx-rules"
// NOTE: gevo-run: note: 2 kernels priced by rules about PTX ({{plain|wordy}}{{.*}}, ...): {{.*}}bin/ptxas failed
// WHY: "costs": "ptx-rules"
// WHY-NEXT: "costs_reasons": [
// WHY-NEXT: bin/ptxas failed"
// WHY: "costs_cause": "input"
// TEXT: "costs": "ptx-text"
// FREE: GEVO_COSTS: 'free' is neither auto, rules nor text
// OPTION: gevo-run: error: unknown costs 'free'; a program has auto, rules or text

#include "Inputs/check.h"

__global__ void plain(float *x) {
  asm volatile("{ .reg .f32 %%a; .reg .u64 %%p; cvta.to.global.u64 %%p, %0;\n"
               "ld.global.f32 %%a, [%%p]; add.rn.f32 %%a, %%a, 0f3F800000;\n"
               "st.global.f32 [%%p], %%a; }" ::"l"(x));
}

// The assembler adds the constants up; there are so many that the load does not
// hide them.
#define TEN(Text) Text Text Text Text Text Text Text Text Text Text
__global__ void wordy(float *x) {
  asm volatile(
      "{ .reg .f32 %%a, %%b; .reg .u64 %%p; cvta.to.global.u64 %%p, %0;\n"
      "mov.f32 %%b, 0f3F800000;\n" TEN(
          TEN("add.rn.f32 %%b, %%b, 0f00000000;\n"))
      "ld.global.f32 %%a, [%%p]; add.rn.f32 %%a, %%a, %%b;\n"
      "st.global.f32 [%%p], %%a; }" ::"l"(x));
}

template <typename Kernel> float timeOf(Kernel kernel, float *x) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  kernel<<<1, 1>>>(x);
  CHECK(cudaEventRecord(start));
  kernel<<<1, 1>>>(x);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  return milliseconds;
}

int main() {
  float *x;
  CHECK(cudaMalloc(&x, 4));
  CHECK(cudaMemset(x, 0, 4));
  std::puts(timeOf(plain, x) == timeOf(wordy, x) ? "same" : "other");
}
