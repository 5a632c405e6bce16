//===- LinkTest.cpp - Several PTX texts as one module ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuLink: what is declared in one text is what another defines, and what
// nobody defines is named.
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

using namespace gevo::test;

namespace {
class LinkTest : public DriverTest {
protected:
  static std::string header() {
    return ".version 7.0\n.target sm_60\n.address_size 64\n";
  }

  void add(CUlinkState L, const char *Rest) {
    std::string Text = header() + Rest;
    EXPECT_EQ(A.cuLinkAddData_v2(L, CU_JIT_INPUT_PTX, Text.data(),
                                 Text.size() + 1, "part", 0, nullptr, nullptr),
              CUDA_SUCCESS);
  }

  CUmodule link(std::initializer_list<const char *> Texts) {
    CUlinkState L = nullptr;
    EXPECT_EQ(A.cuLinkCreate_v2(0, nullptr, nullptr, &L), CUDA_SUCCESS);
    for (const char *Text : Texts)
      add(L, Text);
    void *Image = nullptr;
    size_t Size = 0;
    EXPECT_EQ(A.cuLinkComplete(L, &Image, &Size), CUDA_SUCCESS);
    CUmodule M = nullptr;
    EXPECT_EQ(A.cuModuleLoadData(&M, Image), CUDA_SUCCESS);
    EXPECT_EQ(A.cuLinkDestroy(L), CUDA_SUCCESS);
    return M;
  }
};
} // namespace

TEST_F(LinkTest, Linking) {
  std::string Caller = ".version 7.0\n.target sm_60\n.address_size 64\n"
                       ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                       ".visible .entry k(.param .u64 p)\n{\n"
                       " .reg .b32 %r<3>;\n .reg .b64 %rd<2>;\n"
                       " ld.param.u64 %rd1, [p];\n"
                       " ld.global.u32 %r1, [%rd1];\n"
                       " {\n .param .b32 a;\n .param .b32 b;\n"
                       " st.param.b32 [a], %r1;\n"
                       " call (b), twice, (a);\n ld.param.b32 %r2, [b];\n }\n"
                       " st.global.u32 [%rd1], %r2;\n ret;\n}\n";
  std::string Callee = ".version 7.0\n.target sm_60\n.address_size 64\n"
                       ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                       "{\n .reg .b32 %r<3>;\n ld.param.u32 %r1, [x];\n"
                       " add.u32 %r2, %r1, %r1;\n st.param.b32 [r], %r2;\n"
                       " ret;\n}\n";
  CUlinkState L = nullptr;
  ASSERT_EQ(A.cuLinkCreate_v2(0, nullptr, nullptr, &L), CUDA_SUCCESS);
  EXPECT_EQ(A.cuLinkAddData_v2(L, CU_JIT_INPUT_PTX, Caller.data(),
                               Caller.size() + 1, "caller", 0, nullptr,
                               nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(A.cuLinkAddData_v2(L, CU_JIT_INPUT_PTX, Callee.data(),
                               Callee.size(), "callee", 0, nullptr, nullptr),
            CUDA_SUCCESS);
  char Rubbish[] = "rubbish";
  testing::internal::CaptureStderr();
  EXPECT_EQ(A.cuLinkAddData_v2(L, CU_JIT_INPUT_PTX, Rubbish, sizeof(Rubbish),
                               "third", 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("third"),
            std::string::npos);
  void *Image = nullptr;
  size_t Size = 0;
  ASSERT_EQ(A.cuLinkComplete(L, &Image, &Size), CUDA_SUCCESS);
  CUmodule M = nullptr;
  ASSERT_EQ(A.cuModuleLoadData(&M, Image), CUDA_SUCCESS);
  EXPECT_EQ(A.cuLinkDestroy(L), CUDA_SUCCESS);
  EXPECT_EQ(A.cuLinkDestroy(L), CUDA_ERROR_INVALID_HANDLE);
  CUdeviceptr P = allocate(4);
  EXPECT_EQ(A.cuMemsetD32_v2(P, 21, 1), CUDA_SUCCESS);
  EXPECT_EQ(launch(function(M, "k"), 1, 1, {&P}), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 1)[0], 42u);
}

TEST_F(LinkTest, LinkingPrefersWhatIsStrong) {
  CUmodule M = link(
      {".weak .global .u32 both = 1;\n", ".visible .global .u32 both = 2;\n"});
  CUdeviceptr P = 0;
  size_t Size = 0;
  ASSERT_EQ(A.cuModuleGetGlobal_v2(&P, &Size, M, "both"), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 1)[0], 2u);
}

TEST_F(LinkTest, NamesAreOfWhatIsVisible) {
  // The first text keeps one to itself, and so does a function of the second.
  CUmodule M =
      link({".global .u32 both = 1;\n"
            ".visible .entry k(.param .u64 p) { .reg .b64 %p; .reg .b32 %r; "
            "ld.param.u64 %p, [p]; ld.global.u32 %r, [both]; "
            "st.global.u32 [%p], %r; ret; }\n",
            ".visible .func f() { .global .u32 mine = 3; .reg .b32 %r; "
            "ld.global.u32 %r, [mine]; ret; }\n"
            ".visible .global .u32 both = 2;\n"});
  CUdeviceptr P = 0, Q = allocate(4);
  size_t Size = 0;
  ASSERT_EQ(A.cuModuleGetGlobal_v2(&P, &Size, M, "both"), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 1)[0], 2u);
  EXPECT_EQ(A.cuModuleGetGlobal_v2(&P, &Size, M, "mine"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(launch(function(M, "k"), 1, 1, {&Q}), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(Q, 1)[0], 1u);
}

/// A kernel that adds up one variable of each kind.
static const char *const UsesExtern =
    ".extern .global .u32 g[];\n.extern .const .u32 c;\n"
    ".extern .shared .u32 s;\n.extern .func set();\n"
    ".visible .entry k(.param .u64 p) { .reg .b64 %p; .reg .b32 %r<4>; "
    "ld.param.u64 %p, [p]; call set; ld.global.u32 %r1, [g+4]; "
    "ld.const.u32 %r2, [c]; ld.shared.u32 %r3, [s]; add.u32 %r1, %r1, %r2; "
    "add.u32 %r1, %r1, %r3; st.global.u32 [%p], %r1; ret; }\n";
static const char *const DefinesThem =
    ".visible .global .u32 g[2] = {1, 20};\n.visible .const .u32 c = 300;\n"
    ".visible .shared .u32 s;\n"
    ".visible .func set() { st.shared.u32 [s], 4000; ret; }\n";

TEST_F(LinkTest, ExternVariablesAreThoseOfTheOtherText) {
  for (bool UserFirst : {true, false}) {
    CUmodule M = UserFirst ? link({UsesExtern, DefinesThem})
                           : link({DefinesThem, UsesExtern});
    CUdeviceptr P = allocate(4);
    EXPECT_EQ(launch(function(M, "k"), 1, 1, {&P}), CUDA_SUCCESS);
    EXPECT_EQ(read<unsigned>(P, 1)[0], 4320u);
  }
}

TEST_F(LinkTest, UndefinedNamesAreTold) {
  char Log[256] = "";
  CUjit_option Options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *Values[] = {Log, reinterpret_cast<void *>(sizeof(Log))};
  CUlinkState L = nullptr;
  ASSERT_EQ(A.cuLinkCreate_v2(2, Options, Values, &L), CUDA_SUCCESS);
  // Only the values stay the program's business.
  Options[0] = CU_JIT_INFO_LOG_BUFFER;
  add(L, UsesExtern);
  add(L, ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);"
         "\n.extern .global .u32 unused;\n.visible .const .u32 c = 3;\n");
  void *Image = nullptr;
  size_t Size = 0;
  EXPECT_EQ(A.cuLinkComplete(L, &Image, &Size), CUDA_ERROR_UNKNOWN);
  EXPECT_STREQ(Log, "undefined reference to 'g'; add the module that defines "
                    "it\nundefined reference to 's'; add the module that "
                    "defines it\nundefined reference to 'set'; add the module "
                    "that defines it");
  // What was missing can still be added.
  add(L, ".visible .global .u32 g[2] = {1, 20};\n.visible .shared .u32 s;\n"
         ".visible .func set() { st.shared.u32 [s], 4000; ret; }\n");
  EXPECT_EQ(A.cuLinkComplete(L, &Image, &Size), CUDA_SUCCESS) << Log;
  EXPECT_STREQ(Log, "");
  EXPECT_EQ(A.cuLinkDestroy(L), CUDA_SUCCESS);
}

TEST_F(LinkTest, WholeProgramsDefineWhatHasASize) {
  // As ptxas does, and it says so.
  std::string Text = header() +
                     ".extern .global .u32 g;\n.extern .const .u32 c[2];\n"
                     ".extern .shared .u32 s;\n"
                     ".visible .entry k(.param .u64 p) { .reg .b64 %p; "
                     ".reg .b32 %r<3>; ld.param.u64 %p, [p]; "
                     "st.shared.u32 [s], 5; ld.shared.u32 %r1, [s]; "
                     "ld.global.u32 %r2, [g]; add.u32 %r1, %r1, %r2; "
                     "ld.const.u32 %r2, [c+4]; add.u32 %r1, %r1, %r2; "
                     "st.global.u32 [%p], %r1; ret; }\n";
  char Log[512] = "";
  CUjit_option Options[] = {CU_JIT_INFO_LOG_BUFFER,
                            CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void *Values[] = {Log, reinterpret_cast<void *>(sizeof(Log))};
  CUmodule M = nullptr;
  ASSERT_EQ(A.cuModuleLoadDataEx(&M, Text.c_str(), 2, Options, Values),
            CUDA_SUCCESS);
  EXPECT_STREQ(Log, "extern variable 'g' is defined by no module; it gets "
                    "memory of its own, with zeros\nextern variable 'c' is "
                    "defined by no module; it gets memory of its own, with "
                    "zeros");
  CUdeviceptr P = allocate(4), G = 0;
  size_t Size = 0;
  EXPECT_EQ(A.cuModuleGetGlobal_v2(&G, &Size, M, "g"), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemsetD32_v2(G, 70, 1), CUDA_SUCCESS);
  EXPECT_EQ(launch(function(M, "k"), 1, 1, {&P}), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 1)[0], 75u);

  Text = header() + ".extern .global .u32 g[];\n";
  Options[0] = CU_JIT_ERROR_LOG_BUFFER;
  Options[1] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
  Values[1] = reinterpret_cast<void *>(sizeof(Log));
  EXPECT_EQ(A.cuModuleLoadDataEx(&M, Text.c_str(), 2, Options, Values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_STREQ(Log, "PTX extern variable 'g' has no size here, and no module "
                    "defines it; link the one that does");
}
