// Breadth-first search over rows of edges, a frontier at a time.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_80
// FLAGS: -O2 -g --cuda-gpu-arch=sm_60

__global__ void visit(const int *offsets, const int *edges, int *level,
                      const int *frontier, int size, int *next, int *nextSize,
                      int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size)
    return;
  int node = frontier[i];
  for (int e = offsets[node]; e < offsets[node + 1]; ++e) {
    int neighbour = __ldg(&edges[e]);
    if (neighbour < 0)
      break;
    if (neighbour == node)
      continue;
    if (atomicCAS(&level[neighbour], -1, depth) == -1)
      next[atomicAdd(nextSize, 1)] = neighbour;
  }
}

__global__ void relaxEdges(const int2 *edges, const float *weights,
                           float *distance, int *changed, int m) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m;
       e += gridDim.x * blockDim.x) {
    int2 edge = __ldg(&edges[e]);
    float through = distance[edge.x] + __ldg(&weights[e]);
    if (through < distance[edge.y]) {
      distance[edge.y] = through;
      *changed = 1;
    }
  }
}
