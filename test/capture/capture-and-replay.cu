// A program is captured and its launches are replayed: pointers in memory,
// variables and constants, atomics, buffers that take turns, launches that
// differ in grid or behaviour. Variants that are wrong are refused, each for
// its reason.
// REQUIRES: cuda-link
// RUN: rm -rf %t && mkdir %t && %cuda_program %s -o %t/app
// RUN: gevo-run --capture=%t/c -- %t/app > %t/out 2> %t/err
// RUN: FileCheck %s --check-prefix=PROGRAM < %t/out
// RUN: FileCheck %s --check-prefix=CAPTURED < %t/err
// PROGRAM: done 41
// CAPTURED-DAG: captured 1 of 1 launches of {{.*}}walk
// CAPTURED-DAG: captured 1 of 1 launches of {{.*}}gather
// CAPTURED-DAG: captured 1 of 40 launches of {{.*}}smooth
// CAPTURED-DAG: captured 3 of 3 launches of {{.*}}count

// RUN: gevo-run --replay=%t/c --json=- | FileCheck %s --check-prefix=JSON
// JSON: "gpu": "V100"
// JSON: "passed": true

// What a kernel only reads has no marks of writes, although an output of it
// lies in the same page: the pieces of arg0 of gather, the pointers' array.
// RUN: %python %S/Inputs/written.py %t/c gather | FileCheck %s --check-prefix=PAGES
// PAGES: 32 bytes, only read
// PAGES: 1024 bytes, written

// RUN: gevo-run --replay=%t/c | FileCheck %s --check-prefix=TABLE
// TABLE: kernel{{ +}}launch{{ +}}weight{{ +}}time_us{{ +}}before_us{{ +}}error{{ +}}outcome
// TABLE: smooth{{.*}} 40 {{.*}} 0  passed
// TABLE-NOT: wrong

// The same on another GPU, without the model of time, on one kernel.
// RUN: gevo-run --replay=%t/c --gpu=A100 --time=off --kernels=walk --json=- | FileCheck %s --check-prefix=WALK
// WALK: "gpu": "A100"
// WALK: "kernel": "{{.*}}walk{{.*}}"
// WALK: "cycles": 0
// WALK: "type": "f32"
// WALK-NOT: "kernel"

// The program's PTX, changed.
// RUN: gevo-run --replay=%t/c --extract=%t/ptx | FileCheck %s --check-prefix=EXTRACT
// EXTRACT: ptx/module-0.ptx
// RUN: gevo-run --replay=%t/c --substitute=%t/ptx/module-0.ptx | FileCheck %s --check-prefix=SAME
// SAME-NOT: wrong
// RUN: sed '/st.global/d' %t/ptx/module-0.ptx > %t/unwritten.ptx
// RUN: not gevo-run --replay=%t/c --substitute=%t/unwritten.ptx --kernels=smooth | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: unwritten
// UNWRITTEN: element {{[0-9]+}} of arg1 was not written
// RUN: sed 's/0f3F000000/0f3F100000/' %t/ptx/module-0.ptx > %t/wrong.ptx
// RUN: not gevo-run --replay=%t/c --substitute=%t/wrong.ptx --kernels=smooth | FileCheck %s --check-prefix=WRONG
// WRONG: wrong-output
// WRONG: element {{[0-9]+}} of arg1 is {{.*}}, expected {{.*}} (f32)
// RUN: gevo-run --replay=%t/c --substitute=%t/wrong.ptx --kernels=smooth --tolerance=abs:1e9 | FileCheck %s --check-prefix=LAX
// RUN: gevo-run --replay=%t/c --substitute=%t/wrong.ptx --kernels=smooth --tolerance=arg1=abs:1e9 | FileCheck %s --check-prefix=LAX
// LAX: passed
// RUN: sed '/atom.global/d' %t/ptx/module-0.ptx > %t/uncounted.ptx
// RUN: not gevo-run --replay=%t/c --substitute=%t/uncounted.ptx --kernels=count | FileCheck %s --check-prefix=UNCOUNTED
// UNCOUNTED: wrong-output
// UNCOUNTED: element 0 of Total is 0, expected {{[0-9]+}} (s32)

// Fewer than there are: the nearest two are one.
// RUN: gevo-run --capture=%t/two --kernels=count --launches=2 -- %t/app 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: captured 2 of 3 launches of {{.*}}count
// TWO-NOT: captured

// Bad input.
// RUN: not gevo-run --replay=%t/none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: gevo-run: error: cannot read the folder '{{.*}}none': No such file or directory
// RUN: mkdir %t/empty && not gevo-run --replay=%t/empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: gevo-run: error: '{{.*}}empty' holds no capture
// RUN: cp -r %t/c %t/cut && %python -c "import sys,glob; f=max(glob.glob(sys.argv[1]+'/blobs/*')); d=open(f,'rb').read(); open(f,'wb').write(d[:-3])" %t/cut
// RUN: not gevo-run --replay=%t/cut 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: gevo-run: error: '{{.*}}.zst' is truncated or damaged
// RUN: not gevo-run --replay=%t/c --kernels=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: gevo-run: error: no captured kernel has a name that '--kernels' asks for
// RUN: not gevo-run --replay=%t/c --gpu=V1000 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: gevo-run: error: unknown GPU 'V1000'; known are {{.*}}V100
// RUN: printf ".version 7.0\n.target sm_70\n.address_size 64\n" > %t/nothing.ptx
// RUN: not gevo-run --replay=%t/c --substitute=%t/nothing.ptx 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: echo garbage > %t/garbage.ptx && not gevo-run --replay=%t/c --substitute=%t/garbage.ptx 2>&1 | FileCheck %s --check-prefix=GARBAGE
// GARBAGE: gevo-run: error: cannot load '{{.*}}garbage.ptx', which is to be substituted: PTX 1:1: {{.*}}'garbage'
// RUN: not gevo-run --replay=%t/c --repeat=0 2>&1 | FileCheck %s --check-prefix=REPEAT
// REPEAT: gevo-run: error: '0' is too small for '--repeat'; the least is 1
// RUN: not gevo-run --replay=%t/c --substitute=%t/wrong.ptx --kernels=smooth --json=%t/wrong.json 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: gevo-run: error: launch 2 of {{.*}}smooth{{.*}}: wrong-output: element
// NOTHING: gevo-run: error: '{{.*}}nothing.ptx' took the place of nothing
// RUN: not gevo-run --replay=%t/c --tolerance=much 2>&1 | FileCheck %s --check-prefix=MUCH
// MUCH: gevo-run: error: 'much' is no tolerance
// RUN: not gevo-run --replay=%t/c --tolerances=exact 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: unknown option '--tolerances'; did you mean '--tolerance'?
// RUN: not gevo-run --capture=%t/ptx -- %t/app 2>&1 | FileCheck %s --check-prefix=MINE
// MINE: gevo-run: error: the folder '{{.*}}ptx' holds 'module-0.ptx', which is no part of a capture
// RUN: not gevo-run --capture=%t/x --kernels="(" -- %t/app 2>&1 | FileCheck %s --check-prefix=REGEX
// REGEX: '(' is no regular expression
// RUN: not gevo-run --capture=%t/x --launches=0 -- %t/app 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: '0' is no number of launches
// RUN: not gevo-run --kernels=x -- %t/app 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: go with '--capture=FOLDER'
// RUN: not gevo-run --capture=%t/x --kernels=nobody -- %t/app 2>&1 | FileCheck %s --check-prefix=NOKERNEL
// NOKERNEL: gevo-run: error: nothing was captured: '--kernels=nobody' matches none of the kernels that ran: {{.*_Z.*}}

// A disk that is full: the program runs to its end, the exit code says it.
// RUN: not env LIMIT=1 sh -c 'ulimit -f 1; trap "" XFSZ; exec gevo-run --capture=%t/full -- %t/app' > %t/out 2> %t/err
// RUN: FileCheck %s --check-prefix=PROGRAM < %t/out
// RUN: FileCheck %s --check-prefix=FULL < %t/err
// FULL: nothing more is captured: cannot write '{{.*}}': File too large
// RUN: not gevo-run --replay=%t/full

#include <cstdio>
#include <cuda_runtime.h>

struct Node {
  Node *Next;
  float Value;
};

__global__ void walk(const Node *At, float *Sum) {
  float S = 0;
  for (; At; At = At->Next)
    S += At->Value;
  *Sum = S;
}

__constant__ float Scale = 2;
__device__ unsigned Total;

__global__ void gather(float *const *Rows, float *Out, int Width) {
  int I = threadIdx.x;
  Out[blockIdx.x * Width + I] = Scale * Rows[blockIdx.x][I];
}

__global__ void smooth(const float *In, float *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I > 0 && I < N - 1)
    Out[I] = 0.25f * In[I - 1] + 0.5f * In[I] + 0.25f * In[I + 1];
  else if (I < N)
    Out[I] = In[I];
}

__global__ void count(const unsigned *Values, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N && (Values[I] & 1))
    atomicAdd(&Total, 1u);
}

int main() {
  // A list whose nodes are anywhere.
  float *Sum;
  cudaMalloc(&Sum, sizeof(float));
  Node *Head = nullptr;
  for (int K = 0; K < 10; ++K) {
    Node Host = {Head, float(K)};
    cudaMalloc(&Head, sizeof(Node));
    cudaMemcpy(Head, &Host, sizeof(Node), cudaMemcpyHostToDevice);
  }
  walk<<<1, 1>>>(Head, Sum);

  // An array of pointers, a constant that the program sets.
  float Row[64], *Rows[4], **Device, *Out;
  for (int K = 0; K < 64; ++K)
    Row[K] = float(K * K % 97);
  for (float *&R : Rows) {
    cudaMalloc(&R, sizeof(Row));
    cudaMemcpy(R, Row, sizeof(Row), cudaMemcpyHostToDevice);
  }
  cudaMalloc(&Device, sizeof(Rows));
  cudaMemcpy(Device, Rows, sizeof(Rows), cudaMemcpyHostToDevice);
  cudaMalloc(&Out, 4 * sizeof(Row));
  float Three = 3;
  cudaMemcpyToSymbol(Scale, &Three, sizeof(float));
  gather<<<4, 64>>>(Device, Out, 64);

  // Two buffers that take turns: one kind of launch.
  float *A = Out, *B;
  cudaMalloc(&B, 4 * sizeof(Row));
  for (int K = 0; K < 40; ++K) {
    smooth<<<2, 128>>>(A, B, 256);
    float *Old = A;
    A = B;
    B = Old;
  }

  // Launches of different size.
  unsigned Values[2048], *Copy, Result;
  for (int K = 0; K < 2048; ++K)
    Values[K] = K * 2654435761u >> 26;
  cudaMalloc(&Copy, sizeof(Values));
  cudaMemcpy(Copy, Values, sizeof(Values), cudaMemcpyHostToDevice);
  for (int N : {2048, 32, 64})
    count<<<(N + 63) / 64, 64>>>(Copy, N);
  cudaMemcpyFromSymbol(&Result, Total, sizeof(Result));
  float Got = 0;
  cudaMemcpy(&Got, Sum, sizeof(float), cudaMemcpyDeviceToHost);
  if (cudaDeviceSynchronize() != cudaSuccess || Got != 45)
    return 1;
  std::printf("done %u\n", Result > 100 ? 41 : 0);
  return 0;
}
