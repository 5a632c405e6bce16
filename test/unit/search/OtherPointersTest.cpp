//===- OtherPointersTest.cpp - Pointers to the same memory ----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/OtherPointers.h"
#include "passes/ir/Lower.h"
#include "search/ir/Pointers.h"
#include "test/unit/ir/Modules.h"
#include "gtest/gtest.h"
#include <cstring>
#include <limits>

using namespace gevo;
using namespace llvm;

/// A launch with the addresses of two buffers of 64 bytes, 4096 and 8192, and a
/// count between them.
static capture::Case twoBuffers() {
  capture::Case C;
  C.Launches.emplace_back();
  capture::Launch &L = C.Launches[0];
  L.Params.resize(24);
  L.Offsets = {0, 8, 16};
  uint64_t First = 4096, Count = 16, Second = 8192;
  std::memcpy(&L.Params[0], &First, 8);
  std::memcpy(&L.Params[8], &Count, 8);
  std::memcpy(&L.Params[16], &Second, 8);
  for (uint64_t At : {First, Second})
    C.Buffers.push_back(
        capture::Buffer::input(At, capture::Bytes(64, uint8_t(At >> 12))));
  return C;
}

/// The addresses among the parameters.
static std::pair<uint64_t, uint64_t> pointersOf(const capture::Case &C) {
  uint64_t First, Second;
  std::memcpy(&First, &C.Launches[0].Params[0], 8);
  std::memcpy(&Second, &C.Launches[0].Params[16], 8);
  return {First, Second};
}

static bool anyWorks(capture::Case &) { return true; }

TEST(OtherPointers, TwoBecomeTheSame) {
  std::vector<OtherInput> All = drawPointers(twoBuffers(), {{0, 2}}, anyWorks);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].What, "arg0 and arg2 in the same memory");
  EXPECT_EQ(pointersOf(All[0].Changed), std::pair(4096ul, 4096ul));
  EXPECT_TRUE(isSame(All[0].Changed, {0, 2}));
  EXPECT_FALSE(isSame(twoBuffers(), {0, 2}));
  const capture::Case Apart = twoBuffers(), &Joined = All[0].Changed;
  EXPECT_TRUE(joinsPointers({&Apart}, Joined));
  EXPECT_FALSE(joinsPointers({&Apart}, Apart));
  EXPECT_FALSE(joinsPointers({&Joined}, Joined));
  // The run has it both ways.
  EXPECT_FALSE(joinsPointers({&Apart, &Joined}, Joined));
  EXPECT_FALSE(joinsPointers({}, Joined));
}

TEST(OtherPointers, TheOtherMemoryIsTriedToo) {
  auto SecondAlone = [](capture::Case &C) {
    return pointersOf(C).first == 8192;
  };
  std::vector<OtherInput> All =
      drawPointers(twoBuffers(), {{0, 2}}, SecondAlone);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(pointersOf(All[0].Changed), std::pair(8192ul, 8192ul));
  auto None = [](capture::Case &) { return false; };
  EXPECT_TRUE(drawPointers(twoBuffers(), {{0, 2}}, None).empty());
}

/// Writes a float to the first buffer, which is infinite if both pointers are
/// the same and the count is more than \p Most.
static auto growsBeyond(uint64_t Most) {
  return [Most](capture::Case &C) {
    uint64_t Count;
    std::memcpy(&Count, &C.Launches[0].Params[8], 8);
    float Result = isSame(C, {0, 2}) && Count > Most
                       ? std::numeric_limits<float>::infinity()
                       : 1.0f;
    capture::Bytes After(64);
    std::memcpy(After.data(), &Result, 4);
    C.Buffers[0] =
        capture::Buffer::output(4096, capture::Bytes(64, 1), std::move(After),
                                capture::ElementType::F32);
    return true;
  };
}

TEST(OtherPointers, WhatEndsAsInfinityComesWithASmallerCount) {
  capture::Case C = twoBuffers();
  ASSERT_TRUE(growsBeyond(5)(C));
  std::vector<OtherInput> All = drawPointers(C, {{0, 2}}, growsBeyond(5));
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].What,
            "4 for 16 in parameter 1 and arg0 and arg2 in the same memory");
  EXPECT_TRUE(isSame(All[0].Changed, {0, 2}));
  EXPECT_EQ(All[1].What, "arg0 and arg2 in the same memory");
  EXPECT_EQ(drawPointers(C, {{0, 2}}, growsBeyond(16)).size(), 1u);
  EXPECT_EQ(drawPointers(C, {{0, 2}}, growsBeyond(0)).size(), 1u);
}

TEST(OtherPointers, WhatIsTheSameIsSetApart) {
  capture::Case C = twoBuffers();
  uint64_t Inside = 4096 + 16;
  std::memcpy(&C.Launches[0].Params[0], &Inside, 8);
  std::memcpy(&C.Launches[0].Params[16], &Inside, 8);
  std::vector<OtherInput> All = drawPointers(C, {{0, 2}}, anyWorks);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].What, "arg0 and arg2 in different memory");
  const std::vector<capture::Buffer> &Buffers = All[0].Changed.Buffers;
  ASSERT_EQ(Buffers.size(), 3u);
  for (size_t I = 1; I < Buffers.size(); ++I)
    EXPECT_LE(Buffers[I - 1].Address + Buffers[I - 1].Size, Buffers[I].Address);
  auto [First, Second] = pointersOf(All[0].Changed);
  EXPECT_EQ(First, Inside);
  EXPECT_EQ(Second, Buffers[2].Address + 16);
  EXPECT_EQ(Buffers[2].Pieces[0].Before, C.Buffers[0].Pieces[0].Before);
}

TEST(OtherPointers, CountsAndMissingArgumentsAreNone) {
  EXPECT_TRUE(drawPointers(twoBuffers(), {{0, 1}, {2, 3}}, anyWorks).empty());
  capture::Case C = twoBuffers();
  C.Launches[0].Offsets.clear();
  EXPECT_TRUE(drawPointers(C, {{0, 2}}, anyWorks).empty());
}

/// "0-1 0-2" of kernel @k(ptr %a, ptr %b, ptr %c, i32 %n) with \p Body.
static std::string
pairsIn(const std::string &Body,
        const std::string &Arguments = "ptr %a, ptr %b, ptr %c, i32 %n") {
  LLVMContext C;
  std::unique_ptr<Module> M =
      parseModule(("declare float @llvm.nvvm.ldg.global.f.f32.p0(ptr, i32)\n"
                   "declare void @other(ptr)\n"
                   "define void @k(" +
                   Arguments + ") {\n" + Body + "\nret void\n}\n!0 = !{}\n")
                      .c_str(),
                  C);
  std::string Text;
  for (const PointerPair &P : pairsThatMayMeet(*M->getFunction("k")))
    Text += (Text.empty() ? "" : " ") + std::to_string(P.First) + "-" +
            std::to_string(P.Second);
  return Text;
}

TEST(OtherPointers, PairsAreOfTheSameTypeAndWritten) {
  const std::string Sum = R"(
    %at = getelementptr float, ptr %a, i32 %n
    %x = load float, ptr %at
    %y = load <2 x float>, ptr %b
    store float %x, ptr %c)";
  EXPECT_EQ(pairsIn(Sum), "0-2 1-2") << "nobody writes to 0 and 1";
  EXPECT_EQ(pairsIn("%x = load i32, ptr %a\nstore float 1.0, ptr %b"), "");
  EXPECT_EQ(pairsIn("%x = load double, ptr %a\nstore float 1.0, ptr %b"), "");
  EXPECT_EQ(pairsIn("store float 1.0, ptr %a\nstore float 2.0, ptr %b"), "0-1");
  EXPECT_EQ(pairsIn("%x = atomicrmw add ptr %a, i32 %n monotonic\n"
                    "%y = load i32, ptr %c"),
            "0-2");
  EXPECT_EQ(pairsIn("call void @other(ptr %a)\n%y = load i32, ptr %c"), "0-2")
      << "what others do with it is not known";
}

TEST(OtherPointers, PairsThatTheSourcePromisesApartAreNone) {
  const std::string Copy = "%x = load float, ptr %a\nstore float %x, ptr %b";
  EXPECT_EQ(pairsIn(Copy), "0-1");
  EXPECT_EQ(pairsIn(Copy, "ptr noalias %a, ptr %b"), "");
  EXPECT_EQ(pairsIn(Copy, "ptr %a, ptr noalias %b"), "");
  EXPECT_EQ(pairsIn(Copy, "ptr byval(float) %a, ptr %b"), "");
  EXPECT_EQ(pairsIn("%x = call float @llvm.nvvm.ldg.global.f.f32.p0(ptr %a, "
                    "i32 4)\nstore float %x, ptr %b"),
            "");
  EXPECT_EQ(pairsIn("%x = load float, ptr %a, !invariant.load !0\n"
                    "store float %x, ptr %b"),
            "");
}
