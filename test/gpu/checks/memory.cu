// Memory that was never written or was freed, atomics where there are none, and
// threads that write the same value.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O1 -gline-tables-only --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: not gevo-run --no-timing --ptx %t.ptx %S/Inputs/memory.json > %t.json
// RUN: %python %S/Inputs/findings.py %t.json | FileCheck %s
// RUN: not gevo-run --no-timing --ptx %t.ptx %S/Inputs/use-after-free.json > %t.freed.json
// RUN: FileCheck %s --check-prefix=FREED --input-file=%t.freed.json
// RUN: not gevo-run --no-timing --ptx %t.ptx %S/Inputs/past-the-end.json > %t.past.json
// RUN: FileCheck %s --check-prefix=PAST --input-file=%t.past.json

extern "C" __global__ void sharedNeverWritten(int *Out) {
  __shared__ int Value[64];
  if (threadIdx.x < 63)
    Value[threadIdx.x] = threadIdx.x;
  __syncthreads();
  Out[threadIdx.x] = Value[63 - threadIdx.x];
}

extern "C" __global__ void localNeverWritten(int *Out, int N) {
  volatile int Table[8];
  for (int I = 0; I < N; ++I)
    Table[I] = I;
  Out[threadIdx.x] = Table[threadIdx.x & 7];
}

__device__ void count(int *Where) { atomicAdd(Where, 1); }
extern "C" __global__ void atomicOnLocal(int *Out, int Choose) {
  int Mine = 0;
  count(Choose ? &Mine : Out);
  Out[1 + threadIdx.x] = Mine;
}

extern "C" __global__ void sameValue(int *Out) { Out[0] = 7; }

extern "C" __global__ void freed(int *Out) {
  int *Heap = static_cast<int *>(malloc(64));
  Heap[3] = threadIdx.x;
  free(Heap);
  Out[threadIdx.x] = Heap[3];
}

extern "C" __global__ void pastTheEnd(int *Out, int N) {
  Out[N + threadIdx.x] = 1;
}

// CHECK: status findings
// CHECK-NEXT: sharedNeverWritten uninitialised-shared 17
// CHECK-NEXT: localNeverWritten uninitialised-local 24
// CHECK-NEXT: atomicOnLocal invalid-atomic
// CHECK-NEXT: sameValue race-same-value 34 34
// CHECK-NEXT: out

// FREED: "status": "illegal-address"
// FREED: "kind": "use-after-free"
// FREED: "message": "global read of 4 bytes at 0x{{[0-9a-f]+}} is inside an allocation of 64 bytes at 0x{{[0-9a-f]+}} that was freed"
// FREED: "line": 40
// FREED: "nearest_allocation"

// PAST: "kind": "out-of-bounds-global"
// PAST: "message": "global write of 4 bytes at {{.*}} is 0 bytes past the end of the allocation of 256 bytes
// PAST: "nearest_allocation"
// PAST: "bytes": 256
