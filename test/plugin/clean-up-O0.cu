// At -O0, where every variable is in memory and clang marks functions as not to be
// optimised, the clean-up still removes all that an edit left without effect: loops,
// stores to local arrays and to shared memory, blocks. A function without edits keeps its PTX
// to the byte.

// REQUIRES: plugin, cuda
// RUN: rm -rf %t && split-file %s %t
// DEFINE: %{device} = %clangxx_cuda %cuda_small --cuda-gpu-arch=sm_70 --cuda-device-only -O0 -S %t/app.cu -fpass-plugin=%gevo_plugin
// RUN: env GEVO_RECORD=%t/record %{device} -o %t/original.s
// RUN: %edit_set %t/edits.txt %t/record/*.bc > %t/edits.json
// RUN: env GEVO_EDITS=%t/edits.json GEVO_STRICT=1 %{device} -o %t/edited.s
// RUN: FileCheck %s --check-prefix=BEFORE < %t/original.s
// RUN: FileCheck %s < %t/edited.s
// RUN: env GEVO_EDITS=%t/edits.json GEVO_STRICT=1 %{device} -emit-llvm -o - | FileCheck %s --check-prefix=IR
// RUN: sed -n '/entry _Z9untouched/,/^}/p' %t/original.s > %t/untouched.original
// RUN: sed -n '/entry _Z9untouched/,/^}/p' %t/edited.s > %t/untouched.edited
// RUN: cmp %t/untouched.original %t/untouched.edited
// RUN: FileCheck %s --check-prefix=UNTOUCHED < %t/untouched.edited
// UNTOUCHED: bra

// What is looked for below is there without the edits.
// BEFORE-LABEL: .entry _Z4loopPfi(
// BEFORE:         .local
// BEFORE:         @{{.*}} bra
// BEFORE-LABEL: .entry _Z5arrayPfi(
// BEFORE:         ld.f32
// BEFORE-LABEL: .entry _Z4tilePf(
// BEFORE:         cvta.shared
// BEFORE-LABEL: .entry _Z6blocksPfi(
// BEFORE:         mul.

// CHECK-NOT:   .shared
// CHECK-NOT:   .local
// CHECK-NOT:   bra
// CHECK-NOT:   ld.f32
// CHECK:       .entry _Z9untouchedPfi(

// IR-LABEL: define {{.*}} @_Z4loopPfi(
// IR-NEXT:    store float 1.0{{.*}}, ptr %0
// IR-NEXT:    ret void
// IR-LABEL: define {{.*}} @_Z5arrayPfi(
// IR-NEXT:    store float 1.0{{.*}}, ptr %0
// IR-NEXT:    ret void
// IR-LABEL: define {{.*}} @_Z4tilePf(
// IR-NEXT:    store float 1.0{{.*}}, ptr %0
// IR-NEXT:    ret void
// IR-LABEL: define {{.*}} @_Z6blocksPfi(
// IR-NEXT:    store float 1.0{{.*}}, ptr %0
// IR-NEXT:    ret void

//--- edits.txt
@_Z4loopPfi {"kind": "delete", "at": "i(store float %23)"}
@_Z5arrayPfi {"kind": "delete", "at": "i(store float %29)"}
@_Z4tilePf {"kind": "delete", "at": "i(store float %25)"}
@_Z6blocksPfi {"kind": "branch", "at": "i(br i1)", "take": "false"}
//--- app.cu
#include "test/plugin/Inputs/device.h"

// The loop's sum is not stored any more.
__global__ void loop(float *Out, int N) {
  float Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += Out[I];
  Out[1] = Sum;
  Out[0] = 1;
}

// Nobody reads the local array any more.
__global__ void array(float *Out, int N) {
  float Row[8];
  for (int I = 0; I < 8; ++I)
    Row[I] = Out[I + N];
  Out[1] = Row[N & 7];
  Out[0] = 1;
}

// Nor the shared one.
__global__ void tile(float *Out) {
  __shared__ float Tile[256];
  for (int I = __nvvm_read_ptx_sreg_tid_x(); I < 256; I += 32)
    Tile[I] = Out[I];
  Out[1] = Tile[__nvvm_read_ptx_sreg_tid_x() ^ 1];
  Out[0] = 1;
}

// The condition is always false.
__global__ void blocks(float *Out, int N) {
  if (N > 5)
    Out[N] = Out[N] * 3;
  else
    Out[0] = 1;
}

__global__ void untouched(float *Out, int N) {
  float Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += Out[I];
  Out[0] = 1;
}
