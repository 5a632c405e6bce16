// A kernel waits for a flag that another thread sets through another stream, by
// a copy and by a memset, while its launch is being timed.
// REQUIRES: cuda-link
// RUN: %cuda_program -pthread %s -o %t
// RUN: gevo-run --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <thread>
#include <unistd.h>

__global__ void wait(volatile int *flag, int *out) {
  while (!*flag)
    ;
  *out = *flag;
}

int main() {
  int *flag, *out, one = 1, got = 0;
  CHECK(cudaMalloc(&flag, sizeof(int)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  cudaStream_t waiting, setting;
  CHECK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&setting, cudaStreamNonBlocking));
  for (bool copy : {true, false}) {
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    std::thread other([&] { wait<<<1, 1, 0, waiting>>>(flag, out); });
    usleep(50000);
    if (copy)
      CHECK(cudaMemcpyAsync(flag, &one, sizeof(int), cudaMemcpyHostToDevice,
                            setting));
    else
      CHECK(cudaMemsetAsync(flag, 1, sizeof(int), setting));
    other.join();
    CHECK(cudaMemcpy(&got, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(got == (copy ? 1 : 0x01010101));
  }
  std::puts("ok");
}
