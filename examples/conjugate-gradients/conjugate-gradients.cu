//===- conjugate-gradients.cu - A sparse system, solved step by step ------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Solves A x = b by conjugate gradients with the diagonal as preconditioner. A
// is the five-point operator of a square grid of materials that conduct
// differently well, in compressed rows. All scalars stay on the device; dot
// products take a kernel for the parts and one for their sum.
//
// What counts is not each number of x but how well x solves the system: the
// host computes the residual |b - A x| / |b| in double precision, from nothing
// but A, b and x, and prints it.
//
//   conjugate-gradients [side] [iterations] [seed] [--verify]
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

constexpr int Block = 128;

/// r z before and after the last step, and p A p.
struct Scalars {
  float Old, New, Curvature;
};

__global__ void multiply(const int *Start, const int *Column,
                         const float *Value, const float *X, float *Y,
                         int Size) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x;
  if (Row >= Size)
    return;
  Y[Row] = 0;
  for (int I = Start[Row]; I < Start[Row + 1]; ++I)
    Y[Row] += Value[I] * X[Column[I]];
}

// One part per block.
__global__ void dotParts(const float *A, const float *B, float *Parts,
                         int Size) {
  __shared__ float Sums[Block];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Sums[threadIdx.x] = 0;
  __syncthreads();
  if (I < Size)
    Sums[threadIdx.x] = A[I] * B[I];
  __syncthreads();
  for (unsigned Half = Block / 2; Half > 0; Half /= 2) {
    if (threadIdx.x < Half)
      Sums[threadIdx.x] += Sums[threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Parts[blockIdx.x] = Sums[0];
}

__global__ void sumParts(const float *Parts, int Count, float *Sum) {
  __shared__ float Sums[Block];
  Sums[threadIdx.x] = 0;
  for (int I = threadIdx.x; I < Count; I += Block)
    Sums[threadIdx.x] += Parts[I];
  __syncthreads();
  for (unsigned Half = Block / 2; Half > 0; Half /= 2) {
    if (threadIdx.x < Half)
      Sums[threadIdx.x] += Sums[threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *Sum = Sums[0];
}

// x and r go along the direction p; z is the preconditioned r.
__global__ void advance(const Scalars *S, const float *P, const float *Q,
                        const float *Diagonal, float *X, float *R, float *Z,
                        int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Size)
    return;
  X[I] += S->New / S->Curvature * P[I];
  R[I] -= S->New / S->Curvature * Q[I];
  Z[I] = R[I] / Diagonal[I];
}

__global__ void turn(const Scalars *S, const float *Z, float *P, int Size) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Size)
    P[I] = Z[I] + S->New / S->Old * P[I];
}

static void check(cudaError_t Status) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(Status));
  std::exit(1);
}

template <typename T> static T *onDevice(const std::vector<T> &Data) {
  T *Pointer;
  check(cudaMalloc(&Pointer, Data.size() * sizeof(T)));
  check(cudaMemcpy(Pointer, Data.data(), Data.size() * sizeof(T),
                   cudaMemcpyHostToDevice));
  return Pointer;
}

/// A symmetric, positive definite matrix in compressed rows.
struct Matrix {
  std::vector<int> Start = {0}, Column;
  std::vector<float> Value, Diagonal;
  int size() const { return Diagonal.size(); }
};

static Matrix makeMatrix(int Side, std::mt19937 &Dice) {
  std::vector<float> Conducts(Side * Side);
  for (float &C : Conducts)
    C = 0.5f + 2 * (Dice() / 4294967296.0f);
  Matrix A;
  for (int Y = 0; Y < Side; ++Y)
    for (int X = 0; X < Side; ++X) {
      int Here = Y * Side + X;
      float Sum = 0;
      size_t Middle = 0;
      // In the order of columns; what lies beyond the grid is kept at zero.
      constexpr int Steps[][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
      for (auto [StepY, StepX] : Steps) {
        int ToX = X + StepX, ToY = Y + StepY, There = ToY * Side + ToX;
        bool Inside = ToX >= 0 && ToY >= 0 && ToX < Side && ToY < Side;
        float Between =
            Inside ? (Conducts[Here] + Conducts[There]) / 2 : Conducts[Here];
        if (Here == There)
          Middle = A.Value.size();
        else
          Sum += Between;
        if (!Inside)
          continue;
        A.Column.push_back(There);
        A.Value.push_back(-Between);
      }
      A.Value[Middle] = Sum;
      A.Diagonal.push_back(Sum);
      A.Start.push_back(A.Column.size());
    }
  return A;
}

static std::vector<float> solve(const Matrix &A, const std::vector<float> &B,
                                int Iterations) {
  int Size = A.size(), Blocks = (Size + Block - 1) / Block;
  std::vector<float> Zero(Size), Scaled(Size);
  for (int I = 0; I < Size; ++I)
    Scaled[I] = B[I] / A.Diagonal[I];
  int *Start = onDevice(A.Start), *Column = onDevice(A.Column);
  float *Value = onDevice(A.Value), *Diagonal = onDevice(A.Diagonal);
  float *X = onDevice(Zero), *R = onDevice(B), *Z = onDevice(Scaled),
        *P = onDevice(Scaled), *Q = onDevice(Zero);
  float *Parts = onDevice(std::vector<float>(Blocks));
  Scalars *S = onDevice(std::vector<Scalars>(1));
  auto Dot = [&](const float *Left, const float *Right, float *Sum) {
    dotParts<<<Blocks, Block>>>(Left, Right, Parts, Size);
    sumParts<<<1, Block>>>(Parts, Blocks, Sum);
  };
  Dot(R, Z, &S->New);
  for (int I = 0; I < Iterations; ++I) {
    multiply<<<Blocks, Block>>>(Start, Column, Value, P, Q, Size);
    Dot(P, Q, &S->Curvature);
    advance<<<Blocks, Block>>>(S, P, Q, Diagonal, X, R, Z, Size);
    check(
        cudaMemcpy(&S->Old, &S->New, sizeof(float), cudaMemcpyDeviceToDevice));
    Dot(R, Z, &S->New);
    turn<<<Blocks, Block>>>(S, Z, P, Size);
  }
  check(cudaGetLastError());
  std::vector<float> Result(Size);
  check(cudaMemcpy(Result.data(), X, Size * sizeof(float),
                   cudaMemcpyDeviceToHost));
  return Result;
}

static double residual(const Matrix &A, const std::vector<float> &X,
                       const std::vector<float> &B) {
  double Rest = 0, Whole = 0;
  for (int Row = 0; Row < A.size(); ++Row) {
    double Sum = B[Row];
    for (int I = A.Start[Row]; I < A.Start[Row + 1]; ++I)
      Sum -= double(A.Value[I]) * X[A.Column[I]];
    Rest += Sum * Sum;
    Whole += double(B[Row]) * B[Row];
  }
  return std::sqrt(Rest / Whole);
}

int main(int Count, char **Arguments) {
  bool Verify = Count > 1 && !std::strcmp(Arguments[Count - 1], "--verify");
  Count -= Verify;
  int Side = Count > 1 ? std::atoi(Arguments[1]) : 24;
  int Iterations = Count > 2 ? std::atoi(Arguments[2]) : 30;
  std::mt19937 Dice(Count > 3 ? std::atoi(Arguments[3]) : 1);
  if (Side < 1 || Side > 1024 || Iterations < 1) {
    std::fprintf(stderr, "conjugate-gradients [side up to 1024] [iterations] "
                         "[seed]\n");
    return 2;
  }
  Matrix A = makeMatrix(Side, Dice);
  std::vector<float> B(A.size());
  for (float &Source : B)
    Source = Dice() / 4294967296.0f - 0.5f;
  std::vector<float> X = solve(A, B, Iterations);
  double Residual = residual(A, X, B);
  std::printf("residual %.3e\n", Residual);
  // Rounding ends what more iterations could gain.
  if (Verify && !(Residual < 1e-2)) {
    std::printf("that is no solution\n");
    return 1;
  }
  return 0;
}
