//===- ContextTest.cpp - Contexts -----------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

using namespace gevo::test;

namespace {

class ContextTest : public ::testing::Test {
protected:
  const Api &A = api();
  void SetUp() override { ASSERT_EQ(A.cuInit(0), CUDA_SUCCESS); }
  CUcontext current() {
    CUcontext C = nullptr;
    EXPECT_EQ(A.cuCtxGetCurrent(&C), CUDA_SUCCESS);
    return C;
  }
};

} // namespace

TEST_F(ContextTest, StackOfCurrentContexts) {
  CUcontext One, Two, Popped;
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(A.cuCtxPopCurrent_v2(&Popped), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(A.cuCtxCreate_v2(&One, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuCtxCreate_v2(&Two, CU_CTX_SCHED_SPIN, 0), CUDA_SUCCESS);
  EXPECT_NE(One, Two);
  EXPECT_EQ(current(), Two);
  unsigned Flags = 0;
  EXPECT_EQ(A.cuCtxGetFlags(&Flags), CUDA_SUCCESS);
  EXPECT_EQ(Flags, unsigned(CU_CTX_SCHED_SPIN));
  EXPECT_EQ(A.cuCtxPopCurrent_v2(&Popped), CUDA_SUCCESS);
  EXPECT_EQ(Popped, Two);
  EXPECT_EQ(current(), One);
  EXPECT_EQ(A.cuCtxPushCurrent_v2(Two), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxSetCurrent(One), CUDA_SUCCESS);
  EXPECT_EQ(current(), One);
  EXPECT_EQ(A.cuCtxDestroy_v2(Two), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxDestroy_v2(Two), CUDA_ERROR_INVALID_CONTEXT) << "twice";
  EXPECT_EQ(A.cuCtxSetCurrent(Two), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(A.cuCtxDestroy_v2(One), CUDA_SUCCESS);
  // A context that is destroyed elsewhere stays on the stack but is of no use.
  CUdevice D;
  EXPECT_EQ(A.cuCtxGetDevice(&D), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(A.cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(current(), nullptr);
}

TEST_F(ContextTest, PrimaryContext) {
  CUcontext One = nullptr, Two = nullptr;
  unsigned Flags = 9;
  int Active = 9;
  EXPECT_EQ(A.cuDevicePrimaryCtxGetState(0, &Flags, &Active), CUDA_SUCCESS);
  EXPECT_EQ(Active, 0);
  EXPECT_EQ(A.cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(A.cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_YIELD),
            CUDA_SUCCESS);
  ASSERT_EQ(A.cuDevicePrimaryCtxRetain(&One, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuDevicePrimaryCtxRetain(&Two, 0), CUDA_SUCCESS);
  EXPECT_EQ(One, Two);
  EXPECT_EQ(current(), nullptr) << "retaining makes nothing current";
  EXPECT_EQ(A.cuDevicePrimaryCtxGetState(0, &Flags, &Active), CUDA_SUCCESS);
  EXPECT_EQ(Active, 1);
  EXPECT_EQ(Flags, unsigned(CU_CTX_SCHED_YIELD));
  EXPECT_EQ(A.cuCtxDestroy_v2(One), CUDA_ERROR_INVALID_CONTEXT)
      << "a primary context is released, not destroyed";
  EXPECT_EQ(A.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxSetCurrent(One), CUDA_SUCCESS) << "one use is left";
  EXPECT_EQ(A.cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(A.cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(A.cuDevicePrimaryCtxRetain(&One, 3), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(A.cuDevicePrimaryCtxSetFlags_v2(0, 0), CUDA_SUCCESS);
}

TEST_F(ContextTest, LimitsAndConfigurations) {
  CUcontext Ctx;
  ASSERT_EQ(A.cuCtxCreate_v2(&Ctx, 0, 0), CUDA_SUCCESS);
  size_t Value = 0;
  EXPECT_EQ(A.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxGetLimit(&Value, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(Value, 8192u);
  EXPECT_EQ(A.cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxGetLimit(&Value, CUlimit(77)), CUDA_ERROR_UNSUPPORTED_LIMIT);
  EXPECT_EQ(A.cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1), CUDA_SUCCESS);
  CUfunc_cache Cache;
  EXPECT_EQ(A.cuCtxGetCacheConfig(&Cache), CUDA_SUCCESS);
  EXPECT_EQ(Cache, CU_FUNC_CACHE_PREFER_L1);
  int Least = 1, Greatest = 1;
  EXPECT_EQ(A.cuCtxGetStreamPriorityRange(&Least, &Greatest), CUDA_SUCCESS);
  EXPECT_EQ(Least, 0);
  EXPECT_LT(Greatest, Least);
  unsigned Version = 0;
  EXPECT_EQ(A.cuCtxGetApiVersion(Ctx, &Version), CUDA_SUCCESS);
  EXPECT_EQ(Version, 3020u);
  unsigned long long IdOne = 0;
  EXPECT_EQ(A.cuCtxGetId(Ctx, &IdOne), CUDA_SUCCESS);
  EXPECT_NE(IdOne, 0u);
  EXPECT_EQ(A.cuCtxDestroy_v2(Ctx), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1),
            CUDA_ERROR_INVALID_CONTEXT);
}

// Handles of any kind that were never given, are of another kind, or whose
// object is gone, are errors.
TEST_F(ContextTest, WrongHandlesAreErrors) {
  CUcontext Ctx;
  CUstream S;
  CUevent E;
  CUmodule M;
  ASSERT_EQ(A.cuCtxCreate_v2(&Ctx, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuStreamCreate(&S, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuEventCreate(&E, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuModuleLoadData(&M, sampleModule()), CUDA_SUCCESS);
  CUstream Old = S;
  ASSERT_EQ(A.cuStreamDestroy_v2(S), CUDA_SUCCESS);
  ASSERT_EQ(A.cuStreamCreate(&S, 0), CUDA_SUCCESS);
  EXPECT_NE(S, Old) << "a name is not given twice";
  std::vector<uintptr_t> Wrong = {3,
                                  0xDEADBEEF,
                                  uintptr_t(this),
                                  ~uintptr_t(0),
                                  reinterpret_cast<uintptr_t>(Old),
                                  reinterpret_cast<uintptr_t>(E),
                                  reinterpret_cast<uintptr_t>(S) + 1,
                                  reinterpret_cast<uintptr_t>(S) ^
                                      (1ull << 32)};
  for (uintptr_t W : Wrong) {
    auto BadStream = reinterpret_cast<CUstream>(W);
    EXPECT_EQ(A.cuStreamSynchronize(BadStream), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(A.cuStreamDestroy_v2(BadStream), CUDA_ERROR_INVALID_HANDLE);
    auto BadModule = reinterpret_cast<CUmodule>(W);
    CUfunction F;
    EXPECT_EQ(A.cuModuleGetFunction(&F, BadModule, "add"),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(A.cuModuleUnload(BadModule), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(A.cuLaunchKernel(reinterpret_cast<CUfunction>(W), 1, 1, 1, 1, 1,
                               1, 0, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(A.cuCtxSetCurrent(reinterpret_cast<CUcontext>(W)),
              CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(A.cuGraphDestroy(reinterpret_cast<CUgraph>(W)),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(A.cuLibraryUnload(reinterpret_cast<CUlibrary>(W)),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(A.cuMemPoolDestroy(reinterpret_cast<CUmemoryPool>(W)),
              CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(A.cuEventRecord(reinterpret_cast<CUevent>(S), nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(A.cuCtxDestroy_v2(Ctx), CUDA_SUCCESS);
  // They went with the context.
  EXPECT_EQ(A.cuStreamSynchronize(S), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(A.cuEventQuery(E), CUDA_ERROR_INVALID_HANDLE);
  CUfunction F;
  EXPECT_EQ(A.cuModuleGetFunction(&F, M, "add"), CUDA_ERROR_INVALID_HANDLE);
}

// A fault in one context leaves another as it was, and stays with its own
// until that is destroyed.
TEST_F(ContextTest, FaultsStayInTheirContext) {
  CUcontext Good, Bad;
  ASSERT_EQ(A.cuCtxCreate_v2(&Good, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuCtxCreate_v2(&Bad, 0, 0), CUDA_SUCCESS);
  A.gevoGpuSetFindingsTarget("none");
  CUmodule M;
  CUfunction F;
  ASSERT_EQ(A.cuModuleLoadData(&M, sampleModule()), CUDA_SUCCESS);
  ASSERT_EQ(A.cuModuleGetFunction(&F, M, "wild"), CUDA_SUCCESS);
  CUdeviceptr P = 0x10;
  void *Params[] = {&P};
  EXPECT_EQ(A.cuLaunchKernel(F, 1, 1, 1, 1, 1, 1, 0, nullptr, Params, nullptr),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(A.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(A.cuMemAlloc_v2(&P, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(A.cuCtxSetCurrent(Good), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemAlloc_v2(&P, 4), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxDestroy_v2(Bad), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxDestroy_v2(Good), CUDA_SUCCESS);
}

// Many contexts at once, each with memory of its own.
TEST_F(ContextTest, ManyContexts) {
  std::vector<CUcontext> All(40);
  std::vector<CUdeviceptr> Memory(40);
  for (size_t I = 0; I < All.size(); ++I) {
    ASSERT_EQ(A.cuCtxCreate_v2(&All[I], 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(A.cuMemAlloc_v2(&Memory[I], 4096), CUDA_SUCCESS);
    ASSERT_EQ(A.cuMemsetD32_v2(Memory[I], unsigned(I), 1024), CUDA_SUCCESS);
  }
  for (size_t I = 0; I < All.size(); ++I) {
    unsigned Value = 0;
    EXPECT_EQ(A.cuMemcpyDtoH_v2(&Value, Memory[I] + 4092, 4), CUDA_SUCCESS);
    EXPECT_EQ(Value, I);
    CUcontext Owner = nullptr;
    EXPECT_EQ(A.cuPointerGetAttribute(&Owner, CU_POINTER_ATTRIBUTE_CONTEXT,
                                      Memory[I]),
              CUDA_SUCCESS);
    EXPECT_EQ(Owner, All[I]);
  }
  for (CUcontext Ctx : All)
    EXPECT_EQ(A.cuCtxDestroy_v2(Ctx), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
}
