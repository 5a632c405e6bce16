// What a search measures is what clang ships: random edit sets, drawn on the recorded
// module of a program with NVIDIA's headers, give the same PTX in the library and in
// clang, to the byte; debug information may be there in both.

// REQUIRES: plugin, cuda
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{flags} = -O3
// DEFINE: %{device} = %clangxx_cuda --cuda-gpu-arch=sm_80 --cuda-device-only -S %s -fpass-plugin=%gevo_plugin %{flags}
// DEFINE: %{seed} = 1
// DEFINE: %{draw} = %opt_gevo -passes='gevo-mutate<seed=%{seed};count=12;edits=%t/edits.json>' -disable-output %t/record/*.bc
// DEFINE: %{compare} = %{draw} && env GEVO_EDITS=%t/edits.json GEVO_STRICT=1 %{device} -o %t/clang.s && \
// DEFINE:   %lower_module %t/record/*.bc %t/edits.json > %t/library.s && cmp %t/clang.s %t/library.s && \
// DEFINE:   not cmp %t/clang.s %t/original.s

// RUN: env GEVO_RECORD=%t/record %{device} -o %t/original.s
// RUN: %lower_module %t/record/*.bc | cmp - %t/original.s
// RUN: %{compare}
// REDEFINE: %{seed} = 2
// RUN: %{compare}
// REDEFINE: %{seed} = 3
// RUN: %{compare}

// REDEFINE: %{flags} = -O3 -g
// RUN: rm -r %t/record && env GEVO_RECORD=%t/record %{device} -o %t/original.s
// RUN: %lower_module %t/record/*.bc | cmp - %t/original.s
// RUN: %{compare}

#include <cmath>
#include <cstdio>

__device__ float Table[64];

__global__ void waves(float *Out, const float *In, int N) {
  __shared__ float Tile[64];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = sinf(In[I]) * powf(In[I], 2.5f) + __expf(In[I]);
  else
    printf("too far: %d\n", I);
  Tile[threadIdx.x] = Out[I];
  __syncthreads();
  atomicAdd(Out, Tile[63 - threadIdx.x] * Table[threadIdx.x]);
}

__global__ void reduce(double *Out, const double *In, int N) {
  double Sum = 0;
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    Sum += sqrt(In[I]) / (1 + fabs(In[I]));
  for (int Offset = 16; Offset; Offset /= 2)
    Sum += __shfl_down_sync(~0u, Sum, Offset);
  if (threadIdx.x == 0)
    *Out = Sum;
}
