//===- BeforeInitTest.cpp - A driver that was not initialised -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of its own, because initialisation cannot be undone.
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

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
