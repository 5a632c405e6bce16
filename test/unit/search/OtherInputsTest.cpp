//===- OtherInputsTest.cpp - Inputs like those that were captured ---------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/OtherInputs.h"
#include "test/unit/search/MadeCases.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <map>

using namespace gevo;
using namespace llvm;

TEST(OtherInputs, FloatsStayInTheirRange) {
  std::vector<float> Values;
  for (int I = 0; I < 64; ++I)
    Values.push_back(-1.0f + I * 0.05f);
  Random Dice(1);
  std::vector<OtherInput> All =
      drawOtherInputs(caseOf(Values), {}, Dice, anyWorks);
  ASSERT_EQ(All.size(), 9u);
  EXPECT_EQ(All[0].What, "other values");
  std::vector<float> Drawn = valuesIn<float>(All[0].Changed);
  EXPECT_NE(Drawn, Values);
  for (float V : Drawn)
    EXPECT_TRUE(V >= -1.0f && V <= -1.0f + 63 * 0.05f) << V;
  std::vector<float> Order = valuesIn<float>(All[2].Changed);
  EXPECT_NE(Order, Values);
  llvm::sort(Order);
  EXPECT_EQ(Order, Values) << "the same in another order";
}

TEST(OtherInputs, OneDrawGoesBeyondTheRange) {
  std::vector<float> Values;
  for (int I = 0; I < 64; ++I)
    Values.push_back(10.0f + I);
  Random Dice(1);
  OtherInput O = drawOtherInputs(caseOf(Values), {}, Dice, anyWorks)[1];
  EXPECT_EQ(O.What, "values beyond those seen");
  std::vector<float> Drawn = valuesIn<float>(O.Changed);
  for (float V : Drawn)
    EXPECT_TRUE(V >= 10 - 63 && V <= 73 + 63) << V;
  EXPECT_TRUE(any_of(Drawn, [](float V) { return V < 0; }));
  EXPECT_TRUE(any_of(Drawn, [](float V) { return V > 73; }));
}

TEST(OtherInputs, BeyondIsOnlyWhereTheOriginalStaysFinite) {
  std::vector<float> Values;
  for (int I = 0; I < 64; ++I)
    Values.push_back(1.0f + I);
  capture::Case C = caseOf(Values);
  const capture::Bytes &In = C.Buffers[0].Pieces[0].Before;
  C.Buffers.push_back(capture::Buffer::output(8192, capture::Bytes(In.size()),
                                              In, capture::ElementType::F32));
  // A kernel that takes roots.
  auto Root = [](capture::Case &Now) {
    std::vector<float> Roots = valuesIn<float>(Now);
    for (float &V : Roots)
      V = std::sqrt(V);
    capture::Bytes &Out = Now.Buffers[1].Pieces[0].After;
    std::memcpy(Out.data(), Roots.data(), Out.size());
    return true;
  };
  Random Dice(1);
  std::vector<OtherInput> All = drawOtherInputs(C, {}, Dice, Root);
  EXPECT_EQ(All[0].What, "other values");
  EXPECT_EQ(All[1].What, "other values");
  EXPECT_NE(valuesIn<float>(All[0].Changed), valuesIn<float>(All[1].Changed));
}

TEST(OtherInputs, OneNumberInABufferDoesNotStayOne) {
  Random Dice(1);
  for (size_t Count : {1, 8}) {
    std::vector<float> Ones(Count, -2);
    for (float V : valuesIn<float>(
             drawOtherInputs(caseOf(Ones), {}, Dice, anyWorks)[0].Changed))
      EXPECT_TRUE(V != -2 && V >= -3 && V <= -1) << V;
  }
}

TEST(OtherInputs, NorDoesOneWholeNumberUnlessItIsZero) {
  Random Dice(1);
  auto Drawn = [&](const std::vector<int> &Values) {
    return valuesIn<int>(
        drawOtherInputs(caseOf(Values), {}, Dice, anyWorks)[0].Changed);
  };
  std::vector<int> Sevens(20, 7), Zeros(20, 0), Others = Drawn(Sevens);
  EXPECT_NE(Others, Sevens);
  for (int V : Others)
    EXPECT_TRUE(V >= 6 && V <= 8) << V;
  for (const OtherInput &O : drawOtherInputs(caseOf(Zeros), {}, Dice, anyWorks))
    EXPECT_NE(O.What, "other values");
}

TEST(OtherInputs, NumbersInParametersAreNotTakenForGranted) {
  capture::Case C = caseOf(std::vector<int>(100, 7));
  // A structure of an address, a float and a count; then a double.
  capture::Launch &L = C.Launches[0];
  float Factor = 1;
  uint32_t Count = 100;
  double Step = 0.25;
  L.Params.resize(24);
  std::memcpy(&L.Params[8], &Factor, 4);
  std::memcpy(&L.Params[12], &Count, 4);
  std::memcpy(&L.Params[16], &Step, 8);
  L.Offsets = {0, 16};
  Random Dice(1);
  OtherInput O =
      drawOtherInputs(C, {/*Doubles=*/true, false}, Dice, anyWorks)[2];
  EXPECT_EQ(O.What, "other numbers in its parameters");
  const capture::Bytes &Now = O.Changed.Launches[0].Params;
  std::memcpy(&Factor, &Now[8], 4);
  std::memcpy(&Step, &Now[16], 8);
  EXPECT_TRUE(Factor != 1 && Factor >= 0.5 && Factor <= 1.5) << Factor;
  EXPECT_TRUE(Step != 0.25 && Step >= 0.125 && Step <= 0.375) << Step;
  EXPECT_TRUE(llvm::equal(ArrayRef(Now).take_front(8),
                          ArrayRef(L.Params).take_front(8)))
      << "an address is none";
  EXPECT_TRUE(
      llvm::equal(ArrayRef(Now).slice(12, 4), ArrayRef(L.Params).slice(12, 4)))
      << "nor is a count";
}

TEST(OtherInputs, WhatAKernelNeedsAsItIsStays) {
  std::vector<int> Rows = {0, 2, 4, 6, 8};
  capture::Case C = caseOf(Rows);
  std::vector<float> Values = {1, 2, 3, 4, 5, 6, 7, 8};
  C.Buffers.push_back(caseOf(Values, 8192).Buffers[0]);
  auto Sorted = [](capture::Case &Now) {
    std::vector<int> Is = valuesIn<int>(Now);
    return llvm::is_sorted(Is) && Is[0] < Is[4];
  };
  Random Dice(1);
  std::vector<OtherInput> All = drawOtherInputs(C, {}, Dice, Sorted);
  EXPECT_EQ(All[0].What, "other values in 1 of 2 buffers");
  EXPECT_EQ(All[2].What, "the same values in another order in 1 of 2 buffers");
  for (OtherInput &O : All) {
    EXPECT_TRUE(Sorted(O.Changed)) << O.What;
    if (O.Count)
      continue;
    std::swap(O.Changed.Buffers[0], O.Changed.Buffers[1]);
    EXPECT_NE(valuesIn<float>(O.Changed), Values) << O.What;
  }
}

TEST(OtherInputs, IndicesStayIndices) {
  std::vector<int> Values = {3, 1, 4, 1, 5, 9, 2, 6};
  Random Dice(1);
  std::vector<OtherInput> All =
      drawOtherInputs(caseOf(Values), {}, Dice, anyWorks);
  EXPECT_EQ(All[1].What, "values beyond those seen");
  All.erase(All.begin() + 1);
  for (const OtherInput &O : All)
    for (int V : valuesIn<int>(O.Changed))
      EXPECT_TRUE(is_contained(Values, V)) << V;
}

TEST(OtherInputs, AddressesAreLeftAlone) {
  std::vector<uint64_t> Values = {4096, 4104, 4112, 4120};
  Random Dice(1);
  for (const OtherInput &O :
       drawOtherInputs(caseOf(Values), {}, Dice, anyWorks))
    EXPECT_EQ(valuesIn<uint64_t>(O.Changed), Values);
}

/// Zeros that a kernel of \p T adds to, if it reads them first.
static capture::Case zerosOf(capture::ElementType T, bool ReadFirst) {
  capture::Case C = caseOf(std::vector<int>(64));
  capture::Piece &P = C.Buffers[0].Pieces[0];
  P.After = P.Before;
  P.Marks.assign(P.Before.size(),
                 uint8_t(T) | (ReadFirst ? capture::ReadFirst : 0));
  return C;
}

/// The draws that put numbers in the place of zeros, by name.
static std::map<std::string, capture::Case> forZeros(const capture::Case &C) {
  Random Dice(1);
  std::map<std::string, capture::Case> Found;
  for (OtherInput &O : drawOtherInputs(C, {}, Dice, anyWorks))
    if (!O.Count && StringRef(O.What).ends_with("for zeros"))
      Found[O.What] = std::move(O.Changed);
  return Found;
}

TEST(OtherInputs, ZerosThatAreReadAreNotTakenForGranted) {
  using capture::ElementType;
  auto Counts = forZeros(zerosOf(ElementType::U32, true));
  ASSERT_EQ(Counts.size(), 1u);
  std::vector<int> Words = valuesIn<int>(Counts["small numbers for zeros"]);
  EXPECT_TRUE(any_of(Words, [](int V) { return V; }));
  for (int V : Words)
    EXPECT_TRUE(V >= 0 && V <= 3) << V;
  auto Parts = forZeros(zerosOf(ElementType::F32, true));
  ASSERT_EQ(Parts.size(), 1u);
  for (float V : valuesIn<float>(Parts["fractions for zeros"]))
    EXPECT_TRUE(V && std::fabs(V) <= 1) << V;
  // They may be anything if nothing is stored there.
  EXPECT_EQ(forZeros(caseOf(std::vector<int>(64))).size(), 2u);
  EXPECT_TRUE(forZeros(caseOf(std::vector<int>{0, 1})).empty());
}

TEST(OtherInputs, ZerosThatAreOnlyWrittenAreNoInput) {
  EXPECT_TRUE(forZeros(zerosOf(capture::ElementType::F32, false)).empty());
}

TEST(OtherInputs, WhatIsOnlyWrittenIsNoInput) {
  std::vector<float> Values = {1, 2, 3, 4, 5, 6, 7, 8};
  capture::Case C = caseOf(Values);
  C.Launches[0].Offsets = {0};
  C.Launches[0].Params.resize(8);
  capture::Piece &P = C.Buffers[0].Pieces[0];
  P.After = P.Before;
  P.Marks.assign(P.Before.size(), uint8_t(capture::ElementType::F32));
  Random Dice(1);
  for (const OtherInput &O : drawOtherInputs(C, {}, Dice, anyWorks))
    EXPECT_EQ(valuesIn<float>(O.Changed), Values) << O.What;
  EXPECT_TRUE(drawOtherInputs(C, {}, Dice, anyWorks).empty());
  // One byte that is read first makes it an input.
  P.Marks[0] |= capture::ReadFirst;
  EXPECT_EQ(drawOtherInputs(C, {}, Dice, anyWorks).size(), 5u);
}

TEST(OtherInputs, NumbersThatAreAllTheSameHaveNoOtherOrder) {
  Random Dice(1);
  for (const OtherInput &O :
       drawOtherInputs(caseOf(std::vector<float>(8, 3)), {}, Dice, anyWorks))
    EXPECT_NE(O.What, "the same values in another order");
}

/// A buffer of numbers, one of zeros that is only read, and a count.
static capture::Case guessOf(size_t Count) {
  capture::Case C = caseOf(std::vector<float>(Count, 3));
  C.Buffers.push_back(caseOf(std::vector<float>(Count), 8192).Buffers[0]);
  return C;
}

/// Is the first float of \p Buffer of \p O other than \p Was?
static bool differs(const OtherInput &O, size_t Buffer, float Was) {
  float Is;
  std::memcpy(&Is, O.Changed.Buffers[Buffer].Pieces[0].Before.data(), 4);
  return Is != Was;
}

TEST(OtherInputs, OtherSizesHaveOtherValues) {
  capture::Case C = guessOf(100);
  C.Launches[0].Grid = {4, 1, 1};
  Random Dice(1);
  unsigned Counts = 0, Blocks = 0;
  for (const OtherInput &O : drawOtherInputs(C, {}, Dice, anyWorks)) {
    bool Fewer = O.Changed.Launches[0].Grid.X < 4;
    if (!Fewer && !O.Count)
      continue;
    EXPECT_TRUE(differs(O, 1, 0)) << O.What;
    EXPECT_EQ(differs(O, 0, 3), !Fewer) << O.What;
    EXPECT_TRUE(StringRef(O.What).ends_with(Fewer ? " and numbers for zeros"
                                                  : " and other values"))
        << O.What;
    ++(Fewer ? Blocks : Counts);
  }
  EXPECT_EQ(Counts, 4u);
  EXPECT_EQ(Blocks, 3u);
}

TEST(OtherInputs, OtherSizesHaveOtherValuesWhereTheOriginalGetsAlong) {
  // With a small count the first buffer must be as it was, and with 1 both.
  auto Works = [](capture::Case &Now) {
    uint32_t Count;
    std::memcpy(&Count, &Now.Launches[0].Params[8], 4);
    OtherInput O{Now, "", std::nullopt};
    return Count == 1 ? !differs(O, 0, 3) && !differs(O, 1, 0)
                      : Count > 50 || !differs(O, 0, 3);
  };
  Random Dice(1);
  std::map<uint64_t, std::string> Named;
  for (OtherInput &O : drawOtherInputs(guessOf(100), {}, Dice, Works))
    if (O.Count) {
      EXPECT_TRUE(Works(O.Changed)) << O.What;
      Named[O.Count->Now] = O.What;
    }
  ASSERT_EQ(Named.size(), 4u);
  EXPECT_EQ(Named[1], "1 for 100 in parameter 1");
  EXPECT_TRUE(StringRef(std::next(Named.begin())->second)
                  .ends_with(" in parameter 1 and numbers for zeros"));
  EXPECT_TRUE(StringRef(Named.rbegin()->second)
                  .ends_with(" in parameter 1 and other values"));
}

TEST(OtherInputs, AZeroThatIsDeclaredAsAFloatIsNotTakenForGranted) {
  capture::Case C = caseOf(std::vector<int>(100, 7));
  capture::Launch &L = C.Launches[0];
  L.Params.resize(32);
  L.Offsets = {0, 8, 12, 16, 24};
  KernelTraits Traits = traitsOf(".visible .entry k(\n"
                                 "\t.param .u64 k_param_0,\n"
                                 "\t.param .u32 k_param_1,\n"
                                 "\t.param .f32 k_param_2,\n"
                                 "\t.param .f64 k_param_3,\n"
                                 "\t.param .u64 k_param_4\n)\n{\n\tret;\n}\n",
                                 "k");
  EXPECT_EQ(Traits.FloatBytes, (std::vector<uint8_t>{0, 0, 4, 8, 0}));
  Random Dice(1);
  bool Found = false;
  for (const OtherInput &O : drawOtherInputs(C, Traits, Dice, anyWorks)) {
    const capture::Bytes &Params = O.Changed.Launches[0].Params;
    float Single;
    double Double;
    uint64_t Word;
    std::memcpy(&Single, &Params[12], 4);
    std::memcpy(&Double, &Params[16], 8);
    std::memcpy(&Word, &Params[24], 8);
    EXPECT_EQ(Word, 0u);
    if (O.What != "other numbers in its parameters") {
      EXPECT_EQ(Single, 0) << "it is no flag: " << O.What;
      continue;
    }
    Found = true;
    EXPECT_TRUE(Single && std::fabs(Single) <= 1) << Single;
    EXPECT_TRUE(Double && std::fabs(Double) <= 1) << Double;
  }
  EXPECT_TRUE(Found);
}

TEST(OtherInputs, FlagsAreTurned) {
  capture::Case C = caseOf(std::vector<int>(100, 7));
  capture::Launch &L = C.Launches[0];
  // A bool that is set, an int that is not, and an address that is none.
  L.Params.resize(32);
  L.Params[12] = 1;
  L.Offsets = {0, 8, 12, 16, 24};
  Random Dice(1);
  std::map<std::string, capture::Bytes> Named;
  for (const OtherInput &O : drawOtherInputs(C, {}, Dice, anyWorks))
    Named[O.What] = O.Changed.Launches[0].Params;
  ASSERT_TRUE(Named.count("0 for 1 in parameter 2"));
  EXPECT_EQ(Named["0 for 1 in parameter 2"][12], 0);
  EXPECT_FALSE(Named.count("1 for 0 in parameter 4"));
}

TEST(OtherInputs, KernelsTellWhatTheyTake) {
  const char Text[] = ".visible .entry a(\n)\n{\n mov.u32 %r1, %ntid.x;\n}\n"
                      ".visible .entry b(\n)\n{\n add.f64 %fd1;\n}\n";
  EXPECT_TRUE(traitsOf(Text, "a").AnyBlock);
  EXPECT_FALSE(traitsOf(Text, "b").AnyBlock);
  EXPECT_TRUE(traitsOf(Text, "b").Doubles);
}
