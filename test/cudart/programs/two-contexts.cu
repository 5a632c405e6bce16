// Threads that launch the same kernel on two devices, and change places all the
// time, each find its function in their own context: a function of the other
// would write to memory that is not there.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --gpu=V100,A100 --time=off -- %t | FileCheck %s
// CHECK: 4000 launches, 0 wrong
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

__device__ int Place;

__global__ void note(int *Out, int Value) {
  Place = Value;
  *Out = Value;
}

int main() {
  std::atomic<int> Wrong{0}, Launches{0};
  auto Work = [&](int First) {
    int *Out[2];
    for (int Device : {0, 1}) {
      cudaSetDevice(Device);
      cudaMalloc(&Out[Device], sizeof(int));
    }
    for (int I = 0; I < 1000; ++I) {
      int Device = (First + I) % 2, Got = 0;
      cudaSetDevice(Device);
      note<<<1, 1>>>(Out[Device], I);
      if (cudaMemcpy(&Got, Out[Device], sizeof(int), cudaMemcpyDeviceToHost) ||
          Got != I)
        ++Wrong;
      ++Launches;
    }
  };
  std::vector<std::thread> Threads;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back(Work, I);
  for (std::thread &T : Threads)
    T.join();
  std::printf("%d launches, %d wrong\n", Launches.load(), Wrong.load());
}
