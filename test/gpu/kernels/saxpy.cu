// A line through two arrays, with an argument that points into a buffer.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/saxpy.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
extern "C" __global__ void saxpy(int N, float A, const float *X, float *Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Y[I] = A * X[I] + Y[I];
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

int main(int, char **Argv) {
  auto X = load<float>(Argv[1], "x"), Y = load<float>(Argv[1], "y");
  std::vector<float> Want(Y.size());
  for (size_t I = 0; I < Want.size(); ++I)
    Want[I] = 3.0f;
  // The launch starts sixteen elements into y.
  for (size_t I = 0; I < 1000; ++I)
    Want[I + 16] = std::fma(2.5f, X[I], 3.0f);
  Comparison C;
  C.equal("y", Y, Want);
  return C.verdict();
}

#endif
