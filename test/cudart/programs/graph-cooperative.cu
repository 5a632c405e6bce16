// A cooperative kernel in a graph stays one when its node gets other
// parameters, and events in a graph have the time at which they are reached.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void count(int *data, int step) {
  if (threadIdx.x == 0)
    atomicAdd(data, step);
  cg::this_grid().sync();
  if (cg::this_grid().thread_rank() == 0)
    data[1] = data[0];
}

__global__ void spin(int *data, int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; ++i)
    sum = sum * 3 + (data[threadIdx.x] ^ i);
  data[threadIdx.x] = sum;
}

static float between(cudaEvent_t start, cudaEvent_t end) {
  float elapsed = 0;
  CHECK(cudaEventElapsedTime(&elapsed, start, end));
  return elapsed;
}

int main() {
  int *data, step = 1;
  CHECK(cudaMallocManaged(&data, 32 * sizeof(int)));
  void *arguments[] = {&data, &step};
  cudaStream_t stream, late;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaLaunchCooperativeKernel((void *)count, 8, 32, arguments, 0, stream));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphNode_t node;
  size_t nodes = 1;
  CHECK(cudaGraphGetNodes(graph, &node, &nodes));
  cudaKernelNodeParams parameters;
  CHECK(cudaGraphKernelNodeGetParams(node, &parameters));
  parameters.kernelParams = arguments;
  step = 5;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &parameters));
  CHECK(cudaMemset(data, 0, 32 * sizeof(int)));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(data[1] == 40);

  cudaEvent_t before, inside, behind;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&inside));
  CHECK(cudaEventCreate(&behind));
  spin<<<1, 32, 0, stream>>>(data, 5000);
  CHECK(cudaEventRecord(before, stream));
  cudaGraph_t waiting;
  CHECK(cudaGraphCreate(&waiting, 0));
  cudaGraphNode_t wait, kernel, record;
  CHECK(cudaGraphAddEventWaitNode(&wait, waiting, nullptr, 0, before));
  int rounds = 1000;
  void *spins[] = {&data, &rounds};
  cudaKernelNodeParams launch = {};
  launch.func = (void *)spin;
  launch.gridDim = 1;
  launch.blockDim = 32;
  launch.kernelParams = spins;
  CHECK(cudaGraphAddKernelNode(&kernel, waiting, &wait, 1, &launch));
  CHECK(cudaGraphAddEventRecordNode(&record, waiting, &kernel, 1, inside));
  cudaGraphExec_t other;
  CHECK(cudaGraphInstantiate(&other, waiting, 0));
  CHECK(cudaGraphLaunch(other, late));
  CHECK(cudaEventRecord(behind, late));
  EXPECT(between(before, inside) > 0);
  EXPECT(between(inside, behind) == 0);
  std::puts("ok");
}
