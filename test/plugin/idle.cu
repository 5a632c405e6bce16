// Without an edit set, or with none for this module, clang with the plugin writes
// what clang writes: host object and device PTX are byte-identical, at every level,
// with debug information, for several architectures at once, and with relocatable
// device code.

// REQUIRES: plugin, cuda-link
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{flags} = --cuda-gpu-arch=sm_70
// DEFINE: %{gevo} =
// DEFINE: %{objects} = %clangxx_cuda %cuda_small %{flags} -c %s -o %t/plain.o && \
// DEFINE:   %{gevo} %clangxx_cuda %cuda_small %{flags} -fpass-plugin=%gevo_plugin -c %s -o %t/plugin.o && \
// DEFINE:   cmp %t/plain.o %t/plugin.o
// DEFINE: %{ptx} = %clangxx_cuda %cuda_small %{flags} --cuda-device-only -S %s -o %t/plain.s && \
// DEFINE:   %{gevo} %clangxx_cuda %cuda_small %{flags} --cuda-device-only -fpass-plugin=%gevo_plugin -S %s -o %t/plugin.s && \
// DEFINE:   cmp %t/plain.s %t/plugin.s

// RUN: %{objects}
// RUN: %{ptx}
// REDEFINE: %{flags} = --cuda-gpu-arch=sm_70 -O1
// RUN: %{objects}
// RUN: %{ptx}
// REDEFINE: %{flags} = --cuda-gpu-arch=sm_70 -O2
// RUN: %{objects}
// RUN: %{ptx}
// REDEFINE: %{flags} = --cuda-gpu-arch=sm_70 -O3
// RUN: %{objects}
// RUN: %{ptx}
// REDEFINE: %{flags} = --cuda-gpu-arch=sm_70 -O2 -g
// RUN: %{objects}
// RUN: %{ptx}
// REDEFINE: %{flags} = --cuda-gpu-arch=sm_70 --cuda-gpu-arch=sm_80 -O2
// RUN: %{objects}
// REDEFINE: %{flags} = --cuda-gpu-arch=sm_70 -O2 -fgpu-rdc -fuse-cuid=none
// RUN: %{objects}

// The plugin loaded twice, as -mllvm options need it, is as idle.
// RUN: %clangxx_cuda %cuda_small --cuda-gpu-arch=sm_70 -O2 -c %s -o %t/plain.o
// RUN: %clangxx_cuda %cuda_small --cuda-gpu-arch=sm_70 -O2 -fplugin=%gevo_plugin -fpass-plugin=%gevo_plugin -c %s -o %t/plugin.o
// RUN: cmp %t/plain.o %t/plugin.o

// An edit set for another architecture, and one for another program.
// RUN: env GEVO_RECORD=%t/record %clangxx_cuda %cuda_small --cuda-gpu-arch=sm_80 -O2 --cuda-device-only \
// RUN:   -fpass-plugin=%gevo_plugin -S %s -o /dev/null
// RUN: echo '@_Z5scalePfPKffi {"kind": "delete", "at": "i0", "uses": "i32 0"}' > %t/edits.txt
// RUN: %edit_set %t/edits.txt %t/record/*.bc > %t/sm_80.json
// RUN: sed 's/sm_80/sm_70/; s/_Z5scalePfPKffi/other/; s/idle.cu/other.cu/' %t/sm_80.json > %t/other.json
// REDEFINE: %{flags} = --cuda-gpu-arch=sm_70 -O2
// REDEFINE: %{gevo} = env GEVO_EDITS=%t/sm_80.json GEVO_STRICT=1
// RUN: %{objects}
// RUN: %{ptx}
// REDEFINE: %{gevo} = env GEVO_EDITS=%t/other.json GEVO_STRICT=1
// RUN: %{objects}
// RUN: %{ptx}

// Recording changes no device code, and no host code unless it embeds.
// REDEFINE: %{gevo} = env GEVO_RECORD=%t/other
// RUN: %{objects}
// RUN: %{ptx}

#include "test/plugin/Inputs/device.h"

__shared__ float Tile[256];

__global__ void scale(float *Out, const float *In, float Factor, int N) {
  int I = globalIndex();
  Tile[laneIndex()] = In[I];
  barrier();
  if (I < N)
    Out[I] = Tile[laneIndex() ^ 1] * Factor;
}

__global__ void sum(float *Out, const float *In, int N) {
  float Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += In[I];
  Out[globalIndex()] = Sum;
}

void run(float *Out, const float *In, int N) {
  scale<<<1, 32>>>(Out, In, 2.0f, N);
  sum<<<1, 32>>>(Out, In, N);
}
