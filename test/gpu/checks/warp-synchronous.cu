// Code that counts on the lanes of a warp running in step is right before sm_70,
// also on later GPUs in PTX for earlier ones, and a race from then on, unless
// __syncwarp is there. A shuffle is no __syncwarp.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 -gline-tables-only --cuda-gpu-arch=sm_60 -S %s -o %t.ptx
// RUN: gevo-run --no-timing --gpu P100 --ptx %t.ptx %S/Inputs/warp-synchronous.json > %t.60.json
// RUN: %python %S/Inputs/findings.py %t.60.json | FileCheck %s --check-prefix=SM60
// RUN: gevo-run --no-timing --gpu V100 --ptx %t.ptx %S/Inputs/warp-synchronous.json > %t.both.json
// RUN: %python %S/Inputs/findings.py %t.both.json | FileCheck %s --check-prefix=SM60
// RUN: %clangxx_cuda --cuda-device-only -O2 -gline-tables-only --cuda-gpu-arch=sm_70 -S %s -o %t.70.ptx
// RUN: not gevo-run --no-timing --gpu V100 --ptx %t.70.ptx %S/Inputs/warp-synchronous.json > %t.70.json
// RUN: %python %S/Inputs/findings.py %t.70.json | FileCheck %s --check-prefix=SM70

extern "C" __global__ void inStep(const int *In, int *Out) {
  __shared__ volatile int Sum[64];
  int T = threadIdx.x;
  Sum[T] = In[T];
  Sum[T + 32] = 0;
  for (int Step = 16; Step; Step /= 2)
    Sum[T] += Sum[T + Step];
  if (T == 0)
    Out[0] = Sum[0];
}

extern "C" __global__ void withShuffle(const int *In, int *Out) {
  __shared__ int Value[32];
  int T = threadIdx.x;
  Value[T] = In[T];
  int Next = __shfl_sync(~0u, T, (T + 1) % 32);
  Out[1 + T] = Value[Next];
}

extern "C" __global__ void synchronised(const int *In, int *Out) {
  __shared__ int Value[32];
  int T = threadIdx.x;
  Value[T] = In[T];
  __syncwarp();
  Out[33 + T] = Value[31 - T];
}

// SM60: status ok
// SM60-NEXT: out 496 1 2 3
// SM70: status findings
// SM70-NOT: synchronised
// SM70: inStep race-shared 20 20
// SM70-NOT: synchronised
// SM70: withShuffle race-shared 30 28
// SM70-NOT: synchronised
