// Programs of several sources with relocatable device code: functions,
// variables, constants, templates and pointers to functions of one source are
// used in another; what is internal stays apart. Built in one go, in steps,
// from an archive, by plain clang; captured and replayed.
// REQUIRES: plugin, cuda-link
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: gevo-clang++ -I%S/Inputs/rdc -fgpu-rdc %s %S/Inputs/rdc/second.cu -o once 2>&1 | count 0
// RUN: gevo-run -- ./once 2> report | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < report
// CHECK-DAG: first a
// CHECK-DAG: second b
// CHECK: counter 2000, 0 wrong
// REPORT: 2 launches of 2 kernels

// In steps, at another level, with source lines, for two architectures; the
// second one in an archive beside an object that nothing needs.
// RUN: gevo-clang++ -I%S/Inputs/rdc -O2 -gline-tables-only -fgpu-rdc --offload-arch=sm_70 --offload-arch=sm_80 -c %s -o first.o
// RUN: gevo-clang++ -I%S/Inputs/rdc -O2 -gline-tables-only -fgpu-rdc --offload-arch=sm_70 --offload-arch=sm_80 -c %S/Inputs/rdc/second.cu -o second.o
// RUN: echo '__global__ void spare() {} void unused() { spare<<<1, 1>>>(); }' > spare.cu
// RUN: gevo-clang++ -fgpu-rdc --offload-arch=sm_70 --offload-arch=sm_80 -c spare.cu -o spare.o
// RUN: llvm-ar rcs libmore.a second.o spare.o
// RUN: gevo-clang++ first.o -L. -lmore -o steps 2>&1 | count 0
// RUN: gevo-run --gpu=A100 -- ./steps 2> report | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < report

// ptxas takes the merged PTX for what it is, and a capture holds it.
// RUN: gevo-run --capture=c -- ./steps > /dev/null
// RUN: gevo-run --replay=c --extract=ptx
// RUN: %cuda_path/bin/ptxas -arch=sm_70 ptx/module-0.ptx -o linked.cubin
// RUN: gevo-run --replay=c | FileCheck %s --check-prefix=REPLAY
// REPLAY: first{{.*}} passed
// REPLAY: second{{.*}} passed

// Plain clang.
// RUN: %cuda_program -fgpu-rdc -I%S/Inputs/rdc %s %S/Inputs/rdc/second.cu -o plain --ld-path=%gevo_build/bin/gevo-ld
// RUN: gevo-run -- ./plain 2>&1 | FileCheck %s

// A part that is linked ahead is linked later; another linker.
// RUN: gevo-ld -r first.o second.o -o part.o
// RUN: gevo-clang++ -fuse-ld=lld part.o -o parts 2>&1 | count 0
// RUN: gevo-run -- ./parts 2>&1 | FileCheck %s

// What cannot be linked.
// RUN: not gevo-clang++ first.o -o nowhere 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: gevo-ld: error: undefined in device code: Counter, _Z4picki, _Z5twistfi; link the object or library that defines it
// RUN: sed 's/launchSecond/launchThird/' %S/Inputs/rdc/second.cu > third.cu
// RUN: gevo-clang++ -I%S/Inputs/rdc -fgpu-rdc -c third.cu -o third.o
// RUN: not gevo-clang++ first.o second.o third.o -o twice 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: gevo-ld: error: cannot link device code for sm_70: 'Counter' is defined in second.o and in third.o
// RUN: gevo-clang++ -I%S/Inputs/rdc -fgpu-rdc --no-cuda-include-ptx=all -c %S/Inputs/rdc/second.cu -o cubin.o
// RUN: not gevo-clang++ first.o cubin.o -o none 2>&1 | FileCheck %s --check-prefix=NOPTX
// NOPTX: gevo-ld: error: no architecture has PTX in all objects with relocatable device code; compile all of them for the same --offload-arch, and with PTX
#include "shared.cuh"
#include <cstdio>
#include <cuda_runtime.h>

static __device__ int Hidden = 3;
__constant__ float Scale[4] = {1, 2, 3, 4};

__global__ void first(float *Data, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  Data[I] = clampTo<float>(twist(float(I), I & 3), 0, 500) +
            pick(I & 1)(Data[I], I & 3) + Hidden;
  atomicAdd(&Counter, 1);
  if (I == 0)
    printf("first %s\n", "a");
}

static float clamped(float V, float High) {
  return V < 0 ? 0 : V > High ? High : V;
}

int main() {
  const int Count = 1000;
  float *Data, Before[Count], After[Count];
  for (int I = 0; I < Count; ++I)
    Before[I] = float(I) * 0.5f;
  cudaMalloc(&Data, sizeof(Before));
  cudaMemcpy(Data, Before, sizeof(Before), cudaMemcpyHostToDevice);
  first<<<8, 128>>>(Data, Count);
  launchSecond(Data, Count);
  int Counted = 0, Wrong = 0;
  cudaMemcpyFromSymbol(&Counted, Counter, sizeof(Counted));
  cudaMemcpy(After, Data, sizeof(After), cudaMemcpyDeviceToHost);
  for (int I = 0; I < Count; ++I) {
    float S = float((I & 3) + 1);
    float Want = clamped(float(I) * S + 1, 500) +
                 (I & 1 ? Before[I] - S : Before[I] * S) + 3;
    Wrong += After[I] != clamped(Want, 900) + 7;
  }
  std::printf("counter %d, %d wrong\n", Counted, Wrong);
  return Wrong || cudaDeviceSynchronize() != cudaSuccess;
}
