// Host functions and callbacks in streams run after the work before them.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
__global__ void set(int *data, int value) { *data = value; }

struct Record {
  const int *data;
  int seen;
};

static void look(void *user) {
  Record *r = (Record *)user;
  r->seen = *r->data;
}

static void callback(cudaStream_t, cudaError_t status, void *user) {
  if (status == cudaSuccess)
    look(user);
}

int main() {
  int *data;
  CHECK(cudaMallocManaged(&data, sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Record first = {data, 0}, second = {data, 0};
  set<<<1, 1, 0, stream>>>(data, 7);
  CHECK(cudaLaunchHostFunc(stream, look, &first));
  set<<<1, 1, 0, stream>>>(data, 8);
  CHECK(cudaStreamAddCallback(stream, callback, &second, 0));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(first.seen == 7);
  EXPECT(second.seen == 8);
  std::puts("ok");
}
