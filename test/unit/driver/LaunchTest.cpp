//===- LaunchTest.cpp - Launches, faults and what is told of them ---------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

using namespace gevo::test;

namespace {
class LaunchTest : public DriverTest {
protected:
  CUmodule M = nullptr;
  CUdeviceptr P = 0;
  void SetUp() override {
    DriverTest::SetUp();
    M = load(sampleModule());
    P = allocate(4096);
  }
};
} // namespace

TEST_F(LaunchTest, Configurations) {
  CUfunction F = function(M, "add");
  unsigned N = 4, V = 1;
  void *Params[] = {&P, &N, &V};
  auto launchAs = [&](unsigned GX, unsigned GY, unsigned GZ, unsigned BX,
                      unsigned BY, unsigned BZ) {
    return A.cuLaunchKernel(F, GX, GY, GZ, BX, BY, BZ, 0, nullptr, Params,
                            nullptr);
  };
  EXPECT_EQ(launchAs(1, 1, 1, 1024, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(launchAs(0, 1, 1, 32, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchAs(1, 1, 1, 32, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchAs(1, 1, 1, 1025, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchAs(1, 1, 1, 64, 32, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchAs(1, 65536, 1, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchAs(1, 1, 1, 1, 1, 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuCtxSynchronize(), CUDA_SUCCESS) << "a refusal leaves no error";
  EXPECT_EQ(A.cuLaunchKernel(F, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE)
      << "no arguments";
  EXPECT_EQ(
      A.cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, Params, nullptr),
      CUDA_ERROR_INVALID_HANDLE);
}

// The second form of arguments: one buffer.
TEST_F(LaunchTest, ParameterBuffer) {
  struct {
    CUdeviceptr P;
    unsigned N, V;
  } Arguments = {P, 1024, 6};
  size_t Size = sizeof(Arguments);
  void *Extra[] = {reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_POINTER),
                   &Arguments,
                   reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_SIZE), &Size,
                   reinterpret_cast<void *>(CU_LAUNCH_PARAM_END)};
  CUfunction F = function(M, "add");
  EXPECT_EQ(A.cuLaunchKernel(F, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, Extra),
            CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 1024), std::vector<unsigned>(1024, 6));
  Size = 12;
  EXPECT_EQ(A.cuLaunchKernel(F, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, Extra),
            CUDA_ERROR_INVALID_VALUE)
      << "too short";
  Extra[0] = reinterpret_cast<void *>(9);
  EXPECT_EQ(A.cuLaunchKernel(F, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, Extra),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LaunchTest, ExtendedAndCooperative) {
  unsigned N = 1024, V = 2;
  void *Params[] = {&P, &N, &V};
  CUfunction F = function(M, "add");
  CUlaunchAttribute Attributes[2] = {};
  Attributes[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  Attributes[0].value.cooperative = 1;
  Attributes[1].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  CUlaunchConfig Config = {8, 1, 1, 128, 1, 1, 0, nullptr, Attributes, 2};
  EXPECT_EQ(A.cuLaunchKernelEx(&Config, F, Params, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(
      A.cuLaunchCooperativeKernel(F, 8, 1, 1, 128, 1, 1, 0, nullptr, Params),
      CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 1024), std::vector<unsigned>(1024, 4));
  EXPECT_EQ(A.cuLaunchCooperativeKernel(F, 100000, 1, 1, 128, 1, 1, 0, nullptr,
                                        Params),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  Attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  Attributes[1].value.clusterDim = {2, 1, 1};
  EXPECT_EQ(A.cuLaunchKernelEx(&Config, F, Params, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(A.cuLaunchKernelEx(nullptr, F, Params, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  // Hints are taken, what somebody would wait for is not, and what nobody knows
  // is an error.
  auto withAttribute = [&](int Id) {
    Attributes[1] = {};
    Attributes[1].id = CUlaunchAttributeID(Id);
    return A.cuLaunchKernelEx(&Config, F, Params, nullptr);
  };
  for (int Id : {0, 1, 3, 5, 6, 9, 10, 14})
    EXPECT_EQ(withAttribute(Id), CUDA_SUCCESS) << Id;
  for (int Id : {7, 12, 13})
    EXPECT_EQ(withAttribute(Id), CUDA_ERROR_NOT_SUPPORTED) << Id;
  for (int Id : {-1, 15, 9999})
    EXPECT_EQ(withAttribute(Id), CUDA_ERROR_INVALID_VALUE) << Id;
}

TEST_F(LaunchTest, DynamicSharedMemory) {
  CUfunction F = function(M, "shared");
  ASSERT_EQ(launch(F, 1, 64, {&P}, nullptr, 256), CUDA_SUCCESS);
  auto Out = read<unsigned>(P, 64);
  for (unsigned I = 0; I < 64; ++I)
    EXPECT_EQ(Out[I], I ^ 1);
  EXPECT_EQ(launch(F, 1, 64, {&P}, nullptr, 128), CUDA_ERROR_ILLEGAL_ADDRESS)
      << "threads 32 and up have no memory";
  EXPECT_NE(findings().find("out-of-bounds-shared"), std::string::npos);
}

// An access past the end: the result, the sticky error, and a report that says
// who, where and how far.
TEST_F(LaunchTest, IllegalAddress) {
  CUdeviceptr Small = allocate(64);
  EXPECT_EQ(launch(function(M, "wild"), 1, 32, {&Small}),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(A.cuStreamSynchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  auto Found = nlohmann::json::parse(findings());
  ASSERT_FALSE(Found.empty());
  EXPECT_EQ(Found[0]["kind"], "out-of-bounds-global");
  EXPECT_EQ(Found[0]["severity"], "error");
  EXPECT_EQ(Found[0]["kernel"], "wild");
  EXPECT_EQ(Found[0]["where"]["thread"][0], 16);
  EXPECT_EQ(Found[0]["bytes"], 4);
  EXPECT_EQ(Found[0]["nearest_allocation"]["bytes"], 64);
  EXPECT_EQ(Found[0]["nearest_allocation"]["distance"], 0);
  EXPECT_GT(Found[0]["where"]["ptx_line"], 0);
  // What NVIDIA's driver cannot do: go on.
  EXPECT_EQ(A.gevoGpuClear(), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "[]");
  EXPECT_EQ(A.cuCtxSynchronize(), CUDA_SUCCESS);
  unsigned N = 4, V = 1;
  EXPECT_EQ(launch(function(M, "add"), 1, 32, {&P, &N, &V}), CUDA_SUCCESS);
}

TEST_F(LaunchTest, MisalignedAddress) {
  CUdeviceptr Odd = P + 2;
  EXPECT_EQ(launch(function(M, "wild"), 1, 1, {&Odd}),
            CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(LaunchTest, StepLimit) {
  EXPECT_EQ(A.gevoGpuSetStepLimit(100000), CUDA_SUCCESS);
  EXPECT_EQ(launch(function(M, "spin"), 1, 32, {}), CUDA_ERROR_LAUNCH_TIMEOUT);
  EXPECT_EQ(A.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

// All threads of a block store to one word: a race of different values with
// checks on, nothing with bounds alone.
TEST_F(LaunchTest, ChecksCanBeSwitched) {
  const char *Race = ".version 7.0\n.target sm_60\n.address_size 64\n"
                     ".visible .entry race(.param .u64 p)\n{\n"
                     " .reg .b32 %r1;\n .reg .b64 %rd1;\n"
                     " ld.param.u64 %rd1, [p];\n mov.u32 %r1, %tid.x;\n"
                     " st.global.u32 [%rd1], %r1;\n ret;\n}\n";
  CUfunction F = function(load(Race), "race");
  EXPECT_EQ(A.gevoGpuSetChecks("bounds"), CUDA_SUCCESS);
  EXPECT_EQ(launch(F, 1, 64, {&P}), CUDA_SUCCESS);
  EXPECT_EQ(A.gevoGpuSetChecks("nonsense"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.gevoGpuSetChecks("bounds,race"), CUDA_SUCCESS);
  EXPECT_EQ(launch(F, 1, 64, {&P}), CUDA_ERROR_LAUNCH_FAILED);
  auto Found = nlohmann::json::parse(findings());
  ASSERT_FALSE(Found.empty());
  EXPECT_EQ(Found[0]["kind"], "race-global");
  EXPECT_TRUE(Found[0].contains("other")) << "both parties";
}

// A program that launches for days must not keep a finding of each launch.
TEST_F(LaunchTest, FindingsOfManyLaunchesAreCounted) {
  const char *Race = ".version 7.0\n.target sm_60\n.address_size 64\n"
                     ".visible .entry same(.param .u64 p) {\n"
                     " .reg .b64 %rd1;\n ld.param.u64 %rd1, [p];\n"
                     " st.global.u32 [%rd1], 7;\n ret;\n}\n";
  CUfunction F = function(load(Race), "same");
  ASSERT_EQ(A.gevoGpuSetFindingsTarget("none"), CUDA_SUCCESS);
  ASSERT_EQ(A.gevoGpuSetChecks("race"), CUDA_SUCCESS);
  // The first launch alone changes the word.
  ASSERT_EQ(launch(F, 1, 64, {&P}), CUDA_SUCCESS);
  ASSERT_EQ(A.gevoGpuClear(), CUDA_SUCCESS);
  ASSERT_EQ(launch(F, 1, 64, {&P}), CUDA_SUCCESS);
  auto Once = nlohmann::json::parse(findings());
  ASSERT_EQ(Once.size(), 1u);
  for (int K = 0; K < 4; ++K)
    ASSERT_EQ(launch(F, 1, 64, {&P}), CUDA_SUCCESS);
  auto Often = nlohmann::json::parse(findings());
  ASSERT_EQ(Often.size(), 1u);
  EXPECT_EQ(Often[0]["count"], 5 * uint64_t(Once[0]["count"]));
  Often[0]["count"] = Once[0]["count"];
  EXPECT_EQ(Often, Once) << "the first one is described";
  ASSERT_EQ(A.gevoGpuClear(), CUDA_SUCCESS);
  EXPECT_EQ(findings(), "[]");
  ASSERT_EQ(launch(F, 1, 64, {&P}), CUDA_SUCCESS);
  EXPECT_EQ(nlohmann::json::parse(findings()), Once);
}

TEST_F(LaunchTest, Counters) {
  unsigned N = 64, V = 1;
  ASSERT_EQ(launch(function(M, "add"), 2, 32, {&P, &N, &V}), CUDA_SUCCESS);
  GevoGpuCounters C = {};
  ASSERT_EQ(A.gevoGpuGetCounters(&C, sizeof(C)), CUDA_SUCCESS);
  EXPECT_EQ(C.Blocks, 2u);
  EXPECT_EQ(C.GlobalLoads, 2u);
  EXPECT_EQ(C.GlobalStores, 2u);
  EXPECT_EQ(C.ThreadInstructions,
            32 * C.WarpInstructions - 64 /* the branch nobody takes */);
  EXPECT_GT(C.Microseconds, 0);
  EXPECT_GT(C.Cycles, 0u);
  ASSERT_EQ(A.gevoGpuSetTiming(0), CUDA_SUCCESS);
  ASSERT_EQ(launch(function(M, "add"), 2, 32, {&P, &N, &V}), CUDA_SUCCESS);
  ASSERT_EQ(A.gevoGpuGetCounters(&C, sizeof(C)), CUDA_SUCCESS);
  EXPECT_EQ(C.Cycles, 0u) << "no clock";
  EXPECT_GT(C.Microseconds, 0) << "but a bound";
  int Version = 0;
  EXPECT_EQ(A.gevoGpuVersion(&Version), CUDA_SUCCESS);
  EXPECT_EQ(Version, 7);
}

// Copies and fills go through L2, so a launch finds there what it reads.
TEST_F(LaunchTest, CopiesWarmTheCache) {
  auto cyclesFor = [&](CUdeviceptr At) {
    unsigned N = 1024, V = 1;
    EXPECT_EQ(launch(function(M, "add"), 8, 128, {&At, &N, &V}), CUDA_SUCCESS);
    GevoGpuCounters C = {};
    EXPECT_EQ(A.gevoGpuGetCounters(&C, sizeof(C)), CUDA_SUCCESS);
    return C.Cycles;
  };
  CUdeviceptr Copied = allocate(4096), Filled = allocate(4096),
              Moved = allocate(4096);
  std::vector<unsigned> Host(1024);
  uint64_t Cold = cyclesFor(P), Warm = cyclesFor(P);
  EXPECT_LT(Warm, Cold) << "what the first launch left";
  ASSERT_EQ(A.cuMemcpyHtoD_v2(Copied, Host.data(), 4096), CUDA_SUCCESS);
  EXPECT_LT(cyclesFor(Copied), Cold);
  ASSERT_EQ(A.cuMemsetD32_v2(Filled, 0, 1024), CUDA_SUCCESS);
  EXPECT_LT(cyclesFor(Filled), Cold);
  ASSERT_EQ(A.cuMemcpyDtoD_v2(Moved, Filled, 4096), CUDA_SUCCESS);
  EXPECT_LT(cyclesFor(Moved), Cold);
}

TEST_F(LaunchTest, FindingsGoWhereTheyShould) {
  CUdeviceptr Bad = 16;
  ASSERT_EQ(A.gevoGpuSetFindingsTarget("stderr"), CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(function(M, "wild"), 1, 1, {&Bad}),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  std::string Said = testing::internal::GetCapturedStderr();
  EXPECT_NE(Said.find("gevo-gpu: error: "), std::string::npos) << Said;
  EXPECT_NE(Said.find("wild"), std::string::npos) << Said;
  ASSERT_EQ(A.gevoGpuClear(), CUDA_SUCCESS);
  std::string File = testing::TempDir() + "/findings.jsonl";
  std::remove(File.c_str());
  ASSERT_EQ(A.gevoGpuSetFindingsTarget(File.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(launch(function(M, "wild"), 1, 1, {&Bad}),
            CUDA_ERROR_ILLEGAL_ADDRESS);
  std::ifstream In(File);
  std::string Line;
  ASSERT_TRUE(std::getline(In, Line));
  EXPECT_EQ(nlohmann::json::parse(Line)["kernel"], "wild");
}

// Many threads, some with a context of their own and some sharing one.
TEST_F(LaunchTest, ManyThreads) {
  CUdeviceptr Sum = allocate(4096);
  std::atomic<int> Failures{0};
  auto check = [&](CUresult R) { Failures += R != CUDA_SUCCESS; };
  auto work = [&](unsigned Id, bool Own) {
    CUcontext Mine = Ctx;
    if (Own)
      check(A.cuCtxCreate_v2(&Mine, 0, 0));
    else
      check(A.cuCtxSetCurrent(Ctx));
    for (int Round = 0; Round < 10; ++Round) {
      CUmodule Module;
      CUfunction F;
      CUstream S;
      CUdeviceptr Memory;
      check(A.cuModuleLoadData(&Module, sampleModule()));
      check(A.cuModuleGetFunction(&F, Module, "add"));
      check(A.cuStreamCreate(&S, 0));
      check(A.cuMemAlloc_v2(&Memory, 4096));
      check(A.cuMemsetD32Async(Memory, Id, 1024, S));
      unsigned N = 1024, V = 1000;
      void *Params[] = {&Memory, &N, &V};
      check(A.cuLaunchKernel(F, 8, 1, 1, 128, 1, 1, 0, S, Params, nullptr));
      std::vector<unsigned> Out(1024);
      check(A.cuMemcpyDtoHAsync_v2(Out.data(), Memory, 4096, S));
      check(A.cuStreamSynchronize(S));
      Failures += Out != std::vector<unsigned>(1024, Id + 1000);
      check(A.cuMemFree_v2(Memory));
      check(A.cuStreamDestroy_v2(S));
      check(A.cuModuleUnload(Module));
    }
    if (Own)
      check(A.cuCtxDestroy_v2(Mine));
  };
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < 8; ++I)
    Threads.emplace_back(work, I, I % 2 == 0);
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Failures, 0);
  EXPECT_EQ(A.cuMemFree_v2(Sum), CUDA_SUCCESS);
}
