//===- ModuleTest.cpp - Modules and libraries -----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Fatbin.h"
#include "test/unit/driver/OpenDriver.h"

#include <cstring>
#include <fstream>

using namespace gevo::test;

namespace {
class ModuleTest : public DriverTest {};
} // namespace

TEST_F(ModuleTest, FunctionsAndVariables) {
  CUmodule M = load(sampleModule());
  CUfunction F = function(M, "add"), Again = function(M, "add"), None = nullptr;
  EXPECT_EQ(F, Again) << "one function, one handle";
  EXPECT_EQ(A.cuModuleGetFunction(&None, M, "ad"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(A.cuModuleGetFunction(&None, M, nullptr), CUDA_ERROR_INVALID_VALUE);
  unsigned Count = 0;
  EXPECT_EQ(A.cuModuleGetFunctionCount(&Count, M), CUDA_SUCCESS);
  EXPECT_EQ(Count, 4u);
  const char *Name = nullptr;
  EXPECT_EQ(A.cuFuncGetName(&Name, F), CUDA_SUCCESS);
  EXPECT_STREQ(Name, "add");
  CUmodule Owner = nullptr;
  EXPECT_EQ(A.cuFuncGetModule(&Owner, F), CUDA_SUCCESS);
  EXPECT_EQ(Owner, M);
  size_t Offset = 0, Size = 0;
  EXPECT_EQ(A.cuFuncGetParamInfo(F, 2, &Offset, &Size), CUDA_SUCCESS);
  EXPECT_EQ(Offset, 12u);
  EXPECT_EQ(Size, 4u);
  EXPECT_EQ(A.cuFuncGetParamInfo(F, 3, &Offset, &Size),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr Counter = 0;
  size_t Bytes = 0;
  ASSERT_EQ(A.cuModuleGetGlobal_v2(&Counter, &Bytes, M, "counter"),
            CUDA_SUCCESS);
  EXPECT_EQ(Bytes, 4u);
  EXPECT_EQ(read<unsigned>(Counter, 1)[0], 5u) << "its initial value";
  unsigned New = 99;
  EXPECT_EQ(A.cuMemcpyHtoD_v2(Counter, &New, 4), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(Counter, 1)[0], 99u);
  CUdeviceptr Table = 0;
  ASSERT_EQ(A.cuModuleGetGlobal_v2(&Table, &Bytes, M, "table"), CUDA_SUCCESS);
  EXPECT_EQ(Bytes, 16u);
  EXPECT_EQ(read<unsigned>(Table, 2)[1], 2u);
  EXPECT_EQ(A.cuModuleGetGlobal_v2(&Table, &Bytes, M, "none"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(A.cuModuleUnload(M), CUDA_SUCCESS);
  EXPECT_EQ(A.cuFuncGetName(&Name, F), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(A.cuMemcpyHtoD_v2(Counter, &New, 4), CUDA_ERROR_INVALID_VALUE)
      << "its variables went with it";
  EXPECT_EQ(A.cuModuleUnload(M), CUDA_ERROR_INVALID_HANDLE);
}

// The same module in every wrapping in which programs carry code.
TEST_F(ModuleTest, Wrappings) {
  using namespace gevo::gpu;
  for (FatbinCompression C : {FatbinCompression::None, FatbinCompression::LZ4,
                              FatbinCompression::Zstd}) {
    FatbinImage Image, Cubin;
    Image.Arch = 60;
    Image.Compression = C;
    Image.Data = sampleModule();
    Cubin.Kind = FatbinKind::ELF;
    Cubin.Arch = 70;
    Cubin.Data = "\x7f"
                 "ELF and more";
    std::string Bytes = writeFatbin({Cubin, Image});
    CUmodule M = nullptr;
    EXPECT_EQ(A.cuModuleLoadFatBinary(&M, Bytes.data()), CUDA_SUCCESS);
    function(M, "add");
    EXPECT_EQ(A.cuModuleLoadData(&M, Bytes.data()), CUDA_SUCCESS);
    FatbinWrapper Wrapper = {FatbinWrapperMagic, 1, Bytes.data(), nullptr};
    EXPECT_EQ(A.cuModuleLoadFatBinary(&M, &Wrapper), CUDA_SUCCESS);
    function(M, "wild");
    testing::internal::CaptureStderr();
    std::string OnlyMachine = writeFatbin({Cubin});
    EXPECT_EQ(A.cuModuleLoadData(&M, OnlyMachine.data()),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(A.cuModuleLoadData(&M, Cubin.Data.c_str()),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    std::string Said = testing::internal::GetCapturedStderr();
    EXPECT_NE(Said.find("machine code"), std::string::npos) << Said;
  }
}

TEST_F(ModuleTest, Files) {
  std::string Name = testing::TempDir() + "/module.ptx";
  std::ofstream(Name) << sampleModule();
  CUmodule M = nullptr;
  ASSERT_EQ(A.cuModuleLoad(&M, Name.c_str()), CUDA_SUCCESS);
  function(M, "add");
  testing::internal::CaptureStderr();
  EXPECT_EQ(A.cuModuleLoad(&M, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("/no/such/file.ptx"),
            std::string::npos);
  testing::internal::CaptureStderr();
  std::string Folder = testing::TempDir();
  EXPECT_EQ(A.cuModuleLoad(&M, Folder.c_str()), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("Is a directory"),
            std::string::npos);
}

// A parse error goes into the log that the program asked for, with line and
// column; without a log it goes to stderr.
TEST_F(ModuleTest, ParseErrors) {
  const char *Bad = ".version 7.0\n.target sm_60\n.address_size 64\n"
                    ".visible .entry k()\n{\n  frobnicate.u32 1;\n  ret;\n}\n";
  char Log[256] = "untouched", Info[64] = "untouched";
  CUjit_option Options[] = {
      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void *Values[] = {Log, reinterpret_cast<void *>(sizeof(Log)), Info,
                    reinterpret_cast<void *>(sizeof(Info))};
  CUmodule M = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(A.cuModuleLoadDataEx(&M, Bad, 4, Options, Values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(std::strstr(Log, "6:3"), nullptr) << Log;
  EXPECT_NE(std::strstr(Log, "frobnicate"), nullptr) << Log;
  EXPECT_EQ(reinterpret_cast<size_t>(Values[1]), std::strlen(Log) + 1);
  EXPECT_STREQ(Info, "");
  // A small log is cut, not overrun.
  char Small[9] = {0, 0, 0, 0, 0, 0, 0, 0, 'X'};
  Values[0] = Small;
  Values[1] = reinterpret_cast<void *>(8);
  EXPECT_EQ(A.cuModuleLoadDataEx(&M, Bad, 2, Options, Values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::strlen(Small), 7u);
  EXPECT_EQ(Small[8], 'X');
  testing::internal::CaptureStderr();
  EXPECT_EQ(A.cuModuleLoadData(&M, Bad), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("6:3"),
            std::string::npos);
  CUjit_option Unknown[] = {CUjit_option(500)};
  EXPECT_EQ(A.cuModuleLoadDataEx(&M, sampleModule(), 1, Unknown, Values),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuModuleLoadData(&M, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, FunctionAttributes) {
  CUmodule M = load(sampleModule());
  CUfunction F = function(M, "shared");
  auto get = [&](CUfunction_attribute Attribute) {
    int Value = -7;
    EXPECT_EQ(A.cuFuncGetAttribute(&Value, Attribute, F), CUDA_SUCCESS);
    return Value;
  };
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 0);
  EXPECT_GT(get(CU_FUNC_ATTRIBUTE_NUM_REGS), 0);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_PTX_VERSION), 60);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_BINARY_VERSION), 70);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 49152);
  int Value;
  EXPECT_EQ(A.cuFuncGetAttribute(&Value, CUfunction_attribute(99), F),
            CUDA_ERROR_INVALID_VALUE);
  // More than 48 KiB must be asked for.
  CUdeviceptr P = allocate(4096);
  EXPECT_EQ(launch(F, 1, 32, {&P}, nullptr, 50000), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuFuncSetAttribute(
                F, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 98304),
            CUDA_SUCCESS);
  EXPECT_EQ(A.cuFuncSetAttribute(
                F, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 98305),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(F, 1, 32, {&P}, nullptr, 50000), CUDA_SUCCESS);
  EXPECT_EQ(A.cuFuncSetCacheConfig(F, CU_FUNC_CACHE_PREFER_L1), CUDA_SUCCESS);
  EXPECT_EQ(A.cuFuncSetCacheConfig(F, CUfunc_cache(9)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, Occupancy) {
  CUfunction F = function(load(sampleModule()), "add");
  int Blocks = 0;
  EXPECT_EQ(A.cuOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, F, 256, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(Blocks, 8) << "2048 threads";
  EXPECT_EQ(A.cuOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, F, 32, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(Blocks, 32) << "the limit of blocks";
  EXPECT_EQ(
      A.cuOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, F, 64, 40960),
      CUDA_SUCCESS);
  EXPECT_EQ(Blocks, 2) << "96 KiB of shared memory";
  EXPECT_EQ(A.cuOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, F, 2000, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(Blocks, 0);
  int Grid = 0, Block = 0;
  EXPECT_EQ(A.cuOccupancyMaxPotentialBlockSize(&Grid, &Block, F, nullptr, 0, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(Block, 1024);
  EXPECT_EQ(Grid, 160);
  EXPECT_EQ(
      A.cuOccupancyMaxPotentialBlockSize(&Grid, &Block, F, nullptr, 0, 100),
      CUDA_SUCCESS);
  EXPECT_LE(Block, 100);
  // Shared memory that grows with the block: 64 bytes for each thread.
  EXPECT_EQ(
      A.cuOccupancyMaxPotentialBlockSize(
          &Grid, &Block, F, [](int Size) { return size_t(Size) * 64; }, 0, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(Grid / 80 * Block, 1536) << "96 KiB / 64";
  size_t Bytes = 0;
  EXPECT_EQ(A.cuOccupancyAvailableDynamicSMemPerBlock(&Bytes, F, 2, 128),
            CUDA_SUCCESS);
  EXPECT_EQ(Bytes, 49152u);
  EXPECT_EQ(A.cuOccupancyAvailableDynamicSMemPerBlock(&Bytes, F, 17, 128),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, Libraries) {
  CUlibrary L = nullptr;
  ASSERT_EQ(A.cuLibraryLoadData(&L, sampleModule(), nullptr, nullptr, 0,
                                nullptr, nullptr, 0),
            CUDA_SUCCESS);
  unsigned Count = 0;
  EXPECT_EQ(A.cuLibraryGetKernelCount(&Count, L), CUDA_SUCCESS);
  EXPECT_EQ(Count, 4u);
  CUkernel K = nullptr;
  ASSERT_EQ(A.cuLibraryGetKernel(&K, L, "add"), CUDA_SUCCESS);
  EXPECT_EQ(A.cuLibraryGetKernel(&K, L, "none"), CUDA_ERROR_NOT_FOUND);
  const char *Name = nullptr;
  EXPECT_EQ(A.cuKernelGetName(&Name, K), CUDA_SUCCESS);
  EXPECT_STREQ(Name, "add");
  // A kernel can be launched as it is, in each context.
  unsigned N = 32, V = 2;
  CUdeviceptr P = allocate(128);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(K), 1, 32, {&P, &N, &V}),
            CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 32), std::vector<unsigned>(32, 2));
  CUfunction F = nullptr;
  EXPECT_EQ(A.cuKernelGetFunction(&F, K), CUDA_SUCCESS);
  EXPECT_EQ(launch(F, 1, 32, {&P, &N, &V}), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 32), std::vector<unsigned>(32, 4));
  CUdeviceptr Mine = 0, Theirs = 0;
  size_t Bytes = 0;
  EXPECT_EQ(A.cuLibraryGetGlobal(&Mine, &Bytes, L, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(A.cuLibraryGetManaged(&Mine, &Bytes, L, "counter"),
            CUDA_ERROR_NOT_FOUND);
  CUcontext Other;
  ASSERT_EQ(A.cuCtxCreate_v2(&Other, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuLibraryGetGlobal(&Theirs, &Bytes, L, "counter"), CUDA_SUCCESS);
  EXPECT_NE(Mine, Theirs) << "each context has its own variables";
  EXPECT_EQ(A.cuCtxDestroy_v2(Other), CUDA_SUCCESS);
  int Threads = 0;
  EXPECT_EQ(A.cuKernelGetAttribute(
                &Threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, K, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(Threads, 1024);
  EXPECT_EQ(A.cuLibraryUnload(L), CUDA_SUCCESS);
  EXPECT_EQ(A.cuKernelGetName(&Name, K), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(F, 1, 32, {&P, &N, &V}), CUDA_ERROR_INVALID_HANDLE);
}
