//===- smith-waterman.cu - Local alignment with affine gaps ---------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block aligns one pair of sequences. Thread i owns row i of the table, and
// the table is filled by anti-diagonals, of which shared memory keeps the last
// three for the scores and the last two for each kind of gap.
//
// This is an early form of such a kernel: on every step every thread clears all
// of the diagonal that is about to be computed, in three loops, as long as the
// longest sequence may be, although the cells that matter are all written
// before they are read. It is the kind of code in which a search finds a
// factor, not a percentage.
//
//   smith-waterman [pairs] [length] [seed] [--verify]
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

constexpr int Match = 3, Mismatch = -3, GapOpen = -6, GapExtend = -1;
constexpr int MaxLength = 1024;

/// What an alignment comes to: the best score, and where it ends.
struct Alignment {
  int Score, Row, Column;
};

__global__ void align(const char *A, const char *B, const int *LengthA,
                      const int *LengthB, int Stride, Alignment *Best) {
  __shared__ int H[3][MaxLength], E[2][MaxLength], F[2][MaxLength];
  __shared__ int BestScore[MaxLength], BestColumn[MaxLength];
  int Pair = blockIdx.x, Row = threadIdx.x;
  int Rows = LengthA[Pair], Columns = LengthB[Pair];
  const char *RowText = A + Pair * Stride, *ColumnText = B + Pair * Stride;

  int Score = 0, Column = 0;
  for (int I = 0; I < 3; ++I)
    H[I][Row] = 0;
  for (int I = 0; I < 2; ++I)
    E[I][Row] = F[I][Row] = 0;
  __syncthreads();

  for (int Diagonal = 0; Diagonal < Rows + Columns - 1; ++Diagonal) {
    int *HNow = H[Diagonal % 3], *HLast = H[(Diagonal + 2) % 3],
        *HBefore = H[(Diagonal + 1) % 3];
    int *ENow = E[Diagonal % 2], *ELast = E[(Diagonal + 1) % 2];
    int *FNow = F[Diagonal % 2], *FLast = F[(Diagonal + 1) % 2];

    // A clean diagonal to write to.
    for (int I = 0; I < MaxLength; ++I)
      HNow[I] = 0;
    __syncthreads();
    for (int I = 0; I < MaxLength; ++I)
      ENow[I] = 0;
    __syncthreads();
    for (int I = 0; I < MaxLength; ++I)
      FNow[I] = 0;
    __syncthreads();

    int At = Diagonal - Row;
    if (Row < Rows && At >= 0 && At < Columns) {
      int Left = At > 0 ? HLast[Row] : 0, LeftGap = At > 0 ? ELast[Row] : 0;
      int Up = Row > 0 ? HLast[Row - 1] : 0,
          UpGap = Row > 0 ? FLast[Row - 1] : 0;
      int Corner = Row > 0 && At > 0 ? HBefore[Row - 1] : 0;
      int Gap = max(Left + GapOpen, LeftGap + GapExtend);
      int Skip = max(Up + GapOpen, UpGap + GapExtend);
      int Pairing =
          Corner + (RowText[Row] == ColumnText[At] ? Match : Mismatch);
      int Cell = max(max(Pairing, 0), max(Gap, Skip));
      HNow[Row] = Cell;
      ENow[Row] = Gap;
      FNow[Row] = Skip;
      if (Cell > Score) {
        Score = Cell;
        Column = At;
      }
    }
    __syncthreads();
  }

  BestScore[Row] = Score;
  BestColumn[Row] = Column;
  __syncthreads();
  if (Row == 0) {
    Alignment Result = {0, 0, 0};
    for (int I = 0; I < Rows; ++I)
      if (BestScore[I] > Result.Score)
        Result = {BestScore[I], I, BestColumn[I]};
    Best[Pair] = Result;
  }
}

static Alignment alignOnHost(const std::string &A, const std::string &B) {
  Alignment Best = {0, 0, 0};
  std::vector<std::vector<int>> H(A.size() + 1, std::vector<int>(B.size() + 1)),
      E = H, F = H;
  for (size_t I = 1; I <= A.size(); ++I)
    for (size_t J = 1; J <= B.size(); ++J) {
      E[I][J] = std::max(H[I][J - 1] + GapOpen, E[I][J - 1] + GapExtend);
      F[I][J] = std::max(H[I - 1][J] + GapOpen, F[I - 1][J] + GapExtend);
      int Pairing = H[I - 1][J - 1] + (A[I - 1] == B[J - 1] ? Match : Mismatch);
      H[I][J] = std::max({0, Pairing, E[I][J], F[I][J]});
      if (H[I][J] > Best.Score)
        Best = {H[I][J], int(I) - 1, int(J) - 1};
    }
  return Best;
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

// A sequence, and a relative of it: some letters changed, some lost or added.
static void makePair(int Length, std::mt19937 &Dice, std::string &A,
                     std::string &B) {
  auto Letter = [&] { return "ACGT"[Dice() % 4]; };
  A.clear();
  B.clear();
  for (int I = 0; I < Length; ++I)
    A += Letter();
  while (int(B.size()) < Length)
    for (size_t I = Dice() % 8; I < A.size() && int(B.size()) < Length; ++I) {
      unsigned Event = Dice() % 20;
      if (Event == 0) // A gap of a few letters.
        I += Dice() % 6;
      else
        B += Event < 3 ? Letter() : A[I];
    }
  A.resize(Length - Dice() % (Length / 4 + 1));
}

int main(int Count, char **Arguments) {
  bool Verify = Count > 1 && !std::strcmp(Arguments[Count - 1], "--verify");
  Count -= Verify;
  int Pairs = Count > 1 ? std::atoi(Arguments[1]) : 8;
  int Length = Count > 2 ? std::atoi(Arguments[2]) : 48;
  std::mt19937 Dice(Count > 3 ? std::atoi(Arguments[3]) : 1);
  if (Pairs < 1 || Length < 1 || Length > MaxLength) {
    std::fprintf(stderr, "smith-waterman [pairs] [length up to %d] [seed]\n",
                 MaxLength);
    return 2;
  }
  std::vector<std::string> TextA(Pairs), TextB(Pairs);
  std::vector<char> A(Pairs * Length), B(Pairs * Length);
  std::vector<int> LengthA, LengthB;
  for (int P = 0; P < Pairs; ++P) {
    makePair(Length, Dice, TextA[P], TextB[P]);
    std::copy(TextA[P].begin(), TextA[P].end(), &A[P * Length]);
    std::copy(TextB[P].begin(), TextB[P].end(), &B[P * Length]);
    LengthA.push_back(TextA[P].size());
    LengthB.push_back(TextB[P].size());
  }
  std::vector<Alignment> Best(Pairs);
  Alignment *DeviceBest = onDevice(Best);
  align<<<Pairs, Length>>>(onDevice(A), onDevice(B), onDevice(LengthA),
                           onDevice(LengthB), Length, DeviceBest);
  check(cudaGetLastError());
  check(cudaMemcpy(Best.data(), DeviceBest, Pairs * sizeof(Alignment),
                   cudaMemcpyDeviceToHost));
  int Wrong = 0;
  for (int P = 0; P < Pairs; ++P) {
    std::printf("pair %d: score %d, ends at %d and %d\n", P, Best[P].Score,
                Best[P].Row, Best[P].Column);
    if (Verify) {
      Alignment Host = alignOnHost(TextA[P], TextB[P]);
      Wrong += Host.Score != Best[P].Score || Host.Row != Best[P].Row ||
               Host.Column != Best[P].Column;
    }
  }
  if (Verify)
    std::printf("%d of %d pairs differ from the host's result\n", Wrong, Pairs);
  return Wrong ? 1 : 0;
}
