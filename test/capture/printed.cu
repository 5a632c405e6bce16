// What printf prints in a launch is an output of it, and is compared, not
// printed, when it is replayed. A launch that leaves nothing at all has nothing
// to compare, and that is said.
// REQUIRES: cuda-link
// RUN: rm -rf %t && mkdir %t && %cuda_program %s -o %t/app
// RUN: gevo-run --capture=%t/c -- %t/app 2>/dev/null | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: thread 0 has 0.500
// PROGRAM: thread 2 has 2.500
// RUN: gevo-run --replay=%t/c --json=- > %t/report
// RUN: FileCheck %s < %t/report
// CHECK: {
// CHECK: "passed": true
// CHECK: "kernel": "{{.*}}tell
// CHECK: "outcome": "passed"
// CHECK: "name": "printf"
// CHECK: "kernel": "{{.*}}rest
// CHECK: "outcome": "nothing-compared"
// CHECK-NOT: thread 0

// RUN: not gevo-run --replay=%t/c --kernels=rest 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: gevo-run: error: nothing was compared: the launches leave nothing in memory and print nothing

// Another number, no text, and text where there was none.
// RUN: gevo-run --replay=%t/c --extract=%t/ptx
// RUN: sed 's/0d3FE0000000000000/0d3FE1000000000000/' %t/ptx/module-0.ptx > %t/other.ptx
// RUN: not cmp %t/ptx/module-0.ptx %t/other.ptx
// RUN: not gevo-run --replay=%t/c --kernels=tell --substitute=%t/other.ptx | FileCheck %s --check-prefix=OTHER
// OTHER: wrong-output
// OTHER: line 1 of 'printf' is 'thread 0 has 0.531' instead of 'thread 0 has 0.500'
// RUN: gevo-run --replay=%t/c --kernels=tell --substitute=%t/other.ptx --tolerance=printf=abs:0.1
// RUN: sed '/entry.*tell/,/^}/{/{.*callseq/,/}.*callseq/d}' %t/ptx/module-0.ptx > %t/silent.ptx
// RUN: not gevo-run --replay=%t/c --kernels=tell --substitute=%t/silent.ptx | FileCheck %s --check-prefix=SILENT
// SILENT: 'printf' is empty
// RUN: sed 's/tell/swap/g; s/rest/tell/g; s/swap/rest/g' %t/ptx/module-0.ptx > %t/loud.ptx
// RUN: not gevo-run --replay=%t/c --kernels=rest --substitute=%t/loud.ptx | FileCheck %s --check-prefix=LOUD
// LOUD: it prints, which the original does not do

// A rule for an output that is not there is refused.
// RUN: not gevo-run --replay=%t/c --tolerance=arg0=abs:1 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: gevo-run: error: option '--tolerance' names the output 'arg0', which no captured launch has; there are printf
// RUN: not gevo-run --replay=%t/c --kernels=rest --tolerance=printf=abs:1 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: which no captured launch has; there are none
#include <cstdio>

__global__ void tell() {
  printf("thread %d has %.3f\n", threadIdx.x, threadIdx.x + 0.5);
}
__global__ void rest() {}

int main() {
  tell<<<1, 3>>>();
  rest<<<1, 3>>>();
  return cudaDeviceSynchronize();
}
