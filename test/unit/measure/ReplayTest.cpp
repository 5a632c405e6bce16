//===- ReplayTest.cpp - Replays tell right from wrong ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"
#include "test/unit/measure/Kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace gevo;
using namespace gevo::measure;
using capture::Buffer;
using capture::Bytes;
using capture::Case;
using gevo::test::kernel;

namespace {

constexpr uint64_t In = 0x200000000100, Out = 0x200000010100;
constexpr unsigned Count = 128;

template <typename T> Bytes bytesOf(const std::vector<T> &V) {
  Bytes B(V.size() * sizeof(T));
  std::memcpy(B.data(), V.data(), B.size());
  return B;
}

std::vector<float> iota(float Scale = 1) {
  std::vector<float> V(Count);
  for (unsigned K = 0; K < Count; ++K)
    V[K] = Scale * float(K + 1);
  return V;
}

capture::Launch launchOf(const std::vector<uint64_t> &Params) {
  capture::Launch L;
  L.Kernel = "k";
  L.Grid = {Count / 32, 1, 1};
  L.Block = {32, 1, 1};
  L.Params = bytesOf(Params);
  return L;
}

/// out[i] = 2 * in[i]
Case doubling() {
  Case C;
  C.Launches.push_back(launchOf({In, Out}));
  C.Buffers.push_back(Buffer::input(In, bytesOf(iota())));
  C.Buffers.push_back(Buffer::output(Out, Bytes(Count * 4), bytesOf(iota(2)),
                                     ElementType::F32));
  C.WarpInstructions = 100;
  return C;
}

const char Doubling[] = "  ld.global.f32 %f1, [%from];\n"
                        "  add.f32 %f1, %f1, %f1;\n"
                        "  st.global.f32 [%at], %f1;\n";

class ReplayTest : public ::testing::Test {
protected:
  std::unique_ptr<Device> D;

  void SetUp() override {
    std::string Error;
    DeviceOptions O;
    O.Library = GEVO_GPU_LIBRARY;
    D = Device::open(O, Error);
    ASSERT_TRUE(D) << Error;
    ASSERT_TRUE(D->isEmbedded());
  }
  ReplayResult run(const Case &C, const std::string &Body,
                   const ReplayOptions &O = {}) {
    Replay R(*D, C);
    return R.run(kernel(Body), O);
  }
};

TEST_F(ReplayTest, OriginalPasses) {
  Case C = doubling();
  ReplayResult R = run(C, Doubling);
  EXPECT_EQ(R.Result, Outcome::Passed) << R.Reason;
  EXPECT_GT(R.Cycles, 0u);
  EXPECT_GT(R.Microseconds, 0);
  EXPECT_GT(R.WarpInstructions, 0u);
  EXPECT_EQ(R.Error, 0);
  ASSERT_EQ(R.Outputs.size(), 1u);
  EXPECT_EQ(R.Outputs[0].Name, "arg1");
  EXPECT_EQ(R.Outputs[0].Type, ElementType::F32);
  EXPECT_EQ(R.Outputs[0].Bytes, Count * 4);
}

TEST_F(ReplayTest, SameTimeEveryTimeAndOneModule) {
  Case C = doubling();
  Replay R(*D, C);
  ReplayResult First = R.run(kernel(Doubling), {});
  for (int K = 0; K < 5; ++K) {
    ReplayResult Again = R.run(kernel(Doubling), {});
    EXPECT_TRUE(Again.passed()) << Again.Reason;
    EXPECT_EQ(Again.Cycles, First.Cycles);
  }
  EXPECT_EQ(D->modulesLoaded(), 1u);
  EXPECT_EQ(D->modulesFound(), 5u);
}

TEST_F(ReplayTest, WrongOutput) {
  ReplayResult R = run(doubling(), "  ld.global.f32 %f1, [%from];\n"
                                   "  st.global.f32 [%at], %f1;\n");
  EXPECT_EQ(R.Result, Outcome::WrongOutput);
  EXPECT_EQ(R.Reason, "element 0 of arg1 is 1, expected 2 (f32)");
  EXPECT_EQ(R.Outputs.at(0).Diff.Failing, Count);
}

TEST_F(ReplayTest, WithinTolerance) {
  ReplayOptions O;
  O.Rules.Others.Limits.Mode = CompareMode::Relative;
  O.Rules.Others.Limits.Limit = 0.51;
  Case C = doubling();
  std::string Body = "  ld.global.f32 %f1, [%from];\n"
                     "  st.global.f32 [%at], %f1;\n";
  ReplayResult R = run(C, Body, O);
  EXPECT_TRUE(R.passed()) << R.Reason;
  EXPECT_DOUBLE_EQ(R.Error, 0.5);
  // A rule for the buffer goes before the rule for all.
  O.Rules.Named["arg1"] = OutputRule();
  EXPECT_EQ(run(C, Body, O).Result, Outcome::WrongOutput);
}

TEST_F(ReplayTest, UnwrittenOutputIsPoisoned) {
  ReplayResult R = run(doubling(), "");
  EXPECT_EQ(R.Result, Outcome::Unwritten);
  EXPECT_EQ(R.Reason, "element 0 of arg1 was not written");
  // Also where the reference is NaN, which poison is.
  Case C = doubling();
  std::vector<float> Nans(Count, NAN);
  C.Buffers[1] =
      Buffer::output(Out, Bytes(Count * 4), bytesOf(Nans), ElementType::F32);
  EXPECT_EQ(run(C, "").Result, Outcome::Unwritten);
}

TEST_F(ReplayTest, PartlyWritten) {
  ReplayResult R = run(doubling(), "  setp.gt.u32 %p1, %i, 99;\n"
                                   "  @%p1 bra END;\n" +
                                       std::string(Doubling) + "END:\n");
  EXPECT_EQ(R.Result, Outcome::Unwritten);
  EXPECT_EQ(R.Reason, "element 100 of arg1 was not written");
}

TEST_F(ReplayTest, ChangedInput) {
  ReplayResult R = run(doubling(), std::string(Doubling) +
                                       "  st.global.f32 [%from], %f1;\n");
  EXPECT_EQ(R.Result, Outcome::InputChanged);
  EXPECT_NE(R.Reason.find("byte 2 of arg0"), std::string::npos) << R.Reason;
}

TEST_F(ReplayTest, StrayWriteInsideTheAllocation) {
  Case C = doubling();
  C.Buffers[1].Size =
      16384; // The program's buffer is larger than what it used.
  ReplayResult R =
      run(C, std::string(Doubling) + "  st.global.f32 [%at+8192], %f1;\n");
  EXPECT_EQ(R.Result, Outcome::InputChanged) << R.Reason;
  // And what was there is gone when the next variant runs.
  EXPECT_TRUE(run(C, Doubling).passed());
}

TEST_F(ReplayTest, RestoresAfterEveryRun) {
  Case C = doubling();
  Replay R(*D, C);
  std::string Bad =
      kernel(std::string(Doubling) + "  st.global.f32 [%from], %f1;\n");
  EXPECT_EQ(R.run(Bad, {}).Result, Outcome::InputChanged);
  EXPECT_TRUE(R.run(kernel(Doubling), {}).passed());
  EXPECT_EQ(R.run(kernel(""), {}).Result, Outcome::Unwritten);
  EXPECT_TRUE(R.run(kernel(Doubling), {}).passed());
}

TEST_F(ReplayTest, Faults) {
  ReplayResult R = run(doubling(), "  st.global.f32 [%at+4096], 0f00000000;\n");
  EXPECT_EQ(R.Result, Outcome::Fault);
  EXPECT_NE(R.Reason.find("past the end"), std::string::npos) << R.Reason;
  ASSERT_FALSE(R.Findings.empty());
  EXPECT_GT(R.Findings[0].PtxLine, 0u);
  EXPECT_TRUE(run(doubling(), Doubling).passed());
}

TEST_F(ReplayTest, RaceIsAFinding) {
  // All threads store to the first element of another buffer part.
  std::string Racy = std::string(Doubling) + "  mov.u32 %r4, words;\n"
                                             "  st.shared.u32 [%r4], %i;\n";
  ReplayResult R = run(doubling(), Racy);
  EXPECT_EQ(R.Result, Outcome::Finding);
  EXPECT_NE(R.Reason.find("race"), std::string::npos) << R.Reason;
  ReplayOptions O;
  const Finding &Found = R.Findings.at(0);
  O.AcceptedFindings.insert(findingKey(Found.Kernel, Found.Kind, "words"));
  EXPECT_TRUE(run(doubling(), Racy, O).passed());
  O = {.Checks = "bounds"};
  EXPECT_TRUE(run(doubling(), Racy, O).passed());
}

TEST_F(ReplayTest, StepAndTimeLimits) {
  Case C = doubling();
  ReplayResult Endless = run(C, "AGAIN:\n  bra AGAIN;\n");
  EXPECT_EQ(Endless.Result, Outcome::StepLimit);
  EXPECT_EQ(Endless.Reason,
            "the launch executed more than 102000 warp instructions; raise the "
            "step limit if it needs more");
  ReplayOptions O;
  O.CycleLimit = 2000;
  // A loop that does its work, but slowly.
  std::string Slow = "  mov.u32 %r5, 0;\nLOOP:\n  add.u32 %r5, %r5, 1;\n"
                     "  setp.lt.u32 %p1, %r5, 2000;\n  @%p1 bra LOOP;\n" +
                     std::string(Doubling);
  EXPECT_TRUE(run(C, Slow).passed());
  ReplayResult R = run(C, Slow, O);
  EXPECT_EQ(R.Result, Outcome::TimeLimit) << R.Reason;
  EXPECT_TRUE(run(C, Doubling, O).passed());
}

TEST_F(ReplayTest, BadPtx) {
  EXPECT_EQ(run(doubling(), "  nonsense;\n").Result, Outcome::LoadFailed);
  Case C = doubling();
  C.Launches[0].Kernel = "other";
  ReplayResult R = run(C, Doubling);
  EXPECT_EQ(R.Result, Outcome::KernelMissing);
  EXPECT_EQ(R.Reason, "the PTX has no kernel 'other'");
  C = doubling();
  C.Launches[0].Params.resize(8);
  EXPECT_EQ(run(C, Doubling).Result, Outcome::LaunchRefused);
}

TEST_F(ReplayTest, InPlaceIsNotPoisoned) {
  Case C;
  C.Launches.push_back(launchOf({Out, Out}));
  C.Buffers.push_back(Buffer::output(Out, bytesOf(iota()), bytesOf(iota(2)),
                                     ElementType::F32, /*Reads=*/true));
  EXPECT_TRUE(run(C, Doubling).passed());
  EXPECT_EQ(run(C, "").Result, Outcome::WrongOutput);
}

TEST_F(ReplayTest, PointersInMemory) {
  // Each node of a list is {next, value}; the kernel sums the values.
  constexpr unsigned Nodes = 20;
  constexpr uint64_t Far = 0x200000400000;
  Case C;
  C.Launches.push_back(launchOf({In, Out}));
  C.Launches[0].Grid = C.Launches[0].Block = {1, 1, 1};
  float Sum = 0;
  for (unsigned K = 0; K < Nodes; ++K) {
    struct {
      uint64_t Next;
      float Value;
      uint32_t Rest;
    } Node = {K + 1 < Nodes ? Far + (K + 1) * 0x1000 : 0, float(K), 0};
    Sum += float(K);
    Bytes B(sizeof(Node));
    std::memcpy(B.data(), &Node, sizeof(Node));
    C.Buffers.push_back(Buffer::input(K ? Far + K * 0x1000 : In, B));
  }
  C.Buffers.push_back(
      Buffer::output(Out, Bytes(4), bytesOf<float>({Sum}), ElementType::F32));
  std::string Body = "  mov.f32 %f1, 0f00000000;\nNEXT:\n"
                     "  ld.global.f32 %f2, [%from+8];\n"
                     "  add.f32 %f1, %f1, %f2;\n"
                     "  ld.global.u64 %from, [%from];\n"
                     "  setp.ne.s64 %p1, %from, 0;\n  @%p1 bra NEXT;\n"
                     "  st.global.f32 [%at], %f1;\n";
  ReplayResult R = run(C, Body);
  EXPECT_TRUE(R.passed()) << R.Reason;
}

TEST_F(ReplayTest, VariablesKeepTheirAddresses) {
  // table is a constant; here is a pointer to counter in memory.
  constexpr uint64_t Counter = 0x200000020100, Table = 0x200000030100;
  std::string Variables = ".visible .global .align 4 .u32 counter = 1;\n"
                          ".visible .const .align 4 .f32 table = 0f3f800000;\n";
  std::string Body = "  ld.global.u64 %rd2, [%from];\n"
                     "  ld.const.f32 %f1, [table];\n"
                     "  atom.global.add.u32 %r4, [%rd2], 1;\n"
                     "  ld.global.u32 %r5, [counter];\n"
                     "  cvt.rn.f32.u32 %f2, %r5;\n"
                     "  add.f32 %f1, %f1, %f2;\n"
                     "  st.global.f32 [%at], %f1;\n";
  Case C;
  C.Launches.push_back(launchOf({In, Out}));
  C.Launches[0].Grid = C.Launches[0].Block = {1, 1, 1};
  C.Buffers.push_back(Buffer::input(In, bytesOf<uint64_t>({Counter})));
  C.Buffers.push_back(
      Buffer::output(Out, Bytes(4), bytesOf<float>({43.5f}), ElementType::F32));
  Buffer Count =
      Buffer::output(Counter, bytesOf<uint32_t>({40}), bytesOf<uint32_t>({41}),
                     ElementType::U32, true);
  Count.Variable = "counter";
  C.Buffers.push_back(Count);
  Buffer Constant = Buffer::input(Table, bytesOf<float>({2.5f}));
  Constant.Variable = "table";
  Constant.IsConst = true;
  C.Buffers.push_back(Constant);
  Replay R(*D, C);
  for (int K = 0; K < 3; ++K) {
    ReplayResult Result = R.run(kernel(Body, Variables), {});
    EXPECT_TRUE(Result.passed()) << Result.Reason;
  }
}

TEST_F(ReplayTest, CasesTakeTurns) {
  Case A = doubling(), B = doubling();
  B.Buffers[0] = Buffer::input(In, bytesOf(iota(3)));
  B.Buffers[1] =
      Buffer::output(Out, Bytes(Count * 4), bytesOf(iota(6)), ElementType::F32);
  Replay First(*D, A), Second(*D, B);
  for (int K = 0; K < 3; ++K) {
    EXPECT_TRUE(First.run(kernel(Doubling), {}).passed());
    EXPECT_TRUE(Second.run(kernel(Doubling), {}).passed());
  }
}

TEST_F(ReplayTest, SequenceOfLaunches) {
  Case C = doubling();
  C.Launches.push_back(launchOf({Out, Out}));
  C.Buffers[1] =
      Buffer::output(Out, Bytes(Count * 4), bytesOf(iota(4)), ElementType::F32);
  EXPECT_TRUE(run(C, Doubling).passed());
}

TEST_F(ReplayTest, OverlappingBuffersCannotBePlaced) {
  Case C = doubling();
  C.Buffers.push_back(Buffer::input(In + 16, Bytes(64)));
  ReplayResult R = run(C, Doubling);
  EXPECT_EQ(R.Result, Outcome::DeviceFailed);
  EXPECT_NE(R.Reason.find("cannot place 64 bytes at 0x200000000110"),
            std::string::npos)
      << R.Reason;
}

TEST_F(ReplayTest, AddressesOutsideOfTheDevice) {
  Case C = doubling();
  constexpr uint64_t Host = 0x300000000000;
  C.Launches[0] = launchOf({Host, Out});
  C.Buffers[0] = Buffer::input(Host, bytesOf(iota()));
  EXPECT_TRUE(run(C, Doubling).passed());
  EXPECT_TRUE(run(C, Doubling).passed());
}

TEST_F(ReplayTest, LinesOfTheProfile) {
  Case C = doubling();
  Replay R(*D, C);
  ReplayOptions O;
  O.Lines = true;
  ASSERT_TRUE(R.run(kernel(Doubling), O).passed());
  uint64_t Issues = 0;
  for (const GevoGpuLine &L : R.lines())
    Issues += L.Issues;
  EXPECT_GT(Issues, 0u);
  ASSERT_TRUE(R.run(kernel(Doubling), {}).passed());
  EXPECT_TRUE(R.lines().empty());
}

TEST_F(ReplayTest, RenewExpectedForOtherInputs) {
  Case C = doubling();
  C.Buffers[0].Pieces[0].Before = bytesOf(iota(5));
  std::string Error;
  std::vector<uint64_t> Ends;
  ASSERT_TRUE(renewExpected(*D, C, kernel(Doubling), {}, Error, &Ends))
      << Error;
  EXPECT_EQ(Ends, std::vector<uint64_t>(2, C.Buffers[1].Size));
  EXPECT_EQ(C.Buffers[1].Pieces[0].After, bytesOf(iota(10)));
  EXPECT_TRUE(C.Buffers[0].Pieces[0].Marks.empty());
  EXPECT_TRUE(run(C, Doubling).passed());
  EXPECT_EQ(run(C, "").Result, Outcome::Unwritten);
  // A kernel that goes where the capture has not been.
  C.Buffers[0].Size = 49152;
  std::string Far =
      "  ld.global.f32 %f1, [%from+32768];\n" + std::string(Doubling);
  EXPECT_FALSE(renewExpected(*D, C, kernel(Far), {}, Error));
  EXPECT_NE(Error.find("not captured"), std::string::npos) << Error;
}

TEST_F(ReplayTest, ModelsOneAfterTheOther) {
  Case C = doubling();
  uint64_t Cycles[3];
  const char *Models[] = {"P100", "A100", "P100"};
  for (int K = 0; K < 3; ++K) {
    D.reset();
    DeviceOptions O;
    O.Library = GEVO_GPU_LIBRARY;
    O.Model = Models[K];
    std::string Error;
    D = Device::open(O, Error);
    ASSERT_TRUE(D) << Error;
    EXPECT_EQ(D->model(), Models[K]);
    ReplayResult R = run(C, Doubling);
    EXPECT_TRUE(R.passed()) << R.Reason;
    Cycles[K] = R.Cycles;
  }
  EXPECT_NE(Cycles[0], Cycles[1]);
  EXPECT_EQ(Cycles[0], Cycles[2]);
}

TEST_F(ReplayTest, ANewContext) {
  Case C = doubling();
  Replay R(*D, C);
  EXPECT_TRUE(R.run(kernel(Doubling), {}).passed());
  ASSERT_TRUE(D->reset());
  ReplayResult Result = R.run(kernel(Doubling), {});
  EXPECT_TRUE(Result.passed()) << Result.Reason;
}

TEST_F(ReplayTest, UnknownChecks) {
  ReplayOptions O;
  O.Checks = "everything";
  ReplayResult R = run(doubling(), Doubling, O);
  EXPECT_EQ(R.Result, Outcome::DeviceFailed);
  EXPECT_EQ(R.Reason, "unknown checks 'everything'");
}

TEST_F(ReplayTest, WarmAndColdCaches) {
  Case C = doubling();
  ReplayOptions Cold;
  Cold.WarmCaches = false;
  uint64_t Warm = run(C, Doubling).Cycles,
           First = run(C, Doubling, Cold).Cycles;
  EXPECT_LT(Warm, First);
  EXPECT_EQ(run(C, Doubling).Cycles, Warm);
  // A kept L2 is as good as one that is filled anew.
  Replay R(*D, C);
  EXPECT_EQ(R.run(kernel(Doubling), {}).Cycles, Warm);
  EXPECT_EQ(R.run(kernel(Doubling), Cold).Cycles, First);
  EXPECT_EQ(R.run(kernel(Doubling), {}).Cycles, Warm);
}

TEST(DeviceTest, NoLibrary) {
  std::string Error;
  DeviceOptions O;
  O.Library = "/nowhere/libcuda.so";
  EXPECT_FALSE(Device::open(O, Error));
  EXPECT_NE(Error.find("cannot open the driver library"), std::string::npos);
  O.Library = GEVO_GPU_LIBRARY;
  O.Model = "Z999";
  EXPECT_FALSE(Device::open(O, Error));
  EXPECT_NE(Error.find("no GPU model 'Z999'"), std::string::npos) << Error;
}

} // namespace
