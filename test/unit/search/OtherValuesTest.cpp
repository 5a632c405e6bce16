//===- OtherValuesTest.cpp - Values like those of a buffer ----------------===//
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
#include <set>

using namespace gevo;
using namespace llvm;

TEST(OtherValues, AZeroThatIsLoadedFromAStructureIsNotTakenForGranted) {
  const char Text[] = ".visible .entry k(\n"
                      "\t.param .align 8 .b8 k_param_0[24],\n"
                      "\t.param .u8 k_param_1\n)\n{\n\t.reg .b64 %rd<4>;\n"
                      "\tmov.b64 \t%rd1, k_param_0;\n"
                      "\tld.param.v2.f32 \t{%f1, %f2}, [k_param_0+8];\n"
                      "\tld.param.f64 \t%fd1, [%rd1+16];\n"
                      "$L__BB0_1:\n\tld.param.u32 \t%r1, [%rd1];\n\tret;\n}\n";
  KernelTraits Traits = traitsOf(Text, "k");
  ASSERT_EQ(Traits.FloatWords.size(), 3u);
  EXPECT_EQ(Traits.FloatWords[1].Offset, 12u);
  EXPECT_EQ(Traits.FloatWords[2].Bytes, 8u);
  EXPECT_EQ(Traits.IsNarrow, (std::vector<bool>{false, true}));
  capture::Case C = caseOf(std::vector<int>(100, 7));
  capture::Launch &L = C.Launches[0];
  L.Params.assign(32, 0);
  float Factor = 1;
  std::memcpy(&L.Params[8], &Factor, 4);
  L.Offsets = {0, 24};
  Random Dice(1);
  bool Found = false;
  for (const OtherInput &O : drawOtherInputs(C, Traits, Dice, anyWorks)) {
    if (O.What != "other numbers in its parameters")
      continue;
    Found = true;
    const capture::Bytes &Params = O.Changed.Launches[0].Params;
    float Single[2];
    double Double;
    std::memcpy(Single, &Params[8], 8);
    std::memcpy(&Double, &Params[16], 8);
    EXPECT_TRUE(Single[0] != 1 && std::fabs(Single[0] - 1) <= 0.5);
    EXPECT_TRUE(Single[1] && std::fabs(Single[1]) <= 1) << Single[1];
    EXPECT_TRUE(Double && std::fabs(Double) <= 1) << Double;
    EXPECT_TRUE(all_of(ArrayRef(Params).take_front(8), [](uint8_t Byte) {
      return !Byte;
    })) << "whole numbers";
  }
  EXPECT_TRUE(Found);
}

/// The floats of the input of \p C that is called \p What.
static std::vector<float>
floatsIn(const capture::Case &C, StringRef What,
         llvm::function_ref<bool(capture::Case &)> Works) {
  Random Dice(1);
  for (OtherInput &O : drawOtherInputs(C, {}, Dice, Works))
    if (O.What == What)
      return valuesIn<float>(O.Changed);
  return {};
}

TEST(OtherValues, FloatsAreEqualAndZeroAndDenormal) {
  std::vector<float> Values;
  for (int I = 0; I < 256; ++I)
    Values.push_back(1.0f + I);
  std::vector<float> Tied = floatsIn(
      caseOf(Values),
      "values that are equal, zeros of both signs and denormal numbers",
      anyWorks);
  ASSERT_EQ(Tied.size(), Values.size());
  std::map<float, int> Times;
  int Negative = 0, Minus = 0, Plus = 0, Denormal = 0;
  for (float V : Tied) {
    ++Times[V];
    EXPECT_TRUE(std::isfinite(V));
    Negative += V <= -1;
    Denormal += V != 0 && !std::isnormal(V);
    (std::signbit(V) ? Minus : Plus) += V == 0;
  }
  EXPECT_LT(Times.size(), 200u);
  for (int Count : {Negative, Minus, Plus, Denormal})
    EXPECT_TRUE(Count > 2 && Count < 64) << Count;
  std::vector<float> Special = floatsIn(
      caseOf(Values), "infinities, NaN and values that are equal", anyWorks);
  EXPECT_TRUE(any_of(Special, [](float V) { return std::isnan(V); }));
  EXPECT_TRUE(any_of(Special, [](float V) { return std::isinf(V); }));
  // Where it takes no zeros, some are equal nevertheless.
  auto Positive = [](capture::Case &Now) {
    return all_of(valuesIn<float>(Now), [](float V) { return V >= 1; });
  };
  std::vector<float> Equal =
      floatsIn(caseOf(Values), "values that are equal", Positive);
  ASSERT_EQ(Equal.size(), Values.size());
  EXPECT_LT(std::set<float>(Equal.begin(), Equal.end()).size(), 160u);
}

TEST(OtherValues, AWholeNumberBehindAPointerIsVaried) {
  Random Dice(1);
  std::vector<OtherInput> All =
      drawOtherInputs(caseOf(std::vector<int>{1}), {}, Dice, anyWorks);
  ASSERT_GE(All.size(), 2u);
  EXPECT_EQ(valuesIn<int>(All[0].Changed), std::vector<int>{2});
  EXPECT_EQ(valuesIn<int>(All[1].Changed), std::vector<int>{0});
}
