// Two modules that a program makes at run time have a kernel of one name, and
// texts of one length: two kernels, both captured.
// REQUIRES: cuda-link
// RUN: rm -rf %t && mkdir %t && %cuda_program %s -o %t/app
// RUN: gevo-run --capture=%t/c -- %t/app 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM-DAG: 31 71
// PROGRAM-DAG: captured 2 of 4 launches
// RUN: gevo-run --replay=%t/c --json=- | FileCheck %s
// CHECK: "passed": true
// CHECK-COUNT-2: "weight": 2

#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <string>

template <typename Fn> static Fn find(const char *Name) {
  void *Address = nullptr;
  cudaDriverEntryPointQueryResult Status;
  cudaGetDriverEntryPoint(Name, &Address, cudaEnableDefault, &Status);
  return (Fn)Address;
}

static std::string textWith(int Factor) {
  return R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 out)
{
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  mad.lo.u32 %r2, %r1, )" +
         std::to_string(Factor) + R"(, 1;
  st.global.u32 [%rd1], %r2;
  ret;
}
)";
}

int main() {
  auto Load = find<decltype(&cuModuleLoadData)>("cuModuleLoadData");
  auto Get = find<decltype(&cuModuleGetFunction)>("cuModuleGetFunction");
  auto Launch = find<decltype(&cuLaunchKernel)>("cuLaunchKernel");
  void *Out;
  cudaMalloc(&Out, 256);
  void *Arguments[] = {&Out};
  for (int Factor : {3, 7}) {
    CUmodule Module;
    CUfunction Function;
    if (Load(&Module, textWith(Factor).c_str()) ||
        Get(&Function, Module, "scale"))
      return 1;
    for (int I = 0; I < 2; ++I)
      if (Launch(Function, 1, 1, 1, 64, 1, 1, 0, nullptr, Arguments, nullptr))
        return 1;
    int Host[64];
    cudaMemcpy(Host, Out, sizeof Host, cudaMemcpyDeviceToHost);
    std::printf("%d%s", Host[10], Factor == 3 ? " " : "\n");
    std::fflush(stdout);
  }
}
