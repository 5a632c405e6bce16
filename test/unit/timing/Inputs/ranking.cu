//===- ranking.cu - Pairs of kernels for rankings -------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of kernels that do the same work, one of them as an experienced
// programmer would write it. ranking.ptx is what clang -O3 makes of this file
// for sm_60 (so that every GPU takes it).
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void copy_coalesced(const float *A, float *B) {
  B[INDEX] = A[INDEX];
}
// Threads are 32 elements apart, as in a walk along columns.
extern "C" __global__ void copy_strided(const float *A, float *B) {
  int I = INDEX, N = gridDim.x * blockDim.x;
  int J = I % (N / 32) * 32 + I / (N / 32);
  B[J] = A[J];
}
// clang splits the copy of a float4, so it is spelled out.
extern "C" __global__ void copy_vector(const float4 *A, float4 *B) {
  float4 V;
  asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(V.x), "=f"(V.y), "=f"(V.z), "=f"(V.w)
               : "l"(A + INDEX));
  asm volatile("st.global.v4.f32 [%4], {%0,%1,%2,%3};"
               :
               : "f"(V.x), "f"(V.y), "f"(V.z), "f"(V.w), "l"(B + INDEX)
               : "memory");
}

extern "C" __global__ void matmul_naive(const float *A, const float *B,
                                        float *C, int N) {
  int Row = blockIdx.y * 16 + threadIdx.y, Col = blockIdx.x * 16 + threadIdx.x;
  float S = 0;
  for (int K = 0; K < N; ++K)
    S += A[Row * N + K] * B[K * N + Col];
  C[Row * N + Col] = S;
}
extern "C" __global__ void matmul_tiled(const float *A, const float *B,
                                        float *C, int N) {
  __shared__ float TA[16][16], TB[16][16];
  int X = threadIdx.x, Y = threadIdx.y;
  int Row = blockIdx.y * 16 + Y, Col = blockIdx.x * 16 + X;
  float S = 0;
  for (int T = 0; T < N; T += 16) {
    TA[Y][X] = A[Row * N + T + X];
    TB[Y][X] = B[(T + Y) * N + Col];
    __syncthreads();
#pragma unroll
    for (int K = 0; K < 16; ++K)
      S += TA[Y][K] * TB[K][X];
    __syncthreads();
  }
  C[Row * N + Col] = S;
}

template <int Pad> __device__ void transpose(const float *A, float *B, int N) {
  __shared__ float T[32][32 + Pad];
  int X = threadIdx.x, Y = threadIdx.y;
  for (int J = 0; J < 32; J += 8)
    T[Y + J][X] = A[(blockIdx.y * 32 + Y + J) * N + blockIdx.x * 32 + X];
  __syncthreads();
  for (int J = 0; J < 32; J += 8)
    B[(blockIdx.x * 32 + Y + J) * N + blockIdx.y * 32 + X] = T[X][Y + J];
}
extern "C" __global__ void transpose_conflicts(const float *A, float *B,
                                               int N) {
  transpose<0>(A, B, N);
}
extern "C" __global__ void transpose_padded(const float *A, float *B, int N) {
  transpose<1>(A, B, N);
}

extern "C" __global__ void sum_barriers(const float *A, float *B) {
  __shared__ float S[256];
  int T = threadIdx.x;
  S[T] = A[INDEX];
  __syncthreads();
  for (int D = 128; D > 0; D /= 2) {
    if (T < D)
      S[T] += S[T + D];
    __syncthreads();
  }
  if (T == 0)
    B[blockIdx.x] = S[0];
}
extern "C" __global__ void sum_shuffles(const float *A, float *B) {
  __shared__ float S[8];
  int T = threadIdx.x;
  float V = A[INDEX];
  for (int D = 16; D > 0; D /= 2)
    V += __shfl_down_sync(~0u, V, D);
  if (T % 32 == 0)
    S[T / 32] = V;
  __syncthreads();
  if (T < 8) {
    V = S[T];
    for (int D = 4; D > 0; D /= 2)
      V += __shfl_down_sync(0xff, V, D);
    if (T == 0)
      B[blockIdx.x] = V;
  }
}

// Clears Words of its own scratch before it works, needlessly.
template <int Words>
__device__ void clearing(float *Scratch, const float *A, float *B) {
  int N = gridDim.x * blockDim.x;
#pragma unroll
  for (int K = 0; K < Words; ++K)
    Scratch[K * N + INDEX] = 0;
  B[INDEX] = A[INDEX] * 2;
}
extern "C" __global__ void clear_0(float *S, const float *A, float *B) {
  clearing<0>(S, A, B);
}
extern "C" __global__ void clear_4(float *S, const float *A, float *B) {
  clearing<4>(S, A, B);
}
extern "C" __global__ void clear_8(float *S, const float *A, float *B) {
  clearing<8>(S, A, B);
}

extern "C" __global__ void loop_rolled(const float *A, float *B, int N) {
  float S = 0;
#pragma unroll 1
  for (int K = 0; K < N; ++K)
    S += A[K * 256 + threadIdx.x];
  B[INDEX] = S;
}
extern "C" __global__ void loop_unrolled(const float *A, float *B, int N) {
  float S = 0;
#pragma unroll 8
  for (int K = 0; K < N; ++K)
    S += A[K * 256 + threadIdx.x];
  B[INDEX] = S;
}

extern "C" __global__ void polynomial_separate(const float *A, float *B) {
  float X = A[INDEX], Y = X, Z = X + 1;
#pragma unroll
  for (int K = 0; K < 64; ++K) {
    Y = __fadd_rn(__fmul_rn(Y, X), 1.5f);
    Z = __fadd_rn(__fmul_rn(Z, X), 0.5f);
  }
  B[INDEX] = Y + Z;
}
extern "C" __global__ void polynomial_fused(const float *A, float *B) {
  float X = A[INDEX], Y = X, Z = X + 1;
#pragma unroll
  for (int K = 0; K < 64; ++K) {
    Y = __fmaf_rn(Y, X, 1.5f);
    Z = __fmaf_rn(Z, X, 0.5f);
  }
  B[INDEX] = Y + Z;
}

extern "C" __global__ void divide_exact(const float *A, float *B) {
  float X = A[INDEX] + 1, Y = X;
#pragma unroll
  for (int K = 0; K < 16; ++K)
    Y = 3.0f / (Y + X);
  B[INDEX] = Y;
}
extern "C" __global__ void divide_fast(const float *A, float *B) {
  float X = A[INDEX] + 1, Y = X;
#pragma unroll
  for (int K = 0; K < 16; ++K)
    Y = __fdividef(3.0f, Y + X);
  B[INDEX] = Y;
}

// Neighbours read the same lines again and again.
extern "C" __global__ void window_plain(const float *A, float *B) {
  const float *Window = A + INDEX;
  float S = 0;
#pragma unroll
  for (int K = 0; K < 16; ++K)
    S += Window[K];
  B[INDEX] = S;
}
extern "C" __global__ void window_readonly(const float *A, float *B) {
  const float *Window = A + INDEX;
  float S = 0;
#pragma unroll
  for (int K = 0; K < 16; ++K)
    S += __ldg(Window + K);
  B[INDEX] = S;
}

extern "C" __global__ void branch_divergent(const float *A, float *B) {
  float X = A[INDEX];
  if (threadIdx.x % 2)
    for (int K = 0; K < 64; ++K)
      X = X * X + 0.5f;
  else
    for (int K = 0; K < 64; ++K)
      X = X * 0.25f + 1.5f;
  B[INDEX] = X;
}
extern "C" __global__ void branch_uniform(const float *A, float *B) {
  float X = A[INDEX];
  if (threadIdx.x / 32 % 2)
    for (int K = 0; K < 64; ++K)
      X = X * X + 0.5f;
  else
    for (int K = 0; K < 64; ++K)
      X = X * 0.25f + 1.5f;
  B[INDEX] = X;
}
