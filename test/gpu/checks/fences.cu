// What fences, flags, locks and barriers order between threads and blocks is no
// race; each of them left out or too narrow is one, and both parties are named.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 -gline-tables-only --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: not gevo-run --no-timing --ptx %t.ptx %S/Inputs/fences.json > %t.json
// RUN: %python %S/Inputs/findings.py %t.json | FileCheck %s

enum Fault { None, NoFence, BlockFence, NoBarrier, NoAcquire, BlockAcquire };

template <Fault F> __device__ void fence() {
  if (F == BlockFence)
    __threadfence_block();
  else if (F != NoFence)
    __threadfence();
}

// After another thread's flag was seen.
template <Fault F> __device__ void acquire() {
  if (F == BlockAcquire)
    __threadfence_block();
  else if (F != NoAcquire)
    __threadfence();
}

// The last block to count itself adds up what the others left. All threads of
// a block write; the first one counts for them.
template <Fault F>
__device__ void lastBlock(int *Parts, unsigned *Count, int *Sum) {
  __shared__ bool Last;
  Parts[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + 1;
  fence<F>();
  if (F != NoBarrier)
    __syncthreads();
  if (threadIdx.x == 0)
    Last = atomicInc(Count, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (Last) {
    int Mine = 0;
    for (unsigned B = 0; B < gridDim.x; ++B)
      Mine += Parts[B * blockDim.x + threadIdx.x];
    atomicAdd(Sum, Mine);
  }
}

// A scan in which each block waits for the total of the one before it.
template <Fault F>
__device__ void lookBack(volatile int *Flags, int *Totals, int *Out) {
  if (threadIdx.x != 0)
    return;
  int Before = 0;
  if (blockIdx.x) {
    while (!Flags[blockIdx.x - 1])
      ;
    acquire<F>();
    Before = Totals[blockIdx.x - 1];
  }
  Totals[blockIdx.x] = Before + 1;
  fence<F>();
  Flags[blockIdx.x] = 1;
  Out[blockIdx.x] = Before;
}

// One thread at a time, also of a warp.
template <Fault F> __device__ void locked(int *Lock, int *Counter) {
  for (bool Done = false; !Done;)
    if (atomicCAS(Lock, 0, 1) == 0) {
      acquire<F>();
      *Counter += 1;
      fence<F>();
      atomicExch(Lock, 0);
      Done = true;
    }
}

#define KERNELS(Name, F)                                                       \
  extern "C" __global__ void lastBlock##Name(int *P, unsigned *C, int *S) {    \
    lastBlock<F>(P, C, S);                                                     \
  }                                                                            \
  extern "C" __global__ void lookBack##Name(int *F1, int *T, int *O) {         \
    lookBack<F>(F1, T, O);                                                     \
  }                                                                            \
  extern "C" __global__ void locked##Name(int *L, int *C) { locked<F>(L, C); }
KERNELS(Good, None)
KERNELS(NoFence, NoFence)
KERNELS(BlockFence, BlockFence)
KERNELS(NoAcquire, NoAcquire)
KERNELS(BlockAcquire, BlockAcquire)
extern "C" __global__ void lastBlockNoBarrier(int *P, unsigned *C, int *S) {
  lastBlock<NoBarrier>(P, C, S);
}

// CHECK: status findings
// CHECK-NOT: Good {{[a-z]}}
// CHECK-DAG: lastBlockNoFence race-global 40 30
// CHECK-DAG: lookBackNoFence race-global 55 57
// CHECK-DAG: lockedNoFence race-global 68 68
// CHECK-DAG: lastBlockBlockFence race-global 40 30
// CHECK-DAG: lookBackBlockFence race-global 55 57
// CHECK-DAG: lockedBlockFence race-global 68 68
// CHECK-DAG: lastBlockNoBarrier race-global 40 30
// CHECK-DAG: lookBackNoAcquire race-no-acquire 55 57
// CHECK-DAG: lookBackBlockAcquire race-no-acquire 55 57
// CHECK-DAG: lockedNoAcquire race-no-acquire 68 68
// CHECK-DAG: lockedBlockAcquire race-no-acquire 68 68
// CHECK-NOT: Good {{[a-z]}}
// CHECK: sumGood 640
// CHECK-NEXT: outGood 0 1 2 3 4 5 6 7
// CHECK-NEXT: counterGood 80
