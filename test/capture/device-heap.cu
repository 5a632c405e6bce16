// Launches that allocate, use and free memory of the device heap are captured
// and replayed, each by itself: pointers are what they were. What they leave on
// the heap is compared, and a variant must not free more or less.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: rm -rf %t.dir
// RUN: gevo-run --capture=%t.dir --json=%t.json -- %t 2>&1 | FileCheck %s --check-prefix=CAPTURED
// RUN: gevo-run --replay=%t.dir --repeat=3 --json=- | FileCheck %s
// CAPTURED-NOT: warning
// CAPTURED-DAG: captured 1 of 1 launches of _Z3popv
// CAPTURED-DAG: captured 2 of 2 launches of _Z5grownb
// CAPTURED-DAG: captured 2 of 2 launches of _Z4pushi
// CAPTURED-DAG: captured 1 of 1 launches of _Z7scratchPi
// CAPTURED-DAG: captured 2 of 2 launches of _Z6tanglei
// CHECK-COUNT-9: "outcome": "passed"
// CHECK-NOT: "outcome"

// Its blocks are one output, and a wrong one is named.
// RUN: gevo-run --replay=%t.dir --kernels=push --json=- | grep -c '"name": "heap"' | FileCheck %s --check-prefix=NAMES
// NAMES: {{^2$}}
// RUN: %clangxx_cuda -O1 --offload-arch=sm_70 --cuda-device-only -S -DSTEP=2 %s -o %t.wrong.ptx
// RUN: not gevo-run --replay=%t.dir --substitute=%t.wrong.ptx --kernels=sum | FileCheck %s --check-prefix=WRONG
// WRONG: wrong-output
// WRONG: element 0 of heap block 0x{{[0-9a-f]+}} is {{[0-9]+}}, expected {{[0-9]+}} (s32)
// RUN: gevo-run --replay=%t.dir --substitute=%t.wrong.ptx --kernels=sum --tolerance=heap=abs:1

// A variant that frees nothing leaves another heap behind.
// RUN: gevo-run --replay=%t.dir --extract=%t.ptx
// RUN: sed '/entry _Z3popv/,/ret;/{/{.*callseq/,/}.*callseq/d}' %t.ptx/module-0.ptx > %t.leak.ptx
// RUN: not gevo-run --replay=%t.dir --substitute=%t.leak.ptx --kernels=pop | FileCheck %s --check-prefix=LEAK
// LEAK: input-changed
// LEAK: the device heap grows by 0 bytes, with the original by -1024

// One that frees what the original keeps, too, and does no harm to later runs.
// RUN: %clangxx_cuda -O1 --offload-arch=sm_70 --cuda-device-only -S -DGREEDY %s -o %t.greedy.ptx
// RUN: not gevo-run --replay=%t.dir --substitute=%t.greedy.ptx --kernels=sum | FileCheck %s --check-prefix=GREEDY
// GREEDY: input-changed
// GREEDY: the device heap grows by -1024 bytes, with the original by 0

// Blocks have bounds of their own, and a use after free is found.
// RUN: %clangxx_cuda -O1 --offload-arch=sm_70 --cuda-device-only -S -DOVERRUN %s -o %t.overrun.ptx
// RUN: not gevo-run --replay=%t.dir --substitute=%t.overrun.ptx --kernels=sum --json=- | FileCheck %s --check-prefix=PAST
// PAST: "outcome": "fault"
// PAST: 4 bytes past the end of the allocation of 16 bytes
// RUN: %clangxx_cuda -O1 --offload-arch=sm_70 --cuda-device-only -S -DLATE %s -o %t.late.ptx
// RUN: not gevo-run --replay=%t.dir --substitute=%t.late.ptx --kernels=pop --json=- | FileCheck %s --check-prefix=LATE
// LATE: "outcome": "fault"

// A large block is compared like a small one.
// RUN: not gevo-run --replay=%t.dir --substitute=%t.wrong.ptx --kernels=grow | FileCheck %s --check-prefix=LARGE
// LARGE: element 20000 of heap block 0x{{[0-9a-f]+}} is {{[0-9]+}}, expected {{[0-9]+}} (s32)

#include "../cudart/programs/Inputs/check.h"

#ifndef STEP
#define STEP 1
#endif

struct node {
  int value;
  node *next;
};

__device__ node *heads[64];
__device__ int *large[64];

// Keeps what it allocates, pointers to it included.
__global__ void push(int value) {
  node *n = (node *)malloc(sizeof(node));
  n->value = value + threadIdx.x;
  n->next = heads[threadIdx.x];
  heads[threadIdx.x] = n;
}

// Uses what earlier launches allocated.
__global__ void sum(int *out) {
  int total = 0;
  for (node *n = heads[threadIdx.x]; n; n = n->next)
    total += (n->value += STEP) - STEP;
#ifdef OVERRUN
  total += heads[threadIdx.x][1].value * 0 + ((volatile int *)heads[0])[5];
#endif
  out[threadIdx.x] = total;
#ifdef GREEDY
  free(heads[threadIdx.x]);
#endif
}

// Frees one node of each list, and some it never looked at before.
__global__ void pop() {
  node *n = heads[threadIdx.x];
  heads[threadIdx.x] = n->next;
  n->value = 0;
  free(n);
#ifdef LATE
  ((volatile node *)n)->value = 1;
#endif
}

// Threads that make several blocks of different sizes, or none, and free some
// that an earlier launch made: no two are alike in a row.
__global__ void tangle(int round) {
  if (threadIdx.x % 3 == round)
    return;
  for (int i = 0; i < 1 + threadIdx.x % 4; ++i) {
    int **link = (int **)malloc(8 + 4 * ((threadIdx.x * 7 + i) % 30));
    *link = large[threadIdx.x];
    large[threadIdx.x] = (int *)link;
  }
  if (threadIdx.x % 2) {
    int **top = (int **)large[threadIdx.x], **below = (int **)*top;
    *top = below ? *below : nullptr;
    free(below);
  }
}

__device__ int *grown_block;

// The second launch finds what the first one made, a large block.
__global__ void grown(bool first) {
  if (first && threadIdx.x == 0)
    grown_block = (int *)malloc(100000);
  __syncthreads();
  grown_block[20000 + threadIdx.x] += STEP + threadIdx.x;
}

// Everything within one launch, and a request that cannot be met.
__global__ void scratch(int *out) {
  int *mine = (int *)malloc(100 * sizeof(int));
  for (int i = 0; i < 100; ++i)
    mine[i] = i * threadIdx.x;
  int total = 0;
  for (int i = 0; i < 100; ++i)
    total += mine[i];
  free(mine);
  large[threadIdx.x] = (int *)malloc(size_t(1) << 40);
  out[threadIdx.x] = total + (large[threadIdx.x] != nullptr);
}

int main() {
  int *out, got[64], want[64];
  CHECK(cudaMalloc(&out, sizeof(got)));
  push<<<1, 64>>>(1);
  push<<<1, 64>>>(100);
  sum<<<1, 64>>>(out);
  CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    EXPECT(got[i] == 101 + 2 * i);
  pop<<<1, 64>>>();
  tangle<<<1, 64>>>(0);
  tangle<<<1, 64>>>(1);
  scratch<<<1, 64>>>(out);
  CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    want[i] = 4950 * i;
  grown<<<1, 64>>>(true);
  grown<<<1, 64>>>(false);
  return compare(got, want, 64);
}
