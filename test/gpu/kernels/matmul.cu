// Tiled matrix products in float and double, a template by part of its name.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/matmul.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
template <typename T>
__global__ void multiply(const T *A, const T *B, T *C, int N) {
  constexpr int Tile = 16;
  __shared__ T As[Tile][Tile], Bs[Tile][Tile];
  int X = blockIdx.x * Tile + threadIdx.x, Y = blockIdx.y * Tile + threadIdx.y;
  T Sum = 0;
  for (int K = 0; K < N; K += Tile) {
    As[threadIdx.y][threadIdx.x] = A[Y * N + K + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(K + threadIdx.y) * N + X];
    __syncthreads();
    for (int I = 0; I < Tile; ++I)
      Sum += As[threadIdx.y][I] * Bs[I][threadIdx.x];
    __syncthreads();
  }
  C[Y * N + X] = Sum;
}

template __global__ void multiply<float>(const float *, const float *, float *,
                                         int);
template __global__ void multiply<double>(const double *, const double *,
                                          double *, int);

#else

#include "test/gpu/kernels/Inputs/Reference.h"

template <typename T>
void check(Comparison &C, const char *Folder, std::string Suffix) {
  constexpr int N = 48;
  auto A = load<T>(Folder, "a" + Suffix), B = load<T>(Folder, "b" + Suffix);
  std::vector<T> Want(N * N);
  for (int Y = 0; Y < N; ++Y)
    for (int X = 0; X < N; ++X)
      for (int K = 0; K < N; ++K)
        Want[Y * N + X] = std::fma(A[Y * N + K], B[K * N + X], Want[Y * N + X]);
  C.equal("c", load<T>(Folder, "c" + Suffix), Want);
}

int main(int, char **Argv) {
  Comparison C;
  check<float>(C, Argv[1], "32");
  check<double>(C, Argv[1], "64");
  return C.verdict();
}

#endif
