// Escape times: every lane leaves its loop when it must, and a switch by lane.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/divergence.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
extern "C" __global__ void mandelbrot(unsigned short *Steps, int W, int H) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= W || Y >= H)
    return;
  double CR = -2.0 + 3.0 * X / W, CI = -1.5 + 3.0 * Y / H, R = 0, I = 0;
  int N = 0;
  for (; N < 200 && R * R + I * I < 4.0; ++N) {
    double Next = __dadd_rn(__dsub_rn(__dmul_rn(R, R), __dmul_rn(I, I)), CR);
    I = __dadd_rn(__dmul_rn(__dmul_rn(2.0, R), I), CI);
    R = Next;
  }
  Steps[Y * W + X] = N;
}

__device__ __noinline__ int twice(int V) { return 2 * V; }
__device__ __noinline__ int square(int V) { return V * V; }
__device__ __noinline__ int negate(int V) { return -V; }

extern "C" __global__ void choose(int *Out) {
  int (*const Table[])(int) = {twice, square, negate};
  int T = threadIdx.x, V = Table[T % 3](T);
  switch (T % 7) {
  case 0:
    V += 1000;
    break;
  case 1:
    V ^= 0x55;
    break;
  case 2:
    V *= 3;
    break;
  case 3:
    V -= T;
    break;
  case 4:
    V = __popc(V);
    break;
  case 5:
    V = __clz(V);
    break;
  default:
    V = __brev(V);
    break;
  }
  Out[T] = V;
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

unsigned reversed(unsigned V) {
  unsigned R = 0;
  for (int I = 0; I < 32; ++I)
    R |= (V >> I & 1) << (31 - I);
  return R;
}

int main(int, char **Argv) {
  constexpr int W = 61, H = 43;
  std::vector<unsigned short> Want(W * H);
  for (int Y = 0; Y < H; ++Y)
    for (int X = 0; X < W; ++X) {
      // The kernel's bounds may be fused; its iteration is not.
      double CR = std::fma(1.0, 3.0 * X / W, -2.0);
      double CI = std::fma(1.0, 3.0 * Y / H, -1.5), R = 0, I = 0;
      int N = 0;
      for (; N < 200 && std::fma(R, R, I * I) < 4.0; ++N) {
        double Next = R * R - I * I + CR;
        I = 2.0 * R * I + CI;
        R = Next;
      }
      Want[Y * W + X] = N;
    }
  std::vector<int> Chosen;
  for (int T = 0; T < 96; ++T) {
    int V = T % 3 == 0 ? 2 * T : T % 3 == 1 ? T * T : -T;
    switch (T % 7) {
    case 0:
      V += 1000;
      break;
    case 1:
      V ^= 0x55;
      break;
    case 2:
      V *= 3;
      break;
    case 3:
      V -= T;
      break;
    case 4:
      V = __builtin_popcount(V);
      break;
    case 5:
      V = V ? __builtin_clz(V) : 32;
      break;
    default:
      V = int(reversed(V));
      break;
    }
    Chosen.push_back(V);
  }
  Comparison C;
  C.equal("steps", load<unsigned short>(Argv[1], "steps"), Want);
  C.equal("chosen", load<int>(Argv[1], "chosen"), Chosen);
  return C.verdict();
}

#endif
