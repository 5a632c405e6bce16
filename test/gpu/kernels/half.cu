// Arithmetic in half precision, by pairs too.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/half.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half *A, const __half *B, __half *Sum,
                                  __half *Product, __half2 *Pairs) {
  int I = threadIdx.x;
  Sum[I] = __hadd(A[I], B[I]);
  Product[I] = __hmul(A[I], B[I]);
  if (I % 2 == 0) {
    __half2 X = __halves2half2(A[I], A[I + 1]);
    __half2 Y = __halves2half2(B[I], B[I + 1]);
    Pairs[I / 2] = __hfma2(X, Y, X);
  }
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

int main(int, char **Argv) {
  using Half = _Float16;
  auto A = load<Half>(Argv[1], "a"), B = load<Half>(Argv[1], "b");
  std::vector<Half> Sum, Product, Fused;
  for (size_t I = 0; I < A.size(); ++I) {
    // Doubles hold these results exactly, so there is one rounding.
    Sum.push_back(Half(double(A[I]) + double(B[I])));
    Product.push_back(Half(double(A[I]) * double(B[I])));
    Fused.push_back(Half(double(A[I]) * double(B[I]) + double(A[I])));
  }
  Comparison C;
  C.equal("sum", load<Half>(Argv[1], "sum"), Sum);
  C.equal("product", load<Half>(Argv[1], "product"), Product);
  C.equal("fused", load<Half>(Argv[1], "pairs"), Fused);
  return C.verdict();
}

#endif
