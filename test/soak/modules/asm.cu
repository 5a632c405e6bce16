// Inline PTX: values, memory, predicates, several results.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O2 --cuda-gpu-arch=sm_70
// FLAGS: -O0 --cuda-gpu-arch=sm_80

__device__ unsigned laneOf() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ unsigned pick(unsigned a, unsigned b, int c) {
  unsigned r;
  asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %3, 0;\n\tselp.b32 %0, %1, %2, "
      "p;\n\t}"
      : "=r"(r)
      : "r"(a), "r"(b), "r"(c));
  return r;
}

__global__ void mix(const unsigned *in, unsigned *out, unsigned long long *wide,
                    float *scaled, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned v;
  asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(in + i));
  unsigned turned;
  asm("shf.l.wrap.b32 %0, %1, %1, %2;" : "=r"(turned) : "r"(v), "n"(7));
  unsigned low, high;
  asm("mul.lo.u32 %0, %2, %3;\n\tmul.hi.u32 %1, %2, %3;"
      : "=r"(low), "=&r"(high)
      : "r"(turned), "r"(v));
  out[i] = pick(low, high, v & 1) ^ laneOf();
  unsigned long long both;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(low), "r"(high));
  wide[i] = both;
  float f = scaled[i];
  asm("fma.rn.f32 %0, %0, %1, %2;" : "+f"(f) : "f"(2.0f), "f"(1.0f));
  scaled[i] = f;
  asm volatile("membar.gl;" ::: "memory");
}
