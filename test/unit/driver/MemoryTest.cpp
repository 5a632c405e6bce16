//===- MemoryTest.cpp - Memory, copies and fills --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

#include <cstring>
#include <numeric>

using namespace gevo::test;

namespace {
class MemoryTest : public DriverTest {};
} // namespace

TEST_F(MemoryTest, AllocateAndFree) {
  CUdeviceptr P = 0;
  EXPECT_EQ(A.cuMemAlloc_v2(&P, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemAlloc_v2(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemAlloc_v2(&P, size_t(1) << 40), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(A.cuMemAlloc_v2(&P, ~size_t(0)), CUDA_ERROR_OUT_OF_MEMORY);
  size_t Before, After, Total;
  ASSERT_EQ(A.cuMemGetInfo_v2(&Before, &Total), CUDA_SUCCESS);
  P = allocate(1 << 20);
  EXPECT_EQ(P % 256, 0u);
  ASSERT_EQ(A.cuMemGetInfo_v2(&After, &Total), CUDA_SUCCESS);
  EXPECT_LE(After, Before - (1 << 20));
  CUdeviceptr Base = 0;
  size_t Bytes = 0;
  EXPECT_EQ(A.cuMemGetAddressRange_v2(&Base, &Bytes, P + 77), CUDA_SUCCESS);
  EXPECT_EQ(Base, P);
  EXPECT_EQ(Bytes, size_t(1) << 20);
  EXPECT_EQ(A.cuMemFree_v2(P + 4), CUDA_ERROR_INVALID_VALUE) << "not its start";
  EXPECT_EQ(A.cuMemFree_v2(P), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemFree_v2(P), CUDA_ERROR_INVALID_VALUE) << "twice";
  EXPECT_EQ(A.cuMemFree_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemGetAddressRange_v2(&Base, &Bytes, P), CUDA_ERROR_NOT_FOUND);
}

TEST_F(MemoryTest, LineCopies) {
  std::vector<int> In(1000), Out(1000);
  std::iota(In.begin(), In.end(), 7);
  CUdeviceptr P = allocate(4000), Q = allocate(4000);
  EXPECT_EQ(A.cuMemcpyHtoD_v2(P, In.data(), 4000), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemcpyDtoD_v2(Q, P, 4000), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemcpyDtoH_v2(Out.data(), Q, 4000), CUDA_SUCCESS);
  EXPECT_EQ(In, Out);
  // Unified addressing: the driver sees what is what.
  std::fill(Out.begin(), Out.end(), 0);
  EXPECT_EQ(A.cuMemcpy(CUdeviceptr(Out.data()), Q, 4000), CUDA_SUCCESS);
  EXPECT_EQ(In, Out);
  EXPECT_EQ(A.cuMemcpyAsync(P, CUdeviceptr(In.data()), 4000, nullptr),
            CUDA_SUCCESS);
  // Each end of the range is checked.
  EXPECT_EQ(A.cuMemcpyHtoD_v2(P, In.data(), 4001), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemcpyHtoD_v2(P + 3997, In.data(), 4),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemcpyDtoH_v2(Out.data(), P - 4, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemcpyDtoD_v2(Q, P, ~size_t(0)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemcpyDtoH_v2(nullptr, P, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemcpyDtoH_v2(Out.data(), P, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemFree_v2(P), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemcpyHtoD_v2(P, In.data(), 4), CUDA_ERROR_INVALID_VALUE)
      << "freed";
}

// An address that was a device's is never taken for one of the host.
TEST_F(MemoryTest, FreedMemoryIsNotTheHosts) {
  int Word = 0;
  auto Host = CUdeviceptr(&Word);
  CUcontext Other;
  ASSERT_EQ(A.cuCtxCreate_v2(&Other, 0, 0), CUDA_SUCCESS);
  CUdeviceptr OfContext = allocate(64), Freed = 0, Managed = 0;
  ASSERT_EQ(A.cuCtxDestroy_v2(Other), CUDA_SUCCESS);
  ASSERT_EQ(A.cuCtxSetCurrent(Ctx), CUDA_SUCCESS);
  Freed = allocate(64);
  ASSERT_EQ(A.cuMemAllocManaged(&Managed, 64, CU_MEM_ATTACH_GLOBAL),
            CUDA_SUCCESS);
  CUdeviceptr Red = allocate(64) + 64, Never = OfContext + (1 << 20);
  for (CUdeviceptr P : {Freed, Managed})
    ASSERT_EQ(A.cuMemFree_v2(P), CUDA_SUCCESS);
  for (CUdeviceptr P : {Freed, Managed, OfContext, Red, Never}) {
    void *AsHost = reinterpret_cast<void *>(P);
    EXPECT_EQ(A.cuMemcpy(Host, P, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(A.cuMemcpy(P, Host, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(A.cuMemcpyDtoH_v2(AsHost, Red - 64, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(A.cuMemcpyHtoD_v2(Red - 64, AsHost, 4), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMCPY2D Plane = {};
    Plane.srcMemoryType = Plane.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    Plane.srcDevice = P;
    Plane.dstDevice = Host;
    Plane.WidthInBytes = 4;
    Plane.Height = 1;
    EXPECT_EQ(A.cuMemcpy2D_v2(&Plane), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(A.cuMemcpy(Host, Red - 64, 4), CUDA_SUCCESS);
}

TEST_F(MemoryTest, PlaneCopies) {
  size_t Pitch = 0;
  CUdeviceptr P = 0;
  ASSERT_EQ(A.cuMemAllocPitch_v2(&P, &Pitch, 100, 20, 4), CUDA_SUCCESS);
  EXPECT_EQ(Pitch, 512u);
  EXPECT_EQ(A.cuMemAllocPitch_v2(&P, &Pitch, 100, 20, 3),
            CUDA_ERROR_INVALID_VALUE);
  std::vector<unsigned char> In(40 * 30), Out(40 * 30, 0);
  std::iota(In.begin(), In.end(), 0);
  CUDA_MEMCPY2D C = {};
  C.srcMemoryType = CU_MEMORYTYPE_HOST;
  C.srcHost = In.data();
  C.srcPitch = 40;
  C.srcXInBytes = 3;
  C.srcY = 2;
  C.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  C.dstDevice = P;
  C.dstPitch = Pitch;
  C.dstXInBytes = 5;
  C.dstY = 1;
  C.WidthInBytes = 17;
  C.Height = 9;
  ASSERT_EQ(A.cuMemcpy2D_v2(&C), CUDA_SUCCESS);
  CUDA_MEMCPY2D Back = {};
  Back.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  Back.srcDevice = P;
  Back.srcPitch = Pitch;
  Back.srcXInBytes = 5;
  Back.srcY = 1;
  Back.dstMemoryType = CU_MEMORYTYPE_HOST;
  Back.dstHost = Out.data();
  Back.dstPitch = 40;
  Back.WidthInBytes = 17;
  Back.Height = 9;
  ASSERT_EQ(A.cuMemcpy2DAsync_v2(&Back, nullptr), CUDA_SUCCESS);
  for (int Y = 0; Y < 9; ++Y)
    for (int X = 0; X < 17; ++X)
      ASSERT_EQ(Out[Y * 40 + X], In[(Y + 2) * 40 + X + 3]);
  EXPECT_EQ(Out[17], 0) << "beside the box";
  C.dstY = 15;
  EXPECT_EQ(A.cuMemcpy2D_v2(&C), CUDA_ERROR_INVALID_VALUE) << "below the end";
  C.dstY = 1;
  C.dstPitch = 10;
  EXPECT_EQ(A.cuMemcpy2D_v2(&C), CUDA_ERROR_INVALID_VALUE) << "rows overlap";
  C.dstPitch = Pitch;
  C.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  testing::internal::CaptureStderr();
  for (int Turn = 0; Turn < 2; ++Turn)
    EXPECT_EQ(A.cuMemcpy2D_v2(&C), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gevo-gpu: note: a copy to a CUDA array is not supported by the "
            "embedded GPU\n");
  C.dstMemoryType = CUmemorytype(99);
  EXPECT_EQ(A.cuMemcpy2D_v2(&C), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemcpy2D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, BoxCopies) {
  // A box of 5 x 4 x 3 bytes out of one of 16 x 8 x 6.
  std::vector<unsigned char> In(16 * 8 * 6), Out(5 * 4 * 3);
  std::iota(In.begin(), In.end(), 1);
  CUdeviceptr P = allocate(In.size());
  ASSERT_EQ(A.cuMemcpyHtoD_v2(P, In.data(), In.size()), CUDA_SUCCESS);
  CUDA_MEMCPY3D C = {};
  C.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  C.srcDevice = P;
  C.srcPitch = 16;
  C.srcHeight = 8;
  C.srcXInBytes = 2;
  C.srcY = 3;
  C.srcZ = 1;
  C.dstMemoryType = CU_MEMORYTYPE_HOST;
  C.dstHost = Out.data();
  C.dstPitch = 5;
  C.dstHeight = 4;
  C.WidthInBytes = 5;
  C.Height = 4;
  C.Depth = 3;
  ASSERT_EQ(A.cuMemcpy3D_v2(&C), CUDA_SUCCESS);
  for (int Z = 0; Z < 3; ++Z)
    for (int Y = 0; Y < 4; ++Y)
      for (int X = 0; X < 5; ++X)
        ASSERT_EQ(Out[(Z * 4 + Y) * 5 + X],
                  In[((Z + 1) * 8 + Y + 3) * 16 + X + 2]);
  C.srcZ = 4;
  EXPECT_EQ(A.cuMemcpy3D_v2(&C), CUDA_ERROR_INVALID_VALUE);
  C.srcZ = ~size_t(0) / 2;
  EXPECT_EQ(A.cuMemcpy3DAsync_v2(&C, nullptr), CUDA_ERROR_INVALID_VALUE)
      << "sizes that wrap around";
  CUDA_MEMCPY3D_PEER Peer;
  C.srcZ = 1;
  std::memcpy(static_cast<void *>(&Peer), &C, sizeof(Peer));
  Peer.srcContext = Peer.dstContext = Ctx;
  EXPECT_EQ(A.cuMemcpy3DPeer(&Peer), CUDA_SUCCESS);
  Peer.srcContext = reinterpret_cast<CUcontext>(0x1234);
  EXPECT_EQ(A.cuMemcpy3DPeer(&Peer), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(MemoryTest, Fills) {
  CUdeviceptr P = allocate(64);
  EXPECT_EQ(A.cuMemsetD8_v2(P, 0xAB, 64), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned char>(P, 64), std::vector<unsigned char>(64, 0xAB));
  EXPECT_EQ(A.cuMemsetD16_v2(P + 2, 0x1234, 3), CUDA_SUCCESS);
  EXPECT_EQ(
      read<unsigned short>(P, 5),
      (std::vector<unsigned short>{0xABAB, 0x1234, 0x1234, 0x1234, 0xABAB}));
  EXPECT_EQ(A.cuMemsetD32Async(P, 7, 16, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 16), std::vector<unsigned>(16, 7));
  EXPECT_EQ(A.cuMemsetD2D32_v2(P, 16, 9, 2, 4), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 6), (std::vector<unsigned>{9, 9, 7, 7, 9, 9}));
  EXPECT_EQ(A.cuMemsetD2D8Async(P, 8, 1, 3, 2, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemsetD2D16_v2(P, 4, 1, 3, 2), CUDA_ERROR_INVALID_VALUE)
      << "rows overlap";
  EXPECT_EQ(A.cuMemsetD32_v2(P + 2, 0, 1), CUDA_ERROR_INVALID_VALUE)
      << "misaligned";
  EXPECT_EQ(A.cuMemsetD8_v2(P, 0, 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemsetD32_v2(P, 0, size_t(1) << 62), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, HostMemory) {
  void *H = nullptr;
  size_t Before = 0, After = 0, Total = 0, Much = 64 << 20;
  ASSERT_EQ(A.cuMemGetInfo_v2(&Before, &Total), CUDA_SUCCESS);
  ASSERT_EQ(A.cuMemHostAlloc(&H, Much, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuMemGetInfo_v2(&After, &Total), CUDA_SUCCESS);
  EXPECT_LT(Before - After, Much / 16) << "it is the host's";
  EXPECT_EQ(A.cuMemFreeHost(H), CUDA_SUCCESS);
  ASSERT_EQ(A.cuMemHostAlloc(&H, 4096, CU_MEMHOSTALLOC_PORTABLE), CUDA_SUCCESS);
  std::memset(H, 1, 4096);
  CUdeviceptr P = 0;
  EXPECT_EQ(A.cuMemHostGetDevicePointer_v2(&P, H, 0), CUDA_SUCCESS);
  EXPECT_EQ(P, CUdeviceptr(H));
  unsigned Flags = 0;
  EXPECT_EQ(A.cuMemHostGetFlags(&Flags, H), CUDA_SUCCESS);
  EXPECT_TRUE(Flags & CU_MEMHOSTALLOC_PORTABLE);
  EXPECT_EQ(A.cuMemHostAlloc(&H, 16, 0x80), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemFree_v2(P), CUDA_ERROR_INVALID_VALUE) << "not device memory";
  EXPECT_EQ(A.cuMemFreeHost(H), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemFreeHost(H), CUDA_ERROR_INVALID_VALUE);
  // Memory of the program.
  std::vector<unsigned> Mine(64, 5);
  EXPECT_EQ(A.cuMemHostUnregister(Mine.data()),
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  ASSERT_EQ(A.cuMemHostRegister_v2(Mine.data(), 256, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemHostRegister_v2(Mine.data(), 256, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  static const unsigned Fixed[64] = {};
  EXPECT_EQ(A.cuMemHostRegister_v2(const_cast<unsigned *>(Fixed), 256, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "a kernel could not write it";
  EXPECT_EQ(A.cuMemHostRegister_v2(reinterpret_cast<void *>(64), 256, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "nothing is there";
  CUmodule M = load(sampleModule());
  unsigned N = 64, V = 3;
  P = CUdeviceptr(Mine.data());
  EXPECT_EQ(launch(function(M, "add"), 2, 32, {&P, &N, &V}), CUDA_SUCCESS);
  EXPECT_EQ(Mine, std::vector<unsigned>(64, 8));
  EXPECT_EQ(A.cuMemHostUnregister(Mine.data()), CUDA_SUCCESS);
  EXPECT_EQ(launch(function(M, "add"), 2, 32, {&P, &N, &V}),
            CUDA_ERROR_ILLEGAL_ADDRESS)
      << "no longer visible";
}

TEST_F(MemoryTest, ManagedMemory) {
  CUdeviceptr P = 0;
  EXPECT_EQ(A.cuMemAllocManaged(&P, 256, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(A.cuMemAllocManaged(&P, 256, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  auto *Words = reinterpret_cast<unsigned *>(P);
  for (unsigned I = 0; I < 64; ++I)
    Words[I] = I;
  unsigned N = 64, V = 10;
  EXPECT_EQ(launch(function(load(sampleModule()), "add"), 1, 64, {&P, &N, &V}),
            CUDA_SUCCESS);
  for (unsigned I = 0; I < 64; ++I)
    EXPECT_EQ(Words[I], I + 10);
  EXPECT_EQ(A.cuMemPrefetchAsync(P, 256, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemAdvise(P, 256, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemAdvise(P, 257, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
            CUDA_ERROR_INVALID_VALUE);
  int Mostly = 1;
  EXPECT_EQ(A.cuMemRangeGetAttribute(
                &Mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, P, 256),
            CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemFree_v2(P), CUDA_SUCCESS);
}

TEST_F(MemoryTest, PointerAttributes) {
  CUdeviceptr P = allocate(100);
  unsigned Type = 0, Managed = 7;
  CUdeviceptr Base = 0;
  size_t Size = 0;
  int Ordinal = -1;
  uint64_t Id = 0;
  CUpointer_attribute Names[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,   CU_POINTER_ATTRIBUTE_BUFFER_ID};
  void *Into[] = {&Type, &Managed, &Base, &Size, &Ordinal, &Id};
  ASSERT_EQ(A.cuPointerGetAttributes(6, Names, Into, P + 50), CUDA_SUCCESS);
  EXPECT_EQ(Type, unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(Managed, 0u);
  EXPECT_EQ(Base, P);
  EXPECT_EQ(Size, 100u);
  EXPECT_EQ(Ordinal, 0);
  EXPECT_NE(Id, 0u);
  // Memory that CUDA does not know: an error alone, defaults in a list.
  int Local = 0;
  EXPECT_EQ(A.cuPointerGetAttribute(&Type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    CUdeviceptr(&Local)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuPointerGetAttributes(6, Names, Into, CUdeviceptr(&Local)),
            CUDA_SUCCESS);
  EXPECT_EQ(Type, 0u);
  unsigned Sync = 1;
  EXPECT_EQ(A.cuPointerSetAttribute(&Sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, P),
            CUDA_SUCCESS);
  Sync = 0;
  EXPECT_EQ(A.cuPointerGetAttribute(&Sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, P),
            CUDA_SUCCESS);
  EXPECT_EQ(Sync, 1u);
}

TEST_F(MemoryTest, Pools) {
  CUmemoryPool Default = nullptr, Mine = nullptr;
  ASSERT_EQ(A.cuDeviceGetDefaultMemPool(&Default, 0), CUDA_SUCCESS);
  CUdeviceptr P = 0, Q = 0;
  ASSERT_EQ(A.cuMemAllocAsync(&P, 1000, nullptr), CUDA_SUCCESS);
  uint64_t Used = 0;
  EXPECT_EQ(
      A.cuMemPoolGetAttribute(Default, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &Used),
      CUDA_SUCCESS);
  EXPECT_EQ(Used, 1000u);
  CUmemPoolProps Props = {};
  EXPECT_EQ(A.cuMemPoolCreate(&Mine, &Props), CUDA_ERROR_INVALID_VALUE);
  Props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  Props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  ASSERT_EQ(A.cuMemPoolCreate(&Mine, &Props), CUDA_SUCCESS);
  ASSERT_EQ(A.cuMemAllocFromPoolAsync(&Q, 500, Mine, nullptr), CUDA_SUCCESS);
  CUmemoryPool From = nullptr;
  EXPECT_EQ(
      A.cuPointerGetAttribute(&From, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, Q),
      CUDA_SUCCESS);
  EXPECT_EQ(From, Mine);
  EXPECT_EQ(A.cuMemFreeAsync(Q, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemFreeAsync(Q, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      A.cuMemPoolGetAttribute(Mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &Used),
      CUDA_SUCCESS);
  EXPECT_EQ(Used, 0u);
  EXPECT_EQ(A.cuMemPoolGetAttribute(Mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &Used),
            CUDA_SUCCESS);
  EXPECT_EQ(Used, 500u);
  EXPECT_EQ(A.cuMemPoolDestroy(Mine), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemPoolDestroy(Default), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuMemFree_v2(P), CUDA_SUCCESS) << "cuMemFree takes it too";
}

// Memory of another context can be copied, and used by kernels once access is
// enabled.
TEST_F(MemoryTest, PeerAccess) {
  CUdeviceptr P = allocate(128);
  CUcontext Other;
  ASSERT_EQ(A.cuCtxCreate_v2(&Other, 0, 0), CUDA_SUCCESS);
  A.gevoGpuSetFindingsTarget("none");
  CUdeviceptr Q = allocate(128);
  EXPECT_EQ(A.cuMemsetD32_v2(Q, 3, 32), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemcpyPeer(P, Ctx, Q, Other, 128), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 32), std::vector<unsigned>(32, 3));
  EXPECT_EQ(A.cuCtxEnablePeerAccess(Ctx, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxEnablePeerAccess(Ctx, 0),
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  unsigned N = 32, V = 4;
  CUfunction F = function(load(sampleModule()), "add");
  EXPECT_EQ(launch(F, 1, 32, {&P, &N, &V}), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 32), std::vector<unsigned>(32, 7));
  EXPECT_EQ(A.cuCtxDisablePeerAccess(Ctx), CUDA_SUCCESS);
  EXPECT_EQ(A.cuCtxDisablePeerAccess(Ctx), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(launch(F, 1, 32, {&P, &N, &V}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(A.cuCtxDestroy_v2(Other), CUDA_SUCCESS);
}
