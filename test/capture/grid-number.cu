// A launch that is replayed has the number in %gridid that it had in the program,
// whatever is replayed before it. Numbers count the launches of a context in the
// order of the calls, whatever stream they are in; a graph's count when it runs.
// REQUIRES: cuda-link
// RUN: rm -rf %t && mkdir %t && %cuda_program %s -o %t/app
// RUN: gevo-run --gpu=V100,V100 --capture=%t/c --launches=8 -- %t/app 2>/dev/null | FileCheck %s --check-prefix=PROGRAM
// RUN: gevo-run --gpu=V100,V100 --time=off -- %t/app 2>/dev/null | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: 1 2 3 1 4 5 {{$}}
// RUN: gevo-run --replay=%t/c --repeat=3 --json=%t/report
// RUN: FileCheck %s < %t/report
// CHECK: "passed": true
// CHECK-COUNT-6: "outcome": "passed"
// RUN: grep -o '"grid_number": [0-9]*' %t/c/process-0.json | sort | uniq -c | FileCheck %s --check-prefix=KEPT
// KEPT: 2 "grid_number": 1
// KEPT-NEXT: 1 "grid_number": 2
// KEPT-NEXT: 1 "grid_number": 3
// KEPT-NEXT: 1 "grid_number": 4
// KEPT-NEXT: 1 "grid_number": 5

// Another number is noticed.
// RUN: gevo-run --replay=%t/c --extract=%t/ptx
// RUN: sed 's/%%gridid/1/' %t/ptx/module-0.ptx > %t/one.ptx
// RUN: not cmp %t/ptx/module-0.ptx %t/one.ptx
// RUN: not gevo-run --replay=%t/c --substitute=%t/one.ptx --json=%t/other
// RUN: FileCheck %s --check-prefix=OTHER < %t/other
// OTHER-COUNT-4: "outcome": "wrong-output"
#include <cstdio>

__global__ void number(unsigned long long *To) {
  unsigned long long Grid;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(Grid));
  if (!blockIdx.x)
    To[threadIdx.x] = Grid;
}

static void show(unsigned long long *From) {
  unsigned long long First;
  cudaMemcpy(&First, From, sizeof(First), cudaMemcpyDeviceToHost);
  printf("%llu ", First);
}

int main() {
  unsigned long long *To[6];
  for (auto &P : To)
    cudaMalloc(&P, 256 * sizeof(*P));
  cudaStream_t S, T;
  cudaStreamCreate(&S);
  cudaStreamCreate(&T);
  // Other sizes, so that each is kept.
  number<<<4, 32, 0, T>>>(To[0]);
  number<<<4, 64, 0, S>>>(To[1]);
  cudaGraph_t Graph;
  cudaGraphExec_t Ready;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  number<<<4, 96, 0, S>>>(To[4]);
  cudaStreamEndCapture(S, &Graph);
  cudaGraphInstantiate(&Ready, Graph, nullptr, nullptr, 0);
  number<<<4, 128>>>(To[2]);
  cudaSetDevice(1);
  cudaMalloc(&To[3], 256 * sizeof(*To[3]));
  number<<<4, 160>>>(To[3]);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  cudaGraphLaunch(Ready, S);
  number<<<4, 192>>>(To[5]);
  cudaDeviceSynchronize();
  for (auto *P : To)
    show(P);
  printf("\n");
}
