// A graph captured from two streams, launched again and again, and updated.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// CHECK: ok
// The kernels of a graph are counted one by one.
// JSON: "name": "_Z3addPiii"
// JSON: "launches": 8

#include "Inputs/check.h"
#include <vector>

__global__ void add(int *data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += value;
}

static void count(void *counter) { ++*(int *)counter; }

static cudaGraph_t capture(cudaStream_t a, cudaStream_t b, int *x, int *y,
                           int n, int value, int *calls) {
  cudaEvent_t fork, join;
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));
  CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(y, 0, n * sizeof(int), a));
  CHECK(cudaEventRecord(fork, a));
  CHECK(cudaStreamWaitEvent(b, fork, 0));
  add<<<1, n, 0, a>>>(x, n, value);
  add<<<1, n, 0, b>>>(y, n, 10 * value);
  CHECK(cudaLaunchHostFunc(b, count, calls));
  CHECK(cudaEventRecord(join, b));
  CHECK(cudaStreamWaitEvent(a, join, 0));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(a, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(a, &graph));
  CHECK(cudaStreamIsCapturing(a, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  return graph;
}

int main() {
  const int n = 64;
  int *x, *y, calls = 0;
  CHECK(cudaMalloc(&x, n * sizeof(int)));
  CHECK(cudaMalloc(&y, n * sizeof(int)));
  CHECK(cudaMemset(x, 0, n * sizeof(int)));
  cudaStream_t a, b;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreate(&b));
  cudaGraph_t graph = capture(a, b, x, y, n, 1, &calls);
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 4);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT(calls == 0);
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(exec, a));
  CHECK(cudaStreamSynchronize(a));
  cudaGraph_t other = capture(a, b, x, y, n, 5, &calls);
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(exec, other, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(exec, a));
  CHECK(cudaStreamSynchronize(a));
  EXPECT(calls == 4);
  std::vector<int> got(2 * n), want(2 * n);
  CHECK(cudaMemcpy(got.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(got.data() + n, y, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    want[i] = 3 + 5;
    want[n + i] = 50;
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));
  return compare(got.data(), want.data(), 2 * n);
}
