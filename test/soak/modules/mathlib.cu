// libdevice in float and double: what inlines and what is called.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O2 -ffast-math --cuda-gpu-arch=sm_80

__global__ void single(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = in[i];
  float y = expf(-x * x) * rsqrtf(fabsf(x) + 1.0f) + cosf(x * 0.01f);
  y += 1.0f / (1.0f + x) + x / (y + 2.0f) + fmaf(x, y, 3.0f);
  y += log2f(fabsf(y) + 1.0f) + floorf(x) - rintf(y) + copysignf(y, x);
  out[i] = __fdividef(y, x) + sqrtf(fmaxf(y, 0.0f)) + __frcp_rn(y);
}

__global__ void twice(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double x = in[i];
  double y = exp(-x) + sqrt(fabs(x)) + 1.0 / (x + 3.0);
  out[i] = fma(x, y, cbrt(y)) + fmod(y, 7.0) + trunc(x);
}
