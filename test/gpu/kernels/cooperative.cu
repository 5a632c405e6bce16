// Groups of a block: tiles, votes, collectives and coalesced threads.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/cooperative.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int *X, int *Sums, int *Ranks,
                                  int *Odd) {
  cg::thread_block Block = cg::this_thread_block();
  cg::thread_block_tile<16> Tile = cg::tiled_partition<16>(Block);
  int I = blockIdx.x * Block.size() + Block.thread_rank();
  int V = X[I];
  for (int D = Tile.size() / 2; D; D /= 2)
    V += Tile.shfl_down(V, D);
  if (Tile.thread_rank() == 0)
    Sums[I / 16] = V;
  // A queue in shared memory, one atomic for each group of active threads.
  __shared__ int Used;
  if (Block.thread_rank() == 0)
    Used = 0;
  Block.sync();
  Ranks[I] = Tile.any(X[I] == 7) ? 1 : 0;
  if (X[I] & 1) {
    cg::coalesced_group Active = cg::coalesced_threads();
    int Place = 0;
    if (Active.thread_rank() == 0)
      Place = atomicAdd(&Used, int(Active.size()));
    Place = Active.shfl(Place, 0) + Active.thread_rank();
    Odd[blockIdx.x * Block.size() + Place] = X[I];
  }
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

#include <algorithm>

int main(int, char **Argv) {
  auto X = load<int>(Argv[1], "x");
  std::vector<int> Sums(X.size() / 16), Any(X.size()), Odd(X.size(), -1);
  for (size_t I = 0; I < X.size(); ++I) {
    Sums[I / 16] += X[I];
    for (size_t J = I / 16 * 16; J < I / 16 * 16 + 16; ++J)
      Any[I] |= X[J] == 7;
  }
  // The order in which threads get places is not defined; what they hold is.
  auto Got = load<int>(Argv[1], "odd");
  for (size_t B = 0; B < X.size(); B += 64) {
    size_t Place = B;
    for (size_t I = B; I < B + 64; ++I)
      if (X[I] & 1)
        Odd[Place++] = X[I];
    std::sort(Odd.begin() + B, Odd.begin() + B + 64);
    std::sort(Got.begin() + B, Got.begin() + B + 64);
  }
  Comparison C;
  C.equal("sums", load<int>(Argv[1], "sums"), Sums);
  C.equal("any", load<int>(Argv[1], "ranks"), Any);
  C.equal("odd", Got, Odd);
  return C.verdict();
}

#endif
