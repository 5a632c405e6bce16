// A program that uses both APIs: the driver's functions are found through the
// runtime, and contexts, streams, memory and kernels are the same on both sides.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
#include <cuda.h>

__global__ void set(int *data, int value) { data[threadIdx.x] = value; }

template <typename Fn> static Fn find(const char *name) {
  void *address = nullptr;
  cudaDriverEntryPointQueryResult status;
  CHECK(cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &status));
  EXPECT(status == cudaDriverEntryPointSuccess && address);
  return (Fn)address;
}

int main() {
  void *none = nullptr;
  cudaDriverEntryPointQueryResult status;
  CHECK(cudaGetDriverEntryPoint("cuNoSuchFunction", &none, cudaEnableDefault,
                                &status));
  EXPECT(status == cudaDriverEntryPointSymbolNotFound && !none);

  CUdeviceptr memory;
  CHECK(cudaFree(0));
  EXPECT(!find<decltype(&cuMemAlloc)>("cuMemAlloc")(&memory, 64));
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, (const void *)set));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int value = 9;
  void *arguments[] = {&memory, &value};
  EXPECT(!find<decltype(&cuLaunchKernel)>("cuLaunchKernel")(
      function, 1, 1, 1, 16, 1, 1, 0, stream, arguments, nullptr));
  cudaKernel_t kernel;
  CHECK(cudaGetKernel(&kernel, (const void *)set));
  EXPECT(kernel != nullptr);
  int got[16], want[16];
  CHECK(cudaMemcpy(got, (void *)memory, 64, cudaMemcpyDeviceToHost));
  for (int &w : want)
    w = 9;
  int runtime, driver;
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));
  EXPECT(driver >= runtime);
  return compare(got, want, 16);
}
