//===- RecursionTest.cpp - Deep calls of functions with many registers ----===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursion ends where the stack does, however many virtual registers its
// functions have, and keeps what they read after their calls.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {

std::string reg(unsigned K) { return "%r" + std::to_string(K); }

/// f(n) is n times the number of \p Registers, less one, as long as those that
/// are read after the call are kept. With \p KeepAll, all of them are.
std::string recursive(unsigned Registers, bool KeepAll) {
  unsigned N = Registers;
  std::string Body = ".func (.param .b32 res) f(.param .b32 n) {\n.reg .b32 "
                     "%r<" +
                     std::to_string(N + 4) +
                     ">; .reg .pred %q;\nld.param.u32 %r0, [n]; "
                     "setp.eq.u32 %q, %r0, 0; @%q bra END;\n";
  for (unsigned K = 1; K < N; ++K)
    Body += "add.u32 " + reg(K) + ", " + reg(K - 1) + ", 1;\n";
  Body += "sub.u32 " + reg(N) +
          ", %r0, 1;\n{ .param .b32 a; .param .b32 b; "
          "st.param.b32 [a], " +
          reg(N) + "; call.uni (b), f, (a); ld.param.b32 " + reg(N + 1) +
          ", [b]; }\nadd.u32 " + reg(N + 1) + ", " + reg(N + 1) + ", " +
          reg(N - 1) + "; sub.u32 " + reg(N + 1) + ", " + reg(N + 1) +
          ", %r0;\n";
  for (unsigned K = 1; KeepAll && K < N; ++K) // Adds what is then taken away.
    Body += "add.u32 " + reg(N + 1) + ", " + reg(N + 1) + ", " + reg(K) +
            "; sub.u32 " + reg(N + 1) + ", " + reg(N + 1) + ", " + reg(K) +
            ";\n";
  return Body + "st.param.b32 [res], " + reg(N + 1) +
         "; ret;\nEND: st.param.b32 [res], 0; ret;\n}\n";
}

class RecursionTest : public ::testing::Test {
protected:
  RecursionTest() : Gpu(config()) { Out = Gpu.allocate(4 * 64); }

  static DeviceConfig config() {
    DeviceConfig C;
    C.SmArch = 80;
    C.GlobalBytes = uint64_t(1) << 20;
    C.StackBytesPerThread = 256 << 10;
    return C;
  }

  /// Thread t calls f(Base + t * Step).
  LaunchResult run(const std::string &Function, unsigned Base, unsigned Step) {
    auto M = Gpu.load(
        ".version 7.8\n.target sm_80\n.address_size 64\n" + Function +
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 "
        "%rd<3>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
        "mad.lo.u32 %r1, %r1, " +
        std::to_string(Step) + ", " + std::to_string(Base) +
        ";\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; "
        "call.uni (b), f, (a); ld.param.b32 %r2, [b]; }\n"
        "st.global.u32 [%rd1], %r2; ret; }\n");
    if (!M) {
      ADD_FAILURE() << M.error().str();
      return {};
    }
    LaunchOptions O;
    O.Grid = {1, 1, 1};
    O.Block = {64, 1, 1};
    O.Params = &Out;
    O.ParamBytes = 8;
    return Gpu.launch(*(*M)->kernel("k"), O);
  }

  void expect(unsigned Registers, unsigned Base, unsigned Step, bool KeepAll) {
    LaunchResult R = run(recursive(Registers, KeepAll), Base, Step);
    ASSERT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
    for (unsigned T = 0; T < 64; ++T)
      EXPECT_EQ(reinterpret_cast<const uint32_t *>(Out)[T],
                (Base + T * Step) * (Registers - 1))
          << T;
  }

  Device Gpu;
  uint64_t Out;
};
} // namespace

TEST_F(RecursionTest, RegistersThatAreNotReadAgainTakeNoStack) {
  expect(6000, 400, 0, false);
}

TEST_F(RecursionTest, LanesComeBackFromDifferentDepths) {
  expect(3000, 0, 7, false);
  expect(500, 3, 9, true);
}

TEST_F(RecursionTest, ManyShallowFramesFit) { expect(8, 5000, 0, false); }

TEST_F(RecursionTest, RegistersThatDoNotFitAreNamed) {
  LaunchResult R = run(recursive(2000, true), 400, 0);
  EXPECT_EQ(R.Status, LaunchStatus::StackOverflow);
  EXPECT_NE(R.Message.find("calls inside of each other, the last one of 'f', "
                           "take more than the 64 MiB"),
            std::string::npos)
      << R.Message;
}

TEST_F(RecursionTest, AStackThatEndsIsNamed) {
  LaunchResult R = run(recursive(8, false), 1u << 20, 0);
  EXPECT_EQ(R.Status, LaunchStatus::StackOverflow);
  EXPECT_NE(R.Message.find("bytes of stack of a thread"), std::string::npos)
      << R.Message;
}
