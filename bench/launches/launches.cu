//===- launches.cu - Many launches of an empty kernel ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches an empty kernel 100,000 times and prints what that took: seconds of
// the clock and of the processor.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <ctime>

__global__ void empty() {}

static double seconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

int main() {
  const int count = 100000;
  empty<<<1, 1>>>();
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  double wall = seconds(CLOCK_MONOTONIC);
  double processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < count; ++i)
    empty<<<1, 1>>>();
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  std::printf("%d %.9f %.9f\n", count, seconds(CLOCK_MONOTONIC) - wall,
              seconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
}
