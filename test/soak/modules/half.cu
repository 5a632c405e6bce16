// Half and bfloat16 arithmetic, in scalars and in pairs.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_80
// FLAGS: -O2 --cuda-gpu-arch=sm_60

#include <cuda_fp16.h>
#if __CUDA_ARCH__ >= 800
#include <cuda_bf16.h>
#endif

__global__ void axpy(const __half *x, __half *y, __half a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __hfma(a, x[i], y[i]);
}

__global__ void pairs(const __half2 *x, __half2 *y, float *norms, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __half2 v = __hmul2(x[i], y[i]);
  v = __hadd2(v, __float2half2_rn(0.5f));
  float2 f = __half22float2(v);
  norms[i] = f.x * f.x + f.y * f.y;
  y[i] = __hgt(__low2half(v), __high2half(v)) ? v : __lowhigh2highlow(v);
}

__global__ void native(const _Float16 *x, _Float16 *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = (x[i] * y[i] + x[i]) / (y[i] + (_Float16)1.0f);
}

#if __CUDA_ARCH__ >= 800
__global__ void brain(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __hfma(x[i], y[i], __float2bfloat16(__bfloat162float(x[i]) * 2.0f));
}
#endif
