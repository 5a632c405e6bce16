// A breadth-first search, one launch a level; who finds a node does not matter.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/bfs.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
// Every node has eight edges. Of the threads that find a node, the one whose
// exchange succeeds puts it into the next frontier.
extern "C" __global__ void visit(const unsigned *Targets, int N, int *Depth,
                                 int Level, int *Frontier, int *Next,
                                 int *Changed) {
  int Node = blockIdx.x * blockDim.x + threadIdx.x;
  if (Node >= N || !Frontier[Node])
    return;
  Frontier[Node] = 0;
  for (int E = 0; E < 8; ++E) {
    unsigned To = Targets[Node * 8 + E];
    if (atomicCAS(&Depth[To], -1, Level + 1) == -1) {
      Next[To] = 1;
      atomicAdd(Changed, 1);
    }
  }
}

extern "C" __global__ void start(int *Depth, int *Frontier) {
  Depth[0] = 0;
  Frontier[0] = 1;
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

#include <queue>

int main(int, char **Argv) {
  auto Targets = load<unsigned>(Argv[1], "targets");
  std::vector<int> Depth(512, -1), Changed(1);
  std::queue<int> Next;
  Next.push(0);
  Depth[0] = 0;
  while (!Next.empty()) {
    int Node = Next.front();
    Next.pop();
    for (int E = 0; E < 8; ++E) {
      unsigned To = Targets[Node * 8 + E];
      if (Depth[To] != -1)
        continue;
      Depth[To] = Depth[Node] + 1;
      ++Changed[0];
      Next.push(To);
    }
  }
  Comparison C;
  C.equal("depth", load<int>(Argv[1], "depth"), Depth);
  C.equal("changed", load<int>(Argv[1], "changed"), Changed);
  return C.verdict();
}

#endif
