// A tiled product of matrices, as templates of type and tile.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_80
// FLAGS: -O1 -g --cuda-gpu-arch=sm_70
// FLAGS: -O2 -fcuda-short-ptr --cuda-gpu-arch=sm_80

template <typename T, int Tile>
__device__ void multiply(const T *a, const T *b, T *c, int n) {
  __shared__ T as[Tile][Tile];
  __shared__ T bs[Tile][Tile + 1];
  int row = blockIdx.y * Tile + threadIdx.y;
  int column = blockIdx.x * Tile + threadIdx.x;
  T sum = 0;
  for (int t = 0; t < n; t += Tile) {
    as[threadIdx.y][threadIdx.x] =
        row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : T(0);
    bs[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < n
                                       ? b[(t + threadIdx.y) * n + column]
                                       : T(0);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < Tile; ++k)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

__global__ void multiplyFloat(const float *a, const float *b, float *c, int n) {
  multiply<float, 8>(a, b, c, n);
}

__global__ void multiplyDouble(const double *__restrict__ a,
                               const double *__restrict__ b,
                               double *__restrict__ c, int n) {
  multiply<double, 4>(a, b, c, n);
}
