// An edit set replays to the same bytes by environment, by flags, in opt, and in
// the library that a search uses: the IR and the PTX are identical, whatever the
// level, debug information, or how multiplications and additions are fused.

// REQUIRES: plugin, cuda
// RUN: rm -rf %t && split-file %s %t
// DEFINE: %{flags} = -O2
// DEFINE: %{device} = %clangxx_cuda %cuda_small --cuda-gpu-arch=sm_70 --cuda-device-only %{flags} %t/app.cu -fpass-plugin=%gevo_plugin

// The edits change the PTX, so that what follows compares something.
// RUN: env GEVO_RECORD=%t/record %{device} -S -o %t/original.s
// RUN: %edit_set %t/edits.txt %t/record/*.bc > %t/edits.json
// RUN: env GEVO_EDITS=%t/edits.json GEVO_STRICT=1 %{device} -S -o %t/environment.s 2>&1 | count 0
// RUN: not cmp %t/original.s %t/environment.s
// RUN: FileCheck %s < %t/environment.s
// CHECK-LABEL: .entry _Z5scalePfPKffi(
// CHECK-NOT:     bar.sync
// CHECK-LABEL: .entry _Z5ratioPfPKfi(
// CHECK:         div.approx.f32

// What is recorded is the original, whether edits are replayed or not.
// RUN: env GEVO_RECORD=%t/both GEVO_EDITS=%t/edits.json %{device} -S -o %t/both.s
// RUN: cmp %t/record/app-*.bc %t/both/app-*.bc
// RUN: cmp %t/environment.s %t/both.s

// By flags.
// RUN: %{device} -S -o %t/flags.s -fplugin=%gevo_plugin -Xclang -mllvm -Xclang -gevo-edits=%t/edits.json \
// RUN:   -Xclang -mllvm -Xclang -gevo-strict
// RUN: cmp %t/environment.s %t/flags.s
// RUN: %{device} -S -o %t/mllvm.s -fplugin=%gevo_plugin -mllvm -gevo-edits=%t/edits.json
// RUN: cmp %t/environment.s %t/mllvm.s
// A flag wins over the variable.
// RUN: env GEVO_EDITS=%t/missing.json %{device} -S -o %t/wins.s -fplugin=%gevo_plugin -mllvm -gevo-edits=%t/edits.json 2>&1 | count 0
// RUN: cmp %t/environment.s %t/wins.s

// In opt, on the recorded module, followed by what clang runs after the plugin.
// RUN: env GEVO_EDITS=%t/edits.json %{device} -emit-llvm -S -o - | opt -S -o %t/clang.ll
// RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>,globaldce,constmerge' -S %t/record/*.bc | opt -S -o %t/opt.ll
// RUN: cmp %t/clang.ll %t/opt.ll

// In the library: the original and the variant, at all levels.
// RUN: %lower_module %t/record/*.bc | cmp - %t/original.s
// RUN: %lower_module %t/record/*.bc %t/edits.json | cmp - %t/environment.s

// DEFINE: %{same} = rm -r %t/record && env GEVO_RECORD=%t/record %{device} -S -o %t/original.s && \
// DEFINE:   %edit_set %t/edits.txt %t/record/*.bc > %t/edits.json && \
// DEFINE:   env GEVO_EDITS=%t/edits.json GEVO_STRICT=1 %{device} -S -o %t/environment.s && \
// DEFINE:   %lower_module %t/record/*.bc | cmp - %t/original.s && \
// DEFINE:   %lower_module %t/record/*.bc %t/edits.json | cmp - %t/environment.s
// REDEFINE: %{flags} = -O1
// RUN: %{same}
// REDEFINE: %{flags} = -O3
// RUN: %{same}
// REDEFINE: %{flags} = -O2 -g
// RUN: %{same}
// REDEFINE: %{flags} = -O2 -ffp-contract=off
// RUN: %{same}
// REDEFINE: %{flags} = -O2 -ffast-math
// RUN: %{same}
// REDEFINE: %{flags} = -O2 -fgpu-flush-denormals-to-zero
// RUN: %{same}
// REDEFINE: %{flags} = -O2 -fcuda-short-ptr
// RUN: %{same}
// Options that clang has from files, and the last of several.
// REDEFINE: %{flags} = @%t/options.txt
// RUN: %{same}
// REDEFINE: %{flags} = --config=%t/options.txt
// RUN: %{same}
// REDEFINE: %{flags} = --config %t/options.txt -ffast-math
// RUN: %{same}

// At -O0, too, where functions are marked as not to be optimised.
// REDEFINE: %{flags} = -O0
// RUN: rm -r %t/record
// RUN: env GEVO_RECORD=%t/record %{device} -S -o %t/original.s
// RUN: %lower_module %t/record/*.bc | cmp - %t/original.s
// RUN: %opt_gevo -passes='gevo-mutate<seed=3;count=4;edits=%t/edits.json>' -disable-output %t/record/*.bc
// RUN: env GEVO_EDITS=%t/edits.json GEVO_STRICT=1 %{device} -S -o %t/environment.s
// RUN: not cmp %t/original.s %t/environment.s
// RUN: %lower_module %t/record/*.bc %t/edits.json | cmp - %t/environment.s

//--- options.txt
-O2 -ffp-contract=off
//--- edits.txt
@_Z5scalePfPKffi {"kind": "delete", "at": "i(barrier0)"}
@_Z5ratioPfPKfi {"kind": "math", "at": "i(fdiv)", "relax": "div"}
//--- app.cu
#include "test/plugin/Inputs/device.h"

__shared__ float Tile[256];

__global__ void scale(float *Out, const float *In, float Factor, int N) {
  int I = globalIndex();
  Tile[laneIndex()] = In[I];
  barrier();
  if (I < N)
    Out[I] = Tile[laneIndex() ^ 1] * Factor + In[I];
}

__global__ void ratio(float *Out, const float *In, int N) {
  int I = globalIndex();
  Out[I] = In[I] / In[I + N] + In[I] * In[I + 2 * N];
}

static __device__ __attribute__((noinline)) float pick(const float *P, int I) {
  return P[I & 3];
}

// Two equal tables become one after the plugin has run.
__global__ void first(float *Out, int I) {
  const float Table[] = {1, 2, 3, 4.5};
  Out[I] = pick(Table, I);
}

__global__ void second(float *Out, int I) {
  const float Table[] = {1, 2, 3, 4.5};
  Out[I] = Table[I & 3];
}

// Calls are numbered in the PTX.
__global__ void call(float *Out, int N, float (*F)(const float *, int)) {
  Out[0] = F(Out, N);
  Out[1] = pick(Out, N) + F(Out + 1, N);
}
