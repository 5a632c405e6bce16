// Smith-Waterman scores along anti-diagonals, neighbours by shuffle.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/alignment.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
// One warp aligns a query of 32 letters with a text: lane i holds row i.
extern "C" __global__ void align(const unsigned char *Queries,
                                 const unsigned char *Texts, int Length,
                                 int *Scores) {
  unsigned Lane = threadIdx.x;
  unsigned char Letter = Queries[blockIdx.x * 32 + Lane] & 3;
  const unsigned char *Text = Texts + blockIdx.x * Length;
  int Left = 0, Diagonal = 0, Best = 0;
  for (int Step = 0; Step < Length + 31; ++Step) {
    int Above = __shfl_up_sync(0xFFFFFFFF, Left, 1);
    if (Lane == 0)
      Above = 0;
    int Column = Step - int(Lane);
    if (Column >= 0 && Column < Length) {
      int Match = (Text[Column] & 3) == Letter ? 3 : -2;
      int Score = max(max(Diagonal + Match, 0), max(Above, Left) - 2);
      Left = Score;
      Best = max(Best, Score);
    }
    Diagonal = Above;
  }
  for (int D = 16; D; D /= 2)
    Best = max(Best, __shfl_xor_sync(0xFFFFFFFF, Best, D));
  if (Lane == 0)
    Scores[blockIdx.x] = Best;
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

#include <algorithm>

int main(int, char **Argv) {
  constexpr int Length = 100, Pairs = 24;
  auto Q = load<unsigned char>(Argv[1], "queries");
  auto T = load<unsigned char>(Argv[1], "texts");
  std::vector<int> Want(Pairs);
  for (int P = 0; P < Pairs; ++P) {
    std::vector<std::vector<int>> S(33, std::vector<int>(Length + 1));
    for (int I = 1; I <= 32; ++I)
      for (int J = 1; J <= Length; ++J) {
        bool Same = (Q[P * 32 + I - 1] & 3) == (T[P * Length + J - 1] & 3);
        S[I][J] = std::max({0, S[I - 1][J - 1] + (Same ? 3 : -2),
                            S[I - 1][J] - 2, S[I][J - 1] - 2});
        Want[P] = std::max(Want[P], S[I][J]);
      }
  }
  Comparison C;
  C.equal("scores", load<int>(Argv[1], "scores"), Want);
  return C.verdict();
}

#endif
