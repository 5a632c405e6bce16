// Structures by value, as arguments of a kernel and of a function.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/struct-arguments.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
struct Ray {
  float Origin[3], Direction[3];
  double Length;
};

__device__ __noinline__ double reach(Ray R, int Axis) {
  return R.Origin[Axis] + R.Direction[Axis] * R.Length;
}

extern "C" __global__ void shoot(Ray R, short Scale, double *Out) {
  Out[threadIdx.x] = reach(R, threadIdx.x % 3) * Scale;
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

int main(int, char **Argv) {
  // Origin 1 2 3, direction 0.5 0.25 -1, length 8; scale 2.
  std::vector<double> Want{10, 8, -10, 10};
  Comparison C;
  C.equal("out", load<double>(Argv[1], "out"), Want);
  return C.verdict();
}

#endif
