// A whole program, compiled by clang with its PTX embedded, runs against the
// driver library as it would against NVIDIA's: it takes libcuda.so.1 from
// LD_LIBRARY_PATH and its own code from its own executable.
// REQUIRES: cuda-link
// RUN: %clangxx_cuda --cuda-gpu-arch=sm_60 -O2 %s -o %t -L%gevo_build/lib -l:libgevo-gpu.so
// RUN: env LD_LIBRARY_PATH=%gevo_build/lib/gevo-gpu %t | FileCheck %s
// RUN: env LD_LIBRARY_PATH=%gevo_build/lib/gevo-gpu GEVO_GPU=H100 %t | FileCheck %s --check-prefix=H100
// RUN: env LD_LIBRARY_PATH=%gevo_build/lib/gevo-gpu not %t out-of-bounds 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: env LD_LIBRARY_PATH=%gevo_build/lib/gevo-gpu GEVO_FINDINGS=none not %t out-of-bounds 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: env LD_LIBRARY_PATH=%gevo_build/lib/gevo-gpu GEVO_GPU=Voodoo not %t 2>&1 | FileCheck %s --check-prefix=NOGPU
// RUN: env LD_LIBRARY_PATH=%gevo_build/lib/gevo-gpu GEVO_CHECK=maybe not %t 2>&1 | FileCheck %s --check-prefix=NOCHECK
// CHECK: Tesla V100
// CHECK: sum of squares: 332833500
// H100: NVIDIA H100
// H100: sum of squares: 332833500
// BOUNDS: gevo-gpu: error: {{.*}}squares
// BOUNDS: launch: CUDA_ERROR_ILLEGAL_ADDRESS
// QUIET-NOT: gevo-gpu:
// QUIET: launch: CUDA_ERROR_ILLEGAL_ADDRESS
// NOGPU: gevo-gpu: error: GEVO_GPU: unknown GPU 'Voodoo'; known are
// NOGPU: init: CUDA_ERROR_NO_DEVICE
// NOCHECK: gevo-gpu: error: GEVO_CHECK: unknown checks 'maybe'

#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <vector>

extern "C" __global__ void squares(unsigned *Out, unsigned N) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Out[I] = I * I;
}

// The host side of a CUDA program registers its code with the runtime. This one
// has no runtime: it catches the registration and loads the code itself.
static const void *Image;
extern "C" void **__cudaRegisterFatBinary(void *Wrapper) {
  Image = Wrapper;
  return nullptr;
}
extern "C" void __cudaRegisterFatBinaryEnd(void **) {}
extern "C" void __cudaUnregisterFatBinary(void **) {}
extern "C" int __cudaRegisterFunction(void **, const char *, char *,
                                      const char *, int, void *, void *, void *,
                                      void *, int *) {
  return 0;
}
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *) {
  return 1;
}
extern "C" unsigned __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *,
                                               void *) {
  return 1;
}
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **,
                                        size_t, cudaStream_t) {
  return cudaErrorUnknown;
}

static void check(const char *What, CUresult R) {
  const char *Name = "?";
  if (R == CUDA_SUCCESS)
    return;
  cuGetErrorName(R, &Name);
  std::printf("%s: %s\n", What, Name);
  std::exit(1);
}

int main(int Argc, char **) {
  check("init", cuInit(0));
  char Name[100];
  check("name", cuDeviceGetName(Name, 100, 0));
  std::printf("%s\n", Name);
  CUcontext Ctx;
  check("context", cuDevicePrimaryCtxRetain(&Ctx, 0));
  check("current", cuCtxSetCurrent(Ctx));
  CUmodule M;
  check("module", cuModuleLoadFatBinary(&M, Image));
  CUfunction F;
  check("function", cuModuleGetFunction(&F, M, "squares"));
  CUdeviceptr P;
  check("alloc", cuMemAlloc(&P, 4000));
  unsigned N = Argc > 1 ? 1001 : 1000;
  void *Params[] = {&P, &N};
  check("launch",
        cuLaunchKernel(F, 8, 1, 1, 128, 1, 1, 0, nullptr, Params, nullptr));
  std::vector<unsigned> Out(1000);
  check("copy", cuMemcpyDtoH(Out.data(), P, 4000));
  unsigned Sum = 0;
  for (unsigned V : Out)
    Sum += V;
  std::printf("sum of squares: %u\n", Sum);
}
