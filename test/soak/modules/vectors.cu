// Vector types: float4, int2, double2 and small integers.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O1 --cuda-gpu-arch=sm_90

typedef float float8 __attribute__((ext_vector_type(8)));
typedef short short4v __attribute__((ext_vector_type(4)));

__global__ void blend(const float4 *a, const float4 *b, float4 *out, float t,
                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 p = a[i], q = __ldg(&b[i]);
  out[i] = make_float4(p.x + t * (q.x - p.x), p.y + t * (q.y - p.y),
                       p.z + t * (q.z - p.z), p.w + t * (q.w - p.w));
}

__global__ void gather(const int2 *at, const uchar4 *pixels, double2 *sums,
                       int width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int2 place = at[i];
  uchar4 pixel = pixels[place.y * width + place.x];
  double2 sum = sums[i];
  sum.x += pixel.x + pixel.y;
  sum.y += pixel.z * (pixel.w / 255.0);
  sums[i] = sum;
}

__global__ void wide(const float8 *a, float8 *b, const short4v *s, short4v *t,
                     int lane, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float8 v = a[i] * a[i] + b[i];
  v[lane & 7] = v.lo.x;
  b[i] = __builtin_shufflevector(v, a[i], 0, 8, 1, 9, 2, 10, 3, 11);
  short4v w = s[i] << 1;
  t[i] = w > s[i] ? w : -s[i];
}
