// Cooperative groups: blocks, tiles and coalesced threads.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O2 --cuda-gpu-arch=sm_70
// FLAGS: -O3 --cuda-gpu-arch=sm_90

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tiles(const int *in, int *out, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  __shared__ int parts[128];
  int i = block.group_index().x * block.size() + block.thread_rank();
  int v = i < n ? in[i] : 0;
  for (int step = tile.size() / 2; step > 0; step /= 2)
    v += tile.shfl_down(v, step);
  if (tile.thread_rank() == 0)
    parts[block.thread_rank() / 8] = v;
  block.sync();
  if (block.thread_rank() < block.size() / 8 && tile.any(v > 0))
    out[i] = parts[block.thread_rank()];
}

__global__ void append(const int *in, int *out, int *size, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0)
      base = atomicAdd(size, active.size());
    base = active.shfl(base, 0);
    out[base + active.thread_rank()] = in[i];
  }
}
