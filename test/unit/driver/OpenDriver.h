//===- OpenDriver.h - The driver library as a program opens it --*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the driver use it as programs do: they open the shared library and
// look its functions up.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_DRIVER_OPENDRIVER_H
#define GEVO_TEST_UNIT_DRIVER_OPENDRIVER_H

#include "runtime/gpu/driver/DriverApi.h"
#include "runtime/gpu/driver/GevoGpu.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gevo::test {

using namespace gevo::cuda;

/// The functions of the driver, looked up by name.
struct Api {
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params)                         \
  decltype(&cuda::Symbol) Symbol;
#include "runtime/gpu/driver/Api.def"
  decltype(&::gevoGpuVersion) gevoGpuVersion;
  decltype(&::gevoGpuSelectModel) gevoGpuSelectModel;
  decltype(&::gevoGpuGetModel) gevoGpuGetModel;
  decltype(&::gevoGpuSetChecks) gevoGpuSetChecks;
  decltype(&::gevoGpuSetTiming) gevoGpuSetTiming;
  decltype(&::gevoGpuSetMachineCode) gevoGpuSetMachineCode;
  decltype(&::gevoGpuSetStepLimit) gevoGpuSetStepLimit;
  decltype(&::gevoGpuSetFindingsTarget) gevoGpuSetFindingsTarget;
  decltype(&::gevoGpuGetFindings) gevoGpuGetFindings;
  decltype(&::gevoGpuClear) gevoGpuClear;
  decltype(&::gevoGpuGetCounters) gevoGpuGetCounters;
  decltype(&::gevoGpuFlushCaches) gevoGpuFlushCaches;
  decltype(&::gevoGpuGetWhyRules) gevoGpuGetWhyRules;
  void *Library;
};

/// Opens the library once; a missing symbol ends the test program.
inline const Api &api() {
  static const Api Only = [] {
    Api A;
    A.Library = dlopen(GEVO_GPU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!A.Library) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    auto find = [&](const char *Name) {
      void *Address = dlsym(A.Library, Name);
      if (!Address) {
        std::fprintf(stderr, "no symbol %s\n", Name);
        std::abort();
      }
      return Address;
    };
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params)                         \
  A.Symbol = reinterpret_cast<decltype(A.Symbol)>(find(#Symbol));
#include "runtime/gpu/driver/Api.def"
#define GEVO_FIND(Symbol)                                                      \
  A.Symbol = reinterpret_cast<decltype(A.Symbol)>(find(#Symbol));
    GEVO_FIND(gevoGpuVersion)
    GEVO_FIND(gevoGpuSelectModel)
    GEVO_FIND(gevoGpuGetModel)
    GEVO_FIND(gevoGpuSetChecks)
    GEVO_FIND(gevoGpuSetTiming)
    GEVO_FIND(gevoGpuSetMachineCode)
    GEVO_FIND(gevoGpuSetStepLimit)
    GEVO_FIND(gevoGpuSetFindingsTarget)
    GEVO_FIND(gevoGpuGetFindings)
    GEVO_FIND(gevoGpuClear)
    GEVO_FIND(gevoGpuGetCounters)
    GEVO_FIND(gevoGpuFlushCaches)
    GEVO_FIND(gevoGpuGetWhyRules)
#undef GEVO_FIND
    return A;
  }();
  return Only;
}

/// A test with a context of its own that is current.
class DriverTest : public ::testing::Test {
protected:
  const Api &A = api();
  CUcontext Ctx = nullptr;

  void SetUp() override {
    ASSERT_EQ(A.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(A.cuCtxCreate_v2(&Ctx, 0, 0), CUDA_SUCCESS);
    // What a test provokes belongs into its assertions, not onto the screen.
    ASSERT_EQ(A.gevoGpuSetFindingsTarget("none"), CUDA_SUCCESS);
  }
  void TearDown() override {
    if (Ctx)
      EXPECT_EQ(A.cuCtxDestroy_v2(Ctx), CUDA_SUCCESS);
  }

  CUmodule load(const std::string &Ptx) {
    CUmodule M = nullptr;
    EXPECT_EQ(A.cuModuleLoadData(&M, Ptx.c_str()), CUDA_SUCCESS);
    return M;
  }
  CUfunction function(CUmodule M, const char *Name) {
    CUfunction F = nullptr;
    EXPECT_EQ(A.cuModuleGetFunction(&F, M, Name), CUDA_SUCCESS);
    return F;
  }
  CUdeviceptr allocate(size_t Bytes) {
    CUdeviceptr P = 0;
    EXPECT_EQ(A.cuMemAlloc_v2(&P, Bytes), CUDA_SUCCESS);
    return P;
  }
  template <typename T> std::vector<T> read(CUdeviceptr P, size_t Count) {
    std::vector<T> Values(Count);
    EXPECT_EQ(A.cuMemcpyDtoH_v2(Values.data(), P, Count * sizeof(T)),
              CUDA_SUCCESS);
    return Values;
  }
  CUresult launch(CUfunction F, unsigned Grid, unsigned Block,
                  std::vector<void *> Params, CUstream S = nullptr,
                  unsigned Shared = 0) {
    return A.cuLaunchKernel(F, Grid, 1, 1, Block, 1, 1, Shared, S,
                            Params.data(), nullptr);
  }
  std::string findings() {
    size_t Needed = 0;
    EXPECT_EQ(A.gevoGpuGetFindings(nullptr, 0, &Needed), CUDA_SUCCESS);
    std::string Text(Needed, 0);
    EXPECT_EQ(A.gevoGpuGetFindings(Text.data(), Needed, nullptr), CUDA_SUCCESS);
    Text.resize(Needed - 1);
    return Text;
  }
};

/// Kernels that most tests use.
///   add(p, n, v): p[i] += v for i < n
///   wild(p): stores to p + 4 * thread
///   spin(): never ends
///   shared(p): p[thread] = dynamic shared word written by its neighbour
/// and the variables "counter" (global), "table" (constant).
inline const char *sampleModule() {
  return R"(.version 7.0
.target sm_60
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0};
.extern .shared .align 4 .b8 words[];
.visible .entry add(.param .u64 p, .param .u32 n, .param .u32 v)
{
  .reg .pred %out;
  .reg .b32 %r<8>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.param.u32 %r2, [v];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %out, %r6, %r1;
  @%out bra DONE;
  mul.wide.u32 %rd2, %r6, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r7, [%rd3];
  add.u32 %r7, %r7, %r2;
  st.global.u32 [%rd3], %r7;
DONE:
  ret;
}
.visible .entry wild(.param .u64 p)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
.visible .entry spin()
{
AGAIN:
  bra AGAIN;
}
.visible .entry shared(.param .u64 p)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, words;
  shl.b32 %r3, %r1, 2;
  add.u32 %r4, %r2, %r3;
  st.shared.u32 [%r4], %r1;
  bar.sync 0;
  xor.b32 %r5, %r3, 4;
  add.u32 %r6, %r2, %r5;
  ld.shared.u32 %r7, [%r6];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";
}

} // namespace gevo::test

#endif // GEVO_TEST_UNIT_DRIVER_OPENDRIVER_H
