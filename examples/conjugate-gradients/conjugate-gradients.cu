//===- conjugate-gradients.cu - A sparse system, solved step by step ------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Solves many small systems A x = b by conjugate gradients with the diagonal as
// preconditioner, one block for each, from the first step to the last in one
// launch. Each A is the five-point operator of a square grid of materials that
// conduct differently well, in compressed rows; the grids are of one size, so
// that all share their columns. What a block works on stays in shared memory.
//
// What counts is not each number of x but how well x solves the system: the
// host computes the residual |b - A x| / |b| in double precision, from nothing
// but A, b and x, and prints the worst.
//
//   conjugate-gradients [systems] [side] [iterations] [seed] [--verify]
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

constexpr int Block = 128;

/// The dot product of two vectors of the block, for all of its threads.
__device__ float dot(const float *A, const float *B, int Size) {
  __shared__ float Sums[Block];
  float Sum = 0;
  for (int I = threadIdx.x; I < Size; I += Block)
    Sum += A[I] * B[I];
  Sums[threadIdx.x] = Sum;
  __syncthreads();
  for (unsigned Half = Block / 2; Half > 0; Half /= 2) {
    if (threadIdx.x < Half)
      Sums[threadIdx.x] += Sums[threadIdx.x + Half];
    __syncthreads();
  }
  Sum = Sums[0];
  // The next dot product writes here.
  __syncthreads();
  return Sum;
}

/// Values and right-hand sides of the systems follow one another.
__global__ void solve(const int *Start, const int *Column, const float *Values,
                      const float *Diagonals, const float *Sources,
                      float *Results, int Size, int Iterations) {
  extern __shared__ float Vectors[];
  float *X = Vectors, *R = X + Size, *Z = R + Size, *P = Z + Size,
        *Q = P + Size;
  const float *Value = Values + blockIdx.x * Start[Size];
  const float *Diagonal = Diagonals + blockIdx.x * Size;
  for (int I = threadIdx.x; I < Size; I += Block) {
    X[I] = 0;
    R[I] = Sources[blockIdx.x * Size + I];
    Z[I] = R[I] / Diagonal[I];
    P[I] = Z[I];
  }
  __syncthreads();
  float Now = dot(R, Z, Size);
  for (int Step = 0; Step < Iterations; ++Step) {
    for (int Row = threadIdx.x; Row < Size; Row += Block) {
      Q[Row] = 0;
      for (int I = Start[Row]; I < Start[Row + 1]; ++I)
        Q[Row] += Value[I] * P[Column[I]];
    }
    __syncthreads();
    float Curvature = dot(P, Q, Size);
    // x and r go along the direction p; z is the preconditioned r.
    for (int I = threadIdx.x; I < Size; I += Block) {
      X[I] += Now / Curvature * P[I];
      R[I] -= Now / Curvature * Q[I];
      Z[I] = R[I] / Diagonal[I];
    }
    __syncthreads();
    float Next = dot(R, Z, Size);
    for (int I = threadIdx.x; I < Size; I += Block)
      P[I] = Z[I] + Next / Now * P[I];
    __syncthreads();
    Now = Next;
  }
  for (int I = threadIdx.x; I < Size; I += Block)
    Results[blockIdx.x * Size + I] = X[I];
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

static double residual(const Matrix &A, const float *X, const float *B) {
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

/// The systems, and what the device makes of all of them at once.
struct Batch {
  std::vector<Matrix> Matrices;
  std::vector<float> Sources;

  std::vector<float> solve(int Iterations) const {
    const Matrix &First = Matrices.front();
    int Size = First.size();
    std::vector<float> Values, Diagonals, Results(Sources.size());
    for (const Matrix &A : Matrices) {
      Values.insert(Values.end(), A.Value.begin(), A.Value.end());
      Diagonals.insert(Diagonals.end(), A.Diagonal.begin(), A.Diagonal.end());
    }
    float *OnDevice = onDevice(Results);
    ::solve<<<Matrices.size(), Block, 5 * Size * sizeof(float)>>>(
        onDevice(First.Start), onDevice(First.Column), onDevice(Values),
        onDevice(Diagonals), onDevice(Sources), OnDevice, Size, Iterations);
    check(cudaGetLastError());
    check(cudaMemcpy(Results.data(), OnDevice, Results.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    return Results;
  }

  double worstResidual(const std::vector<float> &Results) const {
    double Worst = 0;
    size_t At = 0;
    for (const Matrix &A : Matrices) {
      Worst = std::fmax(Worst, residual(A, &Results[At], &Sources[At]));
      At += A.size();
    }
    return Worst;
  }
};

int main(int Count, char **Arguments) {
  bool Verify = Count > 1 && !std::strcmp(Arguments[Count - 1], "--verify");
  Count -= Verify;
  int Systems = Count > 1 ? std::atoi(Arguments[1]) : 8;
  int Side = Count > 2 ? std::atoi(Arguments[2]) : 16;
  int Iterations = Count > 3 ? std::atoi(Arguments[3]) : 30;
  std::mt19937 Dice(Count > 4 ? std::atoi(Arguments[4]) : 1);
  // Five vectors have to fit into the shared memory that every GPU has.
  if (Systems < 1 || Side < 1 || Side > 48 || Iterations < 1) {
    std::fprintf(stderr, "conjugate-gradients [systems] [side up to 48] "
                         "[iterations] [seed]\n");
    return 2;
  }
  Batch Work;
  for (int I = 0; I < Systems; ++I) {
    Work.Matrices.push_back(makeMatrix(Side, Dice));
    for (int J = 0; J < Side * Side; ++J)
      Work.Sources.push_back(Dice() / 4294967296.0f - 0.5f);
  }
  double Residual = Work.worstResidual(Work.solve(Iterations));
  std::printf("residual %.3e\n", Residual);
  // Rounding ends what more iterations could gain.
  if (Verify && !(Residual < 1e-2)) {
    std::printf("that is no solution\n");
    return 1;
  }
  return 0;
}
