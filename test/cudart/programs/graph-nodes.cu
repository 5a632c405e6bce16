// A graph made by hand: kernel, copy, set, host and child nodes, their edges
// and parameters.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
__global__ void scale(float *data, int n, float by) {
  int i = threadIdx.x;
  if (i < n)
    data[i] *= by;
}

static void half(void *data) {
  for (int i = 0; i < 32; ++i)
    ((float *)data)[i] /= 2;
}

int main() {
  int n = 32;
  float host[32], want[32], by = 3;
  float *data;
  for (int i = 0; i < n; ++i) {
    host[i] = float(i);
    want[i] = i < 16 ? 0 : float(i) * 5 * 7 / 2;
  }
  CHECK(cudaMalloc(&data, n * sizeof(float)));
  cudaGraph_t graph, child;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&child, 0));
  cudaGraphNode_t in, zero, kernel, sub, out, back;
  CHECK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, data, host,
                                 sizeof(host), cudaMemcpyHostToDevice));
  cudaMemsetParams set = {};
  set.dst = data;
  set.elementSize = 4;
  set.width = 16;
  set.height = 1;
  CHECK(cudaGraphAddMemsetNode(&zero, graph, &in, 1, &set));
  void *arguments[] = {&data, &n, &by};
  cudaKernelNodeParams launch = {};
  launch.func = (void *)scale;
  launch.gridDim = dim3(1);
  launch.blockDim = dim3(32);
  launch.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &zero, 1, &launch));
  cudaGraphNode_t inner;
  by = 7;
  CHECK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &launch));
  CHECK(cudaGraphAddChildGraphNode(&sub, graph, nullptr, 0, child));
  CHECK(cudaGraphAddDependencies(graph, &kernel, &sub, 1));
  CHECK(cudaGraphAddMemcpyNode1D(&out, graph, &sub, 1, host, data, sizeof(host),
                                 cudaMemcpyDeviceToHost));
  cudaHostNodeParams call = {half, host};
  CHECK(cudaGraphAddHostNode(&back, graph, &out, 1, &call));

  size_t edges = 0, before = 1;
  cudaGraphNode_t first;
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(edges == 5);
  CHECK(cudaGraphNodeGetDependencies(sub, &first, &before));
  EXPECT(before == 1 && first == kernel);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(sub, &type));
  EXPECT(type == cudaGraphNodeTypeGraph);
  cudaKernelNodeParams known = {};
  CHECK(cudaGraphKernelNodeGetParams(kernel, &known));
  EXPECT(known.func == (void *)scale);
  EXPECT(*(float *)known.kernelParams[2] == 3);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  by = 5;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  int bad = compare(host, want, 32);

  cudaGraph_t clone;
  cudaGraphNode_t twin;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphNodeFindInClone(&twin, out, clone));
  CHECK(cudaGraphDestroyNode(twin));
  CHECK(cudaGraphGetNodes(clone, nullptr, &edges));
  EXPECT(edges == 5);
  return bad;
}
