// 64-bit and 128-bit integers, bit tricks, volatile memory.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O1 -g --cuda-gpu-arch=sm_60

using u128 = unsigned __int128;

__device__ unsigned long long multiplyModulo(unsigned long long a,
                                             unsigned long long b,
                                             unsigned long long m) {
  u128 product = static_cast<u128>(a) * b;
  unsigned long long high = product >> 64, low = product;
  for (int bit = 0; bit < 64; ++bit) {
    bool carry = high >> 63;
    high = high << 1 | low >> 63;
    low <<= 1;
    if (carry || high >= m)
      high -= m;
  }
  return high;
}

__global__ void powers(const unsigned long long *bases, unsigned long long *out,
                       unsigned exponent, unsigned long long m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long base = bases[i], result = 1;
  for (unsigned e = exponent; e; e >>= 1) {
    if (e & 1)
      result = multiplyModulo(result, base, m);
    base = multiplyModulo(base, base, m);
  }
  out[i] = result;
}

__global__ void bits(const long long *in, int *out, volatile int *flag, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  while (*flag == 0)
    ;
  long long v = in[i];
  out[i] = __clzll(v) + __ffsll(v) * __popcll(v) + (int)__brevll(v) +
           (int)(v / 1000003) + __mulhi((int)v, (int)(v >> 32)) +
           __byte_perm(v, v >> 32, 0x3210) + (v == 0x123456789abcdefLL);
  *flag = *flag + 1;
}
