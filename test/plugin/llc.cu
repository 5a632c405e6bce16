// A recorded module goes through opt and llc, as the manual shows, to the PTX that clang
// writes for the same edit set: with optimisation and without, fused and not.

// REQUIRES: plugin, cuda
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{flags} = -O3
// DEFINE: %{passes} = ,globaldce,constmerge
// DEFINE: %{llc} = -O3 -fp-contract=fast
// DEFINE: %{device} = %clangxx_cuda %cuda_small --cuda-gpu-arch=sm_70 --cuda-device-only -S %s -fpass-plugin=%gevo_plugin %{flags}
// DEFINE: %{strip} = sed -e 's, *//.*,,' -e '/^[[:space:]]*$/d'
// DEFINE: %{compare} = rm -rf %t/record && env GEVO_RECORD=%t/record %{device} -o %t/original.s && \
// DEFINE:   %opt_gevo -passes='gevo-mutate<seed=3;count=6;edits=%t/edits.json>' -disable-output %t/record/*.bc && \
// DEFINE:   env GEVO_EDITS=%t/edits.json GEVO_STRICT=1 %{device} -o %t/clang.s && not cmp %t/clang.s %t/original.s && \
// DEFINE:   %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>%{passes}' %t/record/*.bc -o %t/edited.bc && \
// DEFINE:   llc %{llc} -mcpu=sm_70 -mattr=+ptx85 %t/edited.bc -o %t/llc.s && \
// DEFINE:   %{strip} %t/clang.s > %t/clang.txt && %{strip} %t/llc.s | cmp - %t/clang.txt

// RUN: %{compare}
// REDEFINE: %{flags} = -O1 -ffp-contract=off
// REDEFINE: %{llc} = -O1
// RUN: %{compare}
// REDEFINE: %{flags} = -O0
// REDEFINE: %{passes} =
// REDEFINE: %{llc} = -O0 -fp-contract=fast
// RUN: %{compare}

#include "test/plugin/Inputs/device.h"

namespace one {
__global__ void fill(float *Out, float A, int N) {
  int I = globalIndex();
  if (I < N)
    Out[I] = A * I + 1.5f;
}
} // namespace one

namespace two {
__global__ void fill(float *Out, float A, int N) {
  for (int I = globalIndex(); I < N; I += 32)
    Out[I] = Out[I] / A - 3;
}
} // namespace two
