//===- DeviceTest.cpp - Initialisation and devices ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

#include <cstring>
#include <set>

using namespace gevo::test;

TEST(Init, VersionAndErrors) {
  const Api &A = api();
  int Version = 0;
  EXPECT_EQ(A.cuDriverGetVersion(&Version), CUDA_SUCCESS);
  EXPECT_GE(Version, 12000);
  EXPECT_EQ(A.cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
  const char *Text = nullptr;
  EXPECT_EQ(A.cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &Text), CUDA_SUCCESS);
  EXPECT_STREQ(Text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(A.cuGetErrorString(CUDA_SUCCESS, &Text), CUDA_SUCCESS);
  EXPECT_STREQ(Text, "no error");
  EXPECT_EQ(A.cuGetErrorName(CUresult(12345), &Text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Text, nullptr);
}

// Every row of the table is exported, and asking for a private table of
// NVIDIA's is refused politely.
TEST(Init, AllSymbolsAreExported) {
  const Api &A = api();
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params)                         \
  EXPECT_NE(dlsym(A.Library, #Symbol), nullptr) << #Symbol;
#define CU_ALIAS(Symbol, Base, Since, Mode, Target)                            \
  EXPECT_NE(dlsym(A.Library, #Symbol), nullptr) << #Symbol;
#define CU_LACKING(Symbol, Base, Since, Mode)                                  \
  EXPECT_NE(dlsym(A.Library, #Symbol), nullptr) << #Symbol;
#include "runtime/gpu/driver/Api.def"
  const void *Table = &A;
  CUuuid Id = {};
  EXPECT_EQ(A.cuGetExportTable(&Table, &Id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(Table, nullptr);
}

TEST(Init, LackingFunctionsSaySo) {
  const Api &A = api();
  auto Create = reinterpret_cast<CUresult (*)(void *, void *, void *, void *)>(
      dlsym(A.Library, "cuTexObjectCreate"));
  ASSERT_NE(Create, nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Create(nullptr, nullptr, nullptr, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(Create(nullptr, nullptr, nullptr, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(Said, "gevo-gpu: note: cuTexObjectCreate is not supported by the "
                  "embedded GPU\n")
      << "once, with its name";
}

TEST(Init, ProcAddress) {
  const Api &A = api();
  auto ask = [&](const char *Name, int Version, uint64_t Flags = 0) {
    void *Found = nullptr;
    CUdriverProcAddressQueryResult Status;
    EXPECT_EQ(A.cuGetProcAddress_v2(Name, &Found, Version, Flags, &Status),
              CUDA_SUCCESS);
    EXPECT_EQ(Status == CU_GET_PROC_ADDRESS_SUCCESS, Found != nullptr);
    return Found;
  };
  auto symbol = [&](const char *Name) { return dlsym(A.Library, Name); };
  EXPECT_EQ(ask("cuMemAlloc", 12000), symbol("cuMemAlloc_v2"));
  EXPECT_EQ(ask("cuMemAlloc", 2000), symbol("cuMemAlloc"));
  EXPECT_EQ(ask("cuCtxCreate", 3020), symbol("cuCtxCreate_v2"));
  EXPECT_EQ(ask("cuCtxCreate", 11040), symbol("cuCtxCreate_v3"));
  EXPECT_EQ(ask("cuCtxCreate", 13000), symbol("cuCtxCreate_v4"));
  EXPECT_EQ(ask("cuLaunchKernel", 12000, 2), symbol("cuLaunchKernel_ptsz"));
  EXPECT_EQ(ask("cuMemcpyHtoD", 12000, 2), symbol("cuMemcpyHtoD_v2_ptds"));
  EXPECT_EQ(ask("cuInit", 12000, 2), symbol("cuInit"));
  EXPECT_EQ(ask("cuGetProcAddress", 12000), symbol("cuGetProcAddress_v2"));
  EXPECT_EQ(ask("cuNoSuchThing", 12000), nullptr);
  void *Found;
  CUdriverProcAddressQueryResult Status;
  EXPECT_EQ(
      A.cuGetProcAddress_v2("cuLibraryLoadData", &Found, 11000, 0, &Status),
      CUDA_SUCCESS);
  EXPECT_EQ(Status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(A.cuGetProcAddress("cuNoSuchThing", &Found, 12000, 0),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(A.cuGetProcAddress(nullptr, &Found, 12000, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(Device, Properties) {
  const Api &A = api();
  ASSERT_EQ(A.cuInit(0), CUDA_SUCCESS);
  int Count = 0;
  ASSERT_EQ(A.cuDeviceGetCount(&Count), CUDA_SUCCESS);
  ASSERT_EQ(Count, 1);
  CUdevice D = -1;
  ASSERT_EQ(A.cuDeviceGet(&D, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuDeviceGet(&D, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(A.cuDeviceGet(&D, -1), CUDA_ERROR_INVALID_DEVICE);
  char Name[64], Short[5];
  EXPECT_EQ(A.cuDeviceGetName(Name, sizeof(Name), 0), CUDA_SUCCESS);
  EXPECT_NE(std::strstr(Name, "V100"), nullptr);
  EXPECT_EQ(A.cuDeviceGetName(Short, sizeof(Short), 0), CUDA_SUCCESS);
  EXPECT_EQ(std::string(Short), std::string(Name).substr(0, 4));
  size_t Bytes = 0;
  EXPECT_EQ(A.cuDeviceTotalMem_v2(&Bytes, 0), CUDA_SUCCESS);
  EXPECT_EQ(Bytes, size_t(16) << 30);
  int Major, Minor;
  EXPECT_EQ(A.cuDeviceComputeCapability(&Major, &Minor, 0), CUDA_SUCCESS);
  EXPECT_EQ(Major * 10 + Minor, 70);
  CUdevprop P;
  EXPECT_EQ(A.cuDeviceGetProperties(&P, 0), CUDA_SUCCESS);
  EXPECT_EQ(P.maxThreadsPerBlock, 1024);
  EXPECT_EQ(P.SIMDWidth, 32);
  char Bus[16];
  EXPECT_EQ(A.cuDeviceGetPCIBusId(Bus, sizeof(Bus), 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuDeviceGetByPCIBusId(&D, Bus), CUDA_SUCCESS);
  EXPECT_EQ(D, 0);
  EXPECT_EQ(A.cuDeviceGetByPCIBusId(&D, "0000:77:00.0"),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(A.cuDeviceGetByPCIBusId(&D, "rubbish"), CUDA_ERROR_INVALID_VALUE);
  CUuuid One, Two;
  EXPECT_EQ(A.cuDeviceGetUuid(&One, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuDeviceGetUuid(&Two, 0), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&One, &Two, sizeof(One)), 0);
  int Can = 1;
  EXPECT_EQ(A.cuDeviceCanAccessPeer(&Can, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(Can, 0);
}

TEST(Device, Attributes) {
  const Api &A = api();
  ASSERT_EQ(A.cuInit(0), CUDA_SUCCESS);
  int Value = 0;
#define CU_ATTRIBUTE(Name, Number, Expression)                                 \
  EXPECT_EQ(A.cuDeviceGetAttribute(&Value, CU_DEVICE_ATTRIBUTE_##Name, 0),     \
            CUDA_SUCCESS)                                                      \
      << #Name;
#include "runtime/gpu/driver/DeviceAttributes.def"
  auto get = [&](CUdevice_attribute Attribute) {
    int V = -1;
    EXPECT_EQ(A.cuDeviceGetAttribute(&V, Attribute, 0), CUDA_SUCCESS);
    return V;
  };
  EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 80);
  EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 98304);
  EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 7);
  EXPECT_EQ(get(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
  EXPECT_EQ(A.cuDeviceGetAttribute(&Value, CUdevice_attribute(0), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuDeviceGetAttribute(&Value, CUdevice_attribute(9999), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
            CUDA_ERROR_INVALID_VALUE);
}

// The model can be chosen until there is a context.
TEST(Device, SelectModel) {
  const Api &A = api();
  ASSERT_EQ(A.cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(A.gevoGpuSelectModel("a100"), CUDA_SUCCESS);
  char Name[32];
  EXPECT_EQ(A.gevoGpuGetModel(Name, sizeof(Name), 0), CUDA_SUCCESS);
  EXPECT_STREQ(Name, "A100");
  int Value = 0;
  EXPECT_EQ(A.cuDeviceGetAttribute(&Value,
                                   CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(Value, 108);
  EXPECT_EQ(A.gevoGpuSelectModel("GTX 9999"), CUDA_ERROR_INVALID_VALUE);
  CUcontext Ctx;
  ASSERT_EQ(A.cuCtxCreate_v2(&Ctx, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.gevoGpuSelectModel("V100"), CUDA_ERROR_CONTEXT_ALREADY_IN_USE);
  ASSERT_EQ(A.cuCtxDestroy_v2(Ctx), CUDA_SUCCESS);
  EXPECT_EQ(A.gevoGpuSelectModel("V100"), CUDA_SUCCESS);
}
