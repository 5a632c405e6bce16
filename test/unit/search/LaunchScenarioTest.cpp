//===- LaunchScenarioTest.cpp - What tells captured launches apart --------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/DevicesRunner.h"
#include "search/LaunchRunner.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace gevo;

namespace {

/// A launch of (pointer to eight bytes that it writes, 64-bit number).
LaunchScenario scenario(uint64_t Address, uint64_t Number) {
  capture::Case C;
  C.Buffers.push_back(capture::Buffer::output(Address, capture::Bytes(8, 1),
                                              capture::Bytes(8, 2),
                                              capture::ElementType::U32));
  capture::Launch L;
  L.Kernel = "k";
  L.Params.resize(16);
  std::memcpy(&L.Params[0], &Address, 8);
  std::memcpy(&L.Params[8], &Number, 8);
  C.Launches.push_back(L);
  LaunchScenario S;
  S.Captured.Cases.push_back(C);
  return S;
}

} // namespace

// What was measured for one of them must not be taken for another: a program
// may take numbers from its environment, of which its command says nothing.
TEST(LaunchScenario, IsAnotherWithOtherParameters) {
  std::string First = scenario(0x1000, 3).identity();
  EXPECT_EQ(First, scenario(0x1000, 3).identity());
  EXPECT_NE(First, scenario(0x1000, 4).identity());
}

TEST(LaunchScenario, IsTheSameElsewhereInMemory) {
  EXPECT_EQ(scenario(0x1000, 3).identity(), scenario(0x7000, 3).identity());
  LaunchScenario Inside = scenario(0x1000, 3);
  Inside.Captured.Cases[0].Launches[0].Params[0] = 4;
  EXPECT_NE(Inside.identity(), scenario(0x1000, 3).identity());
}

TEST(LaunchScenario, IsAnotherWithOtherMemory) {
  std::string First = scenario(0x1000, 3).identity();
  LaunchScenario S = scenario(0x1000, 3);
  capture::Buffer &B = S.Captured.Cases[0].Buffers[0];
  B.Size = 16;
  EXPECT_NE(First, S.identity()) << "bounds";
  B.Size = 8;
  EXPECT_EQ(First, S.identity());
  B.Pieces[0].After[3] ^= 1;
  EXPECT_NE(First, S.identity()) << "what is expected";
}

// The code of a variant is not to blame, whatever keeps the device from it.
TEST(LaunchRunner, ADeviceThatDoesNotOpenSaysNothingOfAVariant) {
  LaunchScenario S = scenario(0x1000, 3);
  Fitness F = LaunchRunner(S, "no such GPU").run(Payload());
  EXPECT_FALSE(F.Judged);
  EXPECT_NE(F.Reason, "");
}

// An estimate by rules about PTX is compared with no time of machine code, and
// only what ptxas itself refused is kept of it.
TEST(LaunchRunner, KnowsWhatMachineCodeTakesOrNothing) {
  measure::ReplayResult R;
  R.Microseconds = 3;
  R.WhyRules = "ptxas failed";
  EXPECT_EQ(fitnessOf(R, {}, /*MachineCode=*/false).Time, 3000);
  Fitness Refused = fitnessOf(R, {}, /*MachineCode=*/true);
  EXPECT_EQ(Refused.End, Stage::Lower);
  EXPECT_EQ(Refused.Reason, "there is no machine code: ptxas failed");
  EXPECT_TRUE(Refused.Judged && Refused.Lasting);
  R.RulesCause = GEVO_GPU_RULES_TOOL;
  Fitness Crashed = fitnessOf(R, {}, /*MachineCode=*/true);
  EXPECT_EQ(Crashed.End, Stage::Lower);
  EXPECT_TRUE(Crashed.Judged && !Crashed.Lasting);
  R.RulesCause = GEVO_GPU_RULES_MACHINE;
  EXPECT_FALSE(fitnessOf(R, {}, /*MachineCode=*/true).Judged);
  // Nor is a bound on time, or what is wrong, but may be.
  for (measure::Outcome O :
       {measure::Outcome::TimeLimit, measure::Outcome::WrongOutput}) {
    R.Result = O;
    EXPECT_FALSE(fitnessOf(R, {}, /*MachineCode=*/true).Judged);
  }
  R.Result = measure::Outcome::Passed;
  R.FromSass = true;
  EXPECT_EQ(fitnessOf(R, {}, /*MachineCode=*/true).Time, 3000);
  R.Result = measure::Outcome::DeviceFailed;
  EXPECT_FALSE(fitnessOf(R, {}, /*MachineCode=*/false).Lasting);
}

namespace {

/// A kernel of two parameters that stores \p What, %n or a number.
std::string storingIn(const std::string &Kernel, const std::string &What) {
  return ".visible .entry " + Kernel + R"((.param .u64 p, .param .u64 n) {
  .reg .b64 %p, %n;
  ld.param.u64 %p, [p];
  ld.param.u64 %n, [n];
  st.global.u64 [%p], )" +
         What + ";\n  ret;\n}\n";
}

/// The kernel of scenario(), and another one that stores \p Other.
Payload storing(const std::string &What, const std::string &Other = "%n") {
  Payload Code;
  Code.Modules = {".version 7.0\n.target sm_70\n.address_size 64\n" +
                  storingIn("k", What) + storingIn("other", Other)};
  return Code;
}

/// Launches of the kernel that stores its number, of which \p Expected is told.
LaunchScenario launches(const std::vector<std::pair<uint64_t, uint64_t>> &All) {
  LaunchScenario S;
  S.Captured.Modules = storing("%n").Modules;
  for (auto [Number, Expected] : All) {
    capture::Case C = scenario(0x10000, Number).Captured.Cases[0];
    std::memcpy(C.Buffers[0].Pieces[0].After.data(), &Expected, 8);
    S.Captured.Cases.push_back(C);
    S.ModuleOf.push_back(0);
    S.Names.push_back("with " + std::to_string(Number));
  }
  return S;
}

/// A launch of the kernel, with two pointers of which it stores the second.
void addPointers(LaunchScenario &S, const std::string &Kernel, uint64_t First,
                 uint64_t Second) {
  S.Captured.Modules = storing("%n").Modules;
  capture::Case C = scenario(First, Second).Captured.Cases[0];
  C.Launches[0].Kernel = Kernel;
  C.Launches[0].Offsets = {0, 8};
  std::memcpy(C.Buffers[0].Pieces[0].After.data(), &Second, 8);
  if (Second != First)
    C.Buffers.push_back(capture::Buffer::input(Second, capture::Bytes(8, 1)));
  S.Captured.Cases.push_back(C);
  S.ModuleOf.push_back(0);
  S.Names.push_back("of " + Kernel);
}

/// With \p Guards, in a process of its own, which has the device.
Fitness runGuarded(const LaunchScenario &Guards, const Payload &Code,
                   const LaunchScenario &S = launches({{3, 3}})) {
  return IsolatedRunner(WorkerLimits(),
                        [&]() -> std::unique_ptr<Runner> {
                          auto R = std::make_unique<LaunchRunner>(
                              S, "V100",
                              /*CheckAlways=*/true);
                          R->guardWith(&Guards);
                          return R;
                        })
      .run(Code);
}

} // namespace

// A guard that the original fails on this device guards nothing here; others
// go on doing so.
TEST(LaunchRunner, LeavesOutGuardsThatTheOriginalFails) {
  LaunchScenario Both = launches({{5, 6}, {7, 7}}),
                 Failing = launches({{5, 6}});
  Fitness Original = runGuarded(Both, storing("%n"));
  EXPECT_TRUE(Original.valid()) << Original.Reason;
  Fitness Constant = runGuarded(Both, storing("3"));
  EXPECT_EQ(Constant.End, Stage::Guard);
  EXPECT_EQ(Constant.Reason.rfind("with 7: compare: ", 0), 0u)
      << Constant.Reason;
  Constant = runGuarded(Failing, storing("3"));
  EXPECT_TRUE(Constant.valid()) << Constant.Reason;
}

// Launches of several processes may have one number, so that the kernel tells
// what an input was made from.
TEST(LaunchRunner, TellsWhatOnlyHoldsWherePointersDiffer) {
  LaunchScenario Run, Joined, Moved;
  addPointers(Run, "k", 0x10000, 0x20000);
  addPointers(Run, "other", 0x10000, 0x10000);
  addPointers(Joined, "k", 0x10000, 0x10000);
  addPointers(Moved, "other", 0x30000, 0x30000);
  Fitness F = runGuarded(Joined, storing("0x20000"), Run);
  EXPECT_EQ(F.End, Stage::Pointers) << F.Reason;
  F = runGuarded(Moved, storing("%n", "0x10000"), Run);
  EXPECT_EQ(F.End, Stage::Guard) << F.Reason;
}

// What the device cannot even hold says nothing of the original, or of code.
TEST(LaunchRunner, EndsWhereADeviceCannotHoldAGuard) {
  LaunchScenario Large = launches({{7, 7}});
  Large.Captured.Cases[0].Buffers[0].Size = uint64_t(1) << 50;
  Fitness F = runGuarded(Large, storing("%n"));
  EXPECT_FALSE(F.Judged);
  EXPECT_NE(F.Reason.find("the original cannot be replayed, with 7: "),
            std::string::npos)
      << F.Reason;
}
