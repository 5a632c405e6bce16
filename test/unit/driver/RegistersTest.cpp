//===- RegistersTest.cpp - How many registers a thread has ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where launches are timed by machine code, attributes, occupancy and launches
// go by the assembler's count; elsewhere nobody asks the assembler. The one of
// these tests is a script that leaves a trace of having run.
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace gevo::test;
namespace fs = std::filesystem;

namespace {

class RegistersTest : public DriverTest {
protected:
  fs::path Folder;

  void SetUp() override {
    DriverTest::SetUp();
    std::string Name = (fs::temp_directory_path() / "gevo-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(Name.data()));
    Folder = Name;
    fs::create_directory(Folder / "bin");
    setenv("GEVO_CUDA_PATH", Folder.c_str(), 1);
    setenv("GEVO_CACHE", "off", 1);
  }
  void TearDown() override {
    unsetenv("GEVO_CUDA_PATH");
    unsetenv("GEVO_CACHE");
    fs::remove_all(Folder);
    DriverTest::TearDown();
  }

  void tool(const char *Name, const std::string &Script) {
    fs::path File = Folder / "bin" / Name;
    std::ofstream(File) << "#!/bin/sh\n: > " << (Folder / "ran").string()
                        << "\n"
                        << Script;
    fs::permissions(File, fs::perms::owner_all);
  }
  /// Tools that say that "add" has \p Count registers.
  void countingTools(unsigned Count) {
    tool("ptxas", "echo 'Function properties for add'\necho 'Used " +
                      std::to_string(Count) + " registers'\n");
    tool("nvdisasm", "cat <<'END'\n"
                     "\t.section\t.text.add,\"ax\",@progbits\nadd:\n"
                     "\t//## File \".nv_debug_ptx_txt\", line 8\n"
                     "  /*0000*/  EXIT ;  /* 0x0000000000000001 */\n"
                     "                    /* 0x001fca00078e0203 */\nEND\n");
  }
  bool ran() const { return fs::exists(Folder / "ran"); }
  int registers(CUfunction F) {
    int Value = 0;
    EXPECT_EQ(A.cuFuncGetAttribute(&Value, CU_FUNC_ATTRIBUTE_NUM_REGS, F),
              CUDA_SUCCESS);
    return Value;
  }
  int blocks(CUfunction F, int Threads) {
    int Blocks = 0;
    EXPECT_EQ(
        A.cuOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, F, Threads, 0),
        CUDA_SUCCESS);
    return Blocks;
  }
};

TEST_F(RegistersTest, TheAssemblersCountDecides) {
  countingTools(77);
  CUfunction F = function(load(sampleModule()), "add");
  EXPECT_EQ(registers(F), 77);
  EXPECT_EQ(blocks(F, 256), 3);
  EXPECT_EQ(blocks(F, 1024), 0);
  int Grid = 0, Block = 0;
  EXPECT_EQ(A.cuOccupancyMaxPotentialBlockSize(&Grid, &Block, F, nullptr, 0, 0),
            CUDA_SUCCESS);
  EXPECT_LE(Block, 768);
  CUdeviceptr P = allocate(4096);
  unsigned N = 1024, V = 1;
  EXPECT_EQ(launch(F, 1, 1024, {&P, &N, &V}),
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(F, 2, 512, {&P, &N, &V}), CUDA_SUCCESS);
}

TEST_F(RegistersTest, WithoutTimesNobodyAsksTheAssembler) {
  countingTools(77);
  ASSERT_EQ(A.gevoGpuSetTiming(0), CUDA_SUCCESS);
  CUfunction F = function(load(sampleModule()), "add");
  EXPECT_LT(registers(F), 77);
  EXPECT_EQ(blocks(F, 1024), 2);
  CUdeviceptr P = allocate(4096);
  unsigned N = 1024, V = 1;
  EXPECT_EQ(launch(F, 1, 1024, {&P, &N, &V}), CUDA_SUCCESS);
  EXPECT_FALSE(ran());
}

TEST_F(RegistersTest, CostsAreThoseThatWereAskedForLast) {
  countingTools(77);
  CUfunction F = function(load(sampleModule()), "add");
  CUdeviceptr P = allocate(4096);
  unsigned N = 1024, V = 1;
  std::vector<uint64_t> FromSass, Cycles;
  for (int On : {0, 1, 0, 1}) {
    ASSERT_EQ(A.gevoGpuSetMachineCode(On), CUDA_SUCCESS);
    ASSERT_EQ(A.gevoGpuFlushCaches(), CUDA_SUCCESS);
    ASSERT_EQ(launch(F, 2, 512, {&P, &N, &V}), CUDA_SUCCESS);
    GevoGpuCounters C = {};
    ASSERT_EQ(A.gevoGpuGetCounters(&C, sizeof(C)), CUDA_SUCCESS);
    FromSass.push_back(C.FromSass);
    Cycles.push_back(C.Cycles);
  }
  EXPECT_EQ(FromSass, std::vector<uint64_t>({0, 1, 0, 1}));
  EXPECT_EQ(Cycles[0], Cycles[2]);
  EXPECT_EQ(Cycles[1], Cycles[3]);
  EXPECT_NE(Cycles[0], Cycles[1]);
}

TEST_F(RegistersTest, WithoutMachineCodeItIsKnownWhy) {
  CUdeviceptr P = allocate(4096);
  unsigned N = 1024, V = 1;
  auto why = [&](const char *Assembler) {
    countingTools(77);
    if (*Assembler)
      tool("ptxas", Assembler);
    CUfunction F = function(load(sampleModule()), "add");
    EXPECT_EQ(launch(F, 2, 512, {&P, &N, &V}), CUDA_SUCCESS);
    char Text[512] = "";
    size_t Needed = 0;
    int Cause = 0;
    EXPECT_EQ(A.gevoGpuGetWhyRules(Text, sizeof(Text), &Needed, &Cause),
              CUDA_SUCCESS);
    EXPECT_EQ(Needed, strlen(Text) + 1);
    std::string Said = Text;
    return std::to_string(Cause) +
           Said.substr(std::min(Said.size(), Said.rfind('/')));
  };
  EXPECT_EQ(why(""), "0");
  EXPECT_EQ(why("echo 'fatal : no' >&2\nexit 1\n"),
            "0/ptxas failed: fatal : no");
  EXPECT_EQ(why("kill -SEGV $$\n"), "1/ptxas was ended by signal 11");
  EXPECT_EQ(why("kill -9 $$\n"), "2/ptxas was ended by signal 9");
}

TEST_F(RegistersTest, EstimatesRefuseNothing) {
  tool("ptxas", "exit 1\n");
  tool("nvdisasm", "exit 1\n");
  std::string Loads, Stores;
  for (int I = 0; I < 100; ++I) {
    std::string N = std::to_string(I);
    Loads += "ld.volatile.global.u32 %r" + N + ", [%rd1];\n";
    Stores += "st.volatile.global.u32 [%rd1], %r" + N + ";\n";
  }
  CUfunction F = function(
      load(".version 7.0\n.target sm_60\n.address_size 64\n"
           ".visible .entry k(.param .u64 p)\n{\n"
           ".reg .b64 %rd<2>; .reg .b32 %r<100>;\nld.param.u64 %rd1, [p];\n" +
           Loads + Stores + "ret;\n}\n"),
      "k");
  EXPECT_GE(registers(F), 100);
  EXPECT_TRUE(ran());
  EXPECT_EQ(blocks(F, 1024), 1);
  CUdeviceptr P = allocate(4);
  ASSERT_EQ(A.gevoGpuSetChecks("none"), CUDA_SUCCESS);
  EXPECT_EQ(launch(F, 1, 1024, {&P}), CUDA_SUCCESS);
}

} // namespace
