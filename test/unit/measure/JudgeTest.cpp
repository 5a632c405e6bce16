//===- JudgeTest.cpp - Structures and bits are judged as what they are ----===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"
#include "test/unit/measure/Kernels.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace gevo;
using namespace gevo::measure;
using capture::Buffer;
using capture::Bytes;
using capture::Case;
using gevo::test::kernel;

namespace {

constexpr uint64_t In = 0x200000000100, Out = 0x200000010100;
constexpr unsigned Threads = 64;

template <typename T> void append(Bytes &B, T Value) {
  B.resize(B.size() + sizeof(T));
  std::memcpy(&B[B.size() - sizeof(T)], &Value, sizeof(T));
}

/// What every thread writes after what those before it write, eight bytes, as
/// elements of two types.
template <typename A, typename B> struct Pairs {
  ElementType First, Second;
  A (*FirstOf)(unsigned Thread);
  B (*SecondOf)(unsigned Thread);
};

class JudgeTest : public ::testing::Test {
protected:
  /// Runs a kernel that copies \p Got where \p Want is expected.
  template <typename A, typename B>
  ReplayResult judge(const Pairs<A, B> &Want, const Pairs<A, B> &Got,
                     const std::string &Rule) {
    DeviceOptions O;
    O.Library = GEVO_GPU_LIBRARY;
    std::string Error;
    std::unique_ptr<Device> D = Device::open(O, Error);
    EXPECT_TRUE(D) << Error;
    Case C;
    capture::Launch L;
    L.Kernel = "k";
    L.Grid = {Threads / 32, 1, 1};
    L.Block = {32, 1, 1};
    append(L.Params, In);
    append(L.Params, Out);
    C.Launches.push_back(L);
    Bytes Given, Expected, Marks;
    for (unsigned K = 0; K < Threads; ++K) {
      append(Given, Got.FirstOf(K));
      append(Given, Got.SecondOf(K));
      append(Expected, Want.FirstOf(K));
      append(Expected, Want.SecondOf(K));
      Marks.insert(Marks.end(), sizeof(A), uint8_t(Want.First));
      Marks.insert(Marks.end(), sizeof(B), uint8_t(Want.Second));
    }
    C.Buffers.push_back(Buffer::input(In, Given));
    C.Buffers.push_back(
        Buffer::output(Out, Bytes(Expected.size()), Expected, Want.First));
    C.Buffers[1].Pieces[0].Marks = Marks;
    C.WarpInstructions = 100;
    Replay R(*D, C);
    ReplayOptions Options;
    Options.Rules.Others = *parseRule(Rule, Error);
    // Two words a thread, from in to out.
    return R.run(kernel("  add.s64 %from, %from, %rd1;\n"
                        "  add.s64 %at, %at, %rd1;\n"
                        "  ld.global.v2.u32 {%r4, %r5}, [%from];\n"
                        "  st.global.v2.u32 [%at], {%r4, %r5};\n"),
                 Options);
  }
};

float share(unsigned K) { return 1 / float(K + 1); }
uint32_t hash(unsigned K) { return 2654435761U * (K + 1); }

uint64_t bitsOf(double V) {
  uint64_t Bits;
  std::memcpy(&Bits, &V, 8);
  return Bits;
}
uint32_t low(double V) { return uint32_t(bitsOf(V)); }
uint32_t high(double V) { return uint32_t(bitsOf(V) >> 32); }

TEST_F(JudgeTest, AHashBesideAFloatSaysNothingOfIt) {
  Pairs<float, uint32_t> Want{ElementType::F32, ElementType::U32, share, hash};
  Pairs<float, uint32_t> Got = Want;
  Got.FirstOf = [](unsigned K) { return share(K) * 1.00001F; };
  ReplayResult R = judge(Want, Got, "rel:1e-4");
  EXPECT_TRUE(R.passed()) << R.Reason;
  EXPECT_NEAR(R.Error, 1e-5, 1e-6);
  Got.FirstOf = [](unsigned K) { return share(K) + 0.2F; };
  R = judge(Want, Got, "rel:1e-4");
  EXPECT_EQ(R.Result, Outcome::WrongOutput);
  EXPECT_GT(R.Error, 0.1);
  // The floats of all structures have one floor.
  Want.FirstOf = [](unsigned K) { return K ? 0.0F : 1e6F; };
  Got.FirstOf = [](unsigned K) { return K ? 1e-5F : 1e6F; };
  EXPECT_TRUE(judge(Want, Got, "rel:1e-4").passed());
  Got.FirstOf = [](unsigned K) { return K ? 1e-3F : 1e6F; };
  EXPECT_FALSE(judge(Want, Got, "rel:1e-4").passed());
}

TEST_F(JudgeTest, ThereIsNoNoiseInWholeNumbers) {
  Pairs<float, uint32_t> Want{ElementType::F32, ElementType::U32, share,
                              [](unsigned K) { return K ? K : 100000000; }};
  Pairs<float, uint32_t> Got = Want;
  Got.SecondOf = [](unsigned K) { return K ? K + 1 : 100000000; };
  EXPECT_FALSE(judge(Want, Got, "rel:0.1").passed());
  EXPECT_TRUE(judge(Want, Got, "rel:0.1,floor:100").passed());
  Got.SecondOf = [](unsigned K) { return K ? K : 100000100; };
  EXPECT_TRUE(judge(Want, Got, "rel:0.1").passed());
}

// As __int_as_float(-1 - K), stored as a float.
TEST_F(JudgeTest, WholeNumbersInFloats) {
  Pairs<float, int32_t> Want{ElementType::F32, ElementType::F32, share,
                             [](unsigned K) { return -1 - int32_t(K); }};
  Pairs<float, int32_t> Got = Want;
  EXPECT_TRUE(judge(Want, Got, "exact").passed());
  Got.SecondOf = [](unsigned K) { return -2 - int32_t(K); };
  for (const char *Rule : {"exact", "rel:1e-4"}) {
    ReplayResult R = judge(Want, Got, Rule);
    EXPECT_EQ(R.Result, Outcome::WrongOutput) << Rule;
    EXPECT_EQ(R.Reason, "element 1 of arg1 is -nan (0xfffffffe), expected -nan "
                        "(0xffffffff) (f32)");
  }
}

// As four floats of which one is __int_as_float(K): a vector of whole numbers.
TEST_F(JudgeTest, FloatsThatAreStoredAsBits) {
  constexpr ElementType U32 = ElementType::U32;
  Pairs<float, int32_t> Want{U32, U32, share,
                             [](unsigned K) { return -1 - int32_t(K); }};
  Pairs<float, int32_t> Got = Want;
  Got.FirstOf = [](unsigned K) { return share(K) * 1.00001F; };
  ReplayResult R = judge(Want, Got, "rel:1e-4");
  EXPECT_TRUE(R.passed()) << R.Reason;
  EXPECT_NEAR(R.Error, 1e-5, 1e-6);
  Got.FirstOf = [](unsigned K) { return share(K) * 1.005F; };
  R = judge(Want, Got, "rel:1e-4");
  EXPECT_EQ(R.Result, Outcome::WrongOutput);
  EXPECT_EQ(R.Reason, "element 0 of arg1 is 1.005, expected 1 (f32, which "
                      "its bits look like; type:T in its rule says what they "
                      "are, as in rel:1e-3,type:u32)");
  EXPECT_TRUE(judge(Want, Got, "rel:1e-4,type:u32").passed());
  // The whole numbers still are some.
  Got = Want;
  Got.SecondOf = [](unsigned K) { return -2 - int32_t(K); };
  EXPECT_FALSE(judge(Want, Got, "rel:1e-4").passed());
  // What looks like no float is a whole number.
  Want.SecondOf = [](unsigned K) { return 10000000 + int32_t(K); };
  Got = Want;
  Got.SecondOf = [](unsigned K) { return 10000900 + int32_t(K); };
  EXPECT_TRUE(judge(Want, Got, "rel:1e-4").passed());
}

TEST_F(JudgeTest, DoublesAndPairsThatAreStoredAsBits) {
  constexpr ElementType U64 = ElementType::U64;
  // Bytes tell which of the two they are.
  Pairs<float, float> Want{U64, U64, share, share}, Got = Want;
  Got.FirstOf = [](unsigned K) { return share(K) * 1.01F; };
  EXPECT_FALSE(judge(Want, Got, "rel:1e-3").passed());
  Got.FirstOf = [](unsigned K) { return share(K) * 1.0001F; };
  EXPECT_TRUE(judge(Want, Got, "rel:1e-3").passed());
  using Halves = Pairs<uint32_t, uint32_t>;
  Halves Double{U64, U64, [](unsigned K) { return low(1.0 / (K + 1)); },
                [](unsigned K) { return high(1.0 / (K + 1)); }};
  Halves Near{U64, U64, [](unsigned K) { return low(1.0001 / (K + 1)); },
              [](unsigned K) { return high(1.0001 / (K + 1)); }};
  Halves Far{U64, U64, [](unsigned K) { return low(1.01 / (K + 1)); },
             [](unsigned K) { return high(1.01 / (K + 1)); }};
  EXPECT_TRUE(judge(Double, Near, "rel:1e-3").passed());
  EXPECT_FALSE(judge(Double, Far, "rel:1e-3").passed());
}

// As of __half2, of which PTX says no more than its size.
TEST_F(JudgeTest, HalvesThatAreStoredAsBits) {
  using Words = Pairs<uint32_t, uint32_t>;
  constexpr ElementType U32 = ElementType::U32, U16 = ElementType::U16;
  // From 1 to 2 in the upper half, from 2 to 4 in the lower one.
  auto same = [](unsigned K) { return 0x3c004000 + K * 0x90007; };
  Words Want{U32, U32, same, same}, Near = Want, Far = Want;
  Near.FirstOf = [](unsigned K) { return 0x3c004001 + K * 0x90007; };
  Far.FirstOf = [](unsigned K) { return 0x3c004014 + K * 0x90007; };
  EXPECT_TRUE(judge(Want, Near, "rel:1e-3").passed());
  ReplayResult R = judge(Want, Far, "rel:1e-3");
  EXPECT_EQ(R.Result, Outcome::WrongOutput);
  EXPECT_NE(R.Reason.find("element 0 of arg1 is 2.0390625, expected 2 (f16"),
            std::string::npos)
      << R.Reason;
  for (Words *W : {&Want, &Near, &Far})
    W->First = W->Second = U16;
  EXPECT_TRUE(judge(Want, Near, "rel:1e-3").passed());
  EXPECT_FALSE(judge(Want, Far, "rel:1e-3").passed());
  EXPECT_TRUE(judge(Want, Far, "rel:2e-3,type:u16").passed());
}

} // namespace
