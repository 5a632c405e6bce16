//===- BeforeInitTest.cpp - A driver that was not initialised -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of its own, because initialisation cannot be undone. What needs an
// environment of its own is here too.
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

#include <cstdlib>

using namespace gevo::test;

// Before cuInit nothing works and nothing crashes.
TEST(BeforeInit, EverythingIsRefused) {
  const Api &A = api();
  int Count = -1;
  CUcontext Ctx = nullptr;
  CUdeviceptr P = 0;
  EXPECT_EQ(A.cuDeviceGetCount(&Count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(A.cuCtxCreate_v2(&Ctx, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(A.cuCtxGetCurrent(&Ctx), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(A.cuMemAlloc_v2(&P, 4), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(A.cuStreamSynchronize(nullptr), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(A.cuInit(7), CUDA_ERROR_INVALID_VALUE);
}

// GEVO_GPU with two names gives two devices that can use each other's memory.
TEST(TwoDevices, PeerAccess) {
  const Api &A = api();
  setenv("GEVO_GPU", "V100,A100", 1);
  ASSERT_EQ(A.cuInit(0), CUDA_SUCCESS);
  int Count = 0, Can = 0, SMs = 0;
  ASSERT_EQ(A.cuDeviceGetCount(&Count), CUDA_SUCCESS);
  ASSERT_EQ(Count, 2);
  EXPECT_EQ(A.cuDeviceCanAccessPeer(&Can, 0, 1), CUDA_SUCCESS);
  EXPECT_EQ(Can, 1);
  EXPECT_EQ(
      A.cuDeviceGetAttribute(&SMs, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1),
      CUDA_SUCCESS);
  EXPECT_EQ(SMs, 108);
  CUcontext First, Second;
  ASSERT_EQ(A.cuDevicePrimaryCtxRetain(&First, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuDevicePrimaryCtxRetain(&Second, 1), CUDA_SUCCESS);
  ASSERT_EQ(A.cuCtxSetCurrent(First), CUDA_SUCCESS);
  CUdeviceptr P = 0;
  ASSERT_EQ(A.cuMemAlloc_v2(&P, 128), CUDA_SUCCESS);
  ASSERT_EQ(A.cuMemsetD32_v2(P, 5, 32), CUDA_SUCCESS);
  ASSERT_EQ(A.cuCtxSetCurrent(Second), CUDA_SUCCESS);
  ASSERT_EQ(A.cuCtxEnablePeerAccess(First, 0), CUDA_SUCCESS);
  CUmodule M;
  CUfunction F;
  ASSERT_EQ(A.cuModuleLoadData(&M, sampleModule()), CUDA_SUCCESS);
  ASSERT_EQ(A.cuModuleGetFunction(&F, M, "add"), CUDA_SUCCESS);
  unsigned N = 32, V = 6;
  void *Params[] = {&P, &N, &V};
  EXPECT_EQ(A.cuLaunchKernel(F, 1, 1, 1, 32, 1, 1, 0, nullptr, Params, nullptr),
            CUDA_SUCCESS);
  std::vector<unsigned> Out(32);
  EXPECT_EQ(A.cuMemcpyDtoH_v2(Out.data(), P, 128), CUDA_SUCCESS);
  EXPECT_EQ(Out, std::vector<unsigned>(32, 11));
  int Ordinal = -1;
  EXPECT_EQ(
      A.cuPointerGetAttribute(&Ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, P),
      CUDA_SUCCESS);
  EXPECT_EQ(Ordinal, 0);
}
