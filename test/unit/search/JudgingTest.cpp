//===- JudgingTest.cpp - Devices, objectives, other inputs ----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/DevicesRunner.h"
#include "search/Objective.h"
#include "search/OtherInputs.h"
#include "search/Output.h"
#include "search/Retreat.h"
#include "test/unit/search/Synthetic.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <unistd.h>

using namespace gevo;
using namespace llvm;

namespace {

/// Takes the time that the first module says, in a unit of its own.
class SaidTime : public Runner {
public:
  explicit SaidTime(double Unit, unsigned Module = 0)
      : Unit(Unit), Module(Module) {}
  Fitness run(const Payload &Code) override {
    if (Code.Modules[Module] == "crash")
      _exit(3);
    Fitness F;
    if (StringRef(Code.Modules[Module]).getAsDouble(F.Time))
      return Fitness::failed(Stage::Compare, "wrong");
    F.Time *= Unit;
    return F;
  }

private:
  double Unit;
  unsigned Module;
};

Payload code(std::string A, std::string B) {
  Payload P;
  P.Modules = {std::move(A), std::move(B)};
  return P;
}

/// One buffer of \p Values, and a count of them as parameter.
template <typename T>
capture::Case caseOf(const std::vector<T> &Values, uint64_t Address = 4096) {
  capture::Case C;
  C.Launches.emplace_back();
  capture::Launch &L = C.Launches[0];
  uint32_t Count = Values.size();
  L.Params.resize(12);
  std::memcpy(&L.Params[0], &Address, 8);
  std::memcpy(&L.Params[8], &Count, 4);
  L.Offsets = {0, 8};
  capture::Bytes Bytes(Values.size() * sizeof(T));
  std::memcpy(Bytes.data(), Values.data(), Bytes.size());
  C.Buffers.push_back(capture::Buffer::input(Address, Bytes));
  return C;
}

template <typename T> std::vector<T> valuesIn(const capture::Case &C) {
  const capture::Bytes &Bytes = C.Buffers[0].Pieces[0].Before;
  std::vector<T> Values(Bytes.size() / sizeof(T));
  std::memcpy(Values.data(), Bytes.data(), Bytes.size());
  return Values;
}

} // namespace

TEST(Devices, NoLossOnAny) {
  std::vector<std::unique_ptr<Runner>> Each;
  Each.push_back(std::make_unique<SaidTime>(1, 0));
  Each.push_back(std::make_unique<SaidTime>(4, 1));
  DevicesRunner R(std::move(Each), code("100", "100"));
  EXPECT_DOUBLE_EQ(R.run(code("100", "100")).Time, 200) << "geometric mean";
  EXPECT_DOUBLE_EQ(R.run(code("50", "100")).Time, 200 * std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(R.run(code("10", "101")).Time, 202)
      << "a loss on one outweighs any gain on another";
  EXPECT_EQ(R.run(code("10", "no number")).End, Stage::Compare);
}

TEST(Devices, DieAndAreReplaced) {
  WorkerLimits Limits;
  Limits.MemoryBytes = 0;
  IsolatedRunner R(Limits, [] { return std::make_unique<SaidTime>(1); });
  EXPECT_EQ(R.run(code("7", "")).Time, 7);
  EXPECT_EQ(R.run(code("crash", "")).End, Stage::Run);
  EXPECT_EQ(R.run(code("8", "")).Time, 8);
}

TEST(Objectives, AreReadByName) {
  EXPECT_EQ(cantFail(parseObjective("time")).Kind, ObjectiveKind::Time);
  EXPECT_EQ(cantFail(parseObjective("code-size")).unit(), "bytes");
  Objective Loss = cantFail(parseObjective("stdout:loss ([0-9.]+)"));
  EXPECT_EQ(Loss.source(), Objective::Runs);
  EXPECT_EQ(Loss.text(), "stdout:loss ([0-9.]+)");
  auto Refused = [](StringRef Text) {
    return toString(parseObjective(Text).takeError());
  };
  EXPECT_NE(Refused("energy").find("does not model energy"), std::string::npos);
  EXPECT_NE(Refused("speed").find("there are time, registers"),
            std::string::npos);
  EXPECT_NE(Refused("stdout:loss").find("has no group"), std::string::npos);
  EXPECT_NE(Refused("stdout:(").find("is no pattern"), std::string::npos);
}

TEST(Objectives, TakeTheLastNumberOutOfWhatIsCompared) {
  Objective Loss = cantFail(parseObjective("stdout:loss ([0-9.]+)"));
  std::string Text = "loss 3.5\nx 1\nloss 0.25 y\n";
  EXPECT_EQ(Loss.takeFrom(Text), 0.25);
  EXPECT_EQ(Text, "loss *\nx 1\nloss * y\n");
  std::string None = "x 1";
  EXPECT_EQ(Loss.takeFrom(None), std::nullopt);
  std::string Zero = "loss 0";
  EXPECT_EQ(Loss.takeFrom(Zero), std::nullopt) << "nothing is less than that";
  Objective Best = cantFail(parseObjective("stdout-max:accuracy ([0-9.]+)"));
  std::string Accuracy = "accuracy 0.5";
  EXPECT_EQ(Best.takeFrom(Accuracy), 2);
}

TEST(Objectives, CodeDecidesOnlyForWhatIsValid) {
  CostRunner R(std::make_unique<SaidTime>(1),
               [](const Payload &Code) -> Expected<double> {
                 return Code.Modules[1].size();
               });
  EXPECT_EQ(R.run(code("100", "12345")).Time, 5);
  EXPECT_EQ(R.run(code("bad", "1")).End, Stage::Compare);
}

TEST(VolatileNumbers, AreFoundAndLeftOut) {
  StringRef First = "sum 12\ntime:  9.5 ms, 3ms\n",
            Other = "sum 12\ntime: 10.25 ms, 12us\n";
  std::optional<WordSet> Changed = changedNumbers(First, Other);
  ASSERT_TRUE(Changed);
  EXPECT_EQ(*Changed, (WordSet{3, 5}));
  EXPECT_EQ(withoutWords(First, *Changed), withoutWords(Other, *Changed));
  EXPECT_EQ(withoutWords(First, *Changed), "sum 12\ntime:* ms,*\n");
  EXPECT_EQ(lineOfWord(First, 3), 2u);
  EXPECT_FALSE(changedNumbers("a 1", "b 1"));
  EXPECT_FALSE(changedNumbers("a 1", "a 1 2"));
  EXPECT_NE(withoutWords("sum 13\ntime: 1 ms, 2ms\n", *Changed),
            withoutWords(First, *Changed))
      << "what did not change is still compared";
}

TEST(VolatileNumbers, AreThoseOfAlikeLinesToo) {
  StringRef Text = "step 1 took 0.1 s\nstep 2 took 0.2 s\nsum 3\n4 5\n6 7\n";
  EXPECT_EQ(withAlikeLines(Text, {3}), (WordSet{3, 8}));
  EXPECT_EQ(withAlikeLines(Text, {11}), WordSet{11});
  EXPECT_EQ(withAlikeLines(Text, {13}), WordSet{13})
      << "numbers without a name say nothing about each other";
  EXPECT_EQ(withAlikeLines(Text, {}), WordSet{});
}

TEST(BinaryOutput, IsComparedByValue) {
  auto Bytes = [](std::vector<float> Values) {
    return std::string(reinterpret_cast<const char *>(Values.data()),
                       Values.size() * sizeof(float));
  };
  std::string Wanted = Bytes({0, 1, -100}), Near = Bytes({0, 1, -101});
  EXPECT_TRUE(isBinary(Wanted));
  EXPECT_FALSE(isBinary("text"));
  EXPECT_EQ(compareBinary(Wanted, Wanted, false).Mismatch, "");
  EXPECT_DOUBLE_EQ(compareBinary(Wanted, Near, true).Error, 0.01);
  EXPECT_EQ(compareBinary(Wanted, Near, false).Mismatch, "byte 10 differs");
  EXPECT_NE(compareBinary(Wanted, Bytes({0, 1, NAN}), true).Mismatch, "");
  EXPECT_NE(compareBinary(Wanted, Bytes({0, 1}), true).Mismatch, "");
  std::string Words = std::string("\0\0\0\1ab", 6);
  EXPECT_EQ(compareBinary(Words, std::string("\0\0\0\1ac", 6), true).Mismatch,
            "byte 5 differs");
  std::vector<double> Long = {1.0 / 3, 2e5};
  std::string Doubles(reinterpret_cast<const char *>(Long.data()), 16);
  Long[1] *= 1.5;
  std::string Other(reinterpret_cast<const char *>(Long.data()), 16);
  EXPECT_DOUBLE_EQ(compareBinary(Doubles, Other, true).Error, 0.5);
}

static bool anyWorks(capture::Case &) { return true; }

TEST(OtherInputs, FloatsStayInTheirRange) {
  std::vector<float> Values;
  for (int I = 0; I < 64; ++I)
    Values.push_back(-1.0f + I * 0.05f);
  Random Dice(1);
  std::vector<OtherInput> All =
      drawOtherInputs(caseOf(Values), false, Dice, anyWorks);
  ASSERT_EQ(All.size(), 4u);
  EXPECT_EQ(All[0].What, "other values");
  std::vector<float> Drawn = valuesIn<float>(All[0].Changed);
  EXPECT_NE(Drawn, Values);
  EXPECT_NE(Drawn, valuesIn<float>(All[1].Changed));
  for (float V : Drawn)
    EXPECT_TRUE(V >= -1.0f && V <= -1.0f + 63 * 0.05f) << V;
  std::vector<float> Order = valuesIn<float>(All[2].Changed);
  EXPECT_NE(Order, Values);
  llvm::sort(Order);
  EXPECT_EQ(Order, Values) << "the same in another order";
}

TEST(OtherInputs, OneNumberInABufferDoesNotStayOne) {
  Random Dice(1);
  for (size_t Count : {1, 8}) {
    std::vector<float> Ones(Count, -2);
    for (float V : valuesIn<float>(
             drawOtherInputs(caseOf(Ones), false, Dice, anyWorks)[0].Changed))
      EXPECT_TRUE(V != -2 && V >= -3 && V <= -1) << V;
  }
}

TEST(OtherInputs, NumbersInParametersAreNotTakenForGranted) {
  capture::Case C = caseOf(std::vector<int>(100, 7));
  // After the address: a float, a count, a double.
  capture::Launch &L = C.Launches[0];
  float Factor = 1;
  uint32_t Count = 100;
  double Step = 0.25;
  L.Params.resize(24);
  std::memcpy(&L.Params[8], &Factor, 4);
  std::memcpy(&L.Params[12], &Count, 4);
  std::memcpy(&L.Params[16], &Step, 8);
  L.Offsets = {0, 8, 12, 16};
  Random Dice(1);
  OtherInput O = drawOtherInputs(C, /*Doubles=*/true, Dice, anyWorks)[3];
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
  std::vector<OtherInput> All = drawOtherInputs(C, false, Dice, Sorted);
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
  for (const OtherInput &O :
       drawOtherInputs(caseOf(Values), false, Dice, anyWorks))
    for (int V : valuesIn<int>(O.Changed))
      EXPECT_TRUE(is_contained(Values, V)) << V;
}

TEST(OtherInputs, AddressesAreLeftAlone) {
  std::vector<uint64_t> Values = {4096, 4104, 4112, 4120};
  Random Dice(1);
  for (const OtherInput &O :
       drawOtherInputs(caseOf(Values), false, Dice, anyWorks))
    EXPECT_EQ(valuesIn<uint64_t>(O.Changed), Values);
}

TEST(OtherInputs, CountsShrink) {
  Random Dice(1);
  std::vector<OtherInput> All =
      drawOtherInputs(caseOf(std::vector<int>(100, 7)), false, Dice, anyWorks);
  uint32_t Count;
  std::memcpy(&Count, &All.back().Changed.Launches[0].Params[8], 4);
  EXPECT_LT(Count, 100u);
  EXPECT_GE(Count, 74u);
  EXPECT_EQ(All.back().What, std::to_string(Count) + " for 100 in parameter 1");
}

TEST(OtherInputs, CountsInStructuresAndLongWordsShrink) {
  capture::Case C = caseOf(std::vector<int>(100, 7));
  // After the address: a structure of a float and a count, then a count of
  // eight bytes.
  capture::Launch &L = C.Launches[0];
  float Factor = 0.5f;
  uint32_t Rows = 10;
  uint64_t Columns = 20;
  L.Params.resize(24);
  std::memcpy(&L.Params[8], &Factor, 4);
  std::memcpy(&L.Params[12], &Rows, 4);
  std::memcpy(&L.Params[16], &Columns, 8);
  L.Offsets = {0, 8, 16};
  Random Dice(1);
  std::vector<OtherInput> All = drawOtherInputs(C, false, Dice, anyWorks);
  ASSERT_EQ(All.size(), 6u);
  EXPECT_NE(All[4].What.find(" for 10 in parameter 1+4"), std::string::npos);
  EXPECT_NE(All[5].What.find(" for 20 in parameter 2"), std::string::npos);
}

TEST(OtherInputs, BlocksGoWithTheirCount) {
  capture::Case C = caseOf(std::vector<int>(100, 7));
  C.Launches[0].Grid = {4, 4, 1};
  Random Dice(1);
  OtherInput Last = drawOtherInputs(C, false, Dice, anyWorks).back();
  EXPECT_EQ(Last.What, "75 for 100 in parameter 1, with fewer blocks");
  EXPECT_EQ(Last.Changed.Launches[0].Grid, (capture::Extent{3, 3, 1}));
}

TEST(OtherInputs, BuffersFitTheirCount) {
  auto Fitted = [](uint64_t Size, CountChange Count, uint64_t Before,
                   uint64_t Now) {
    OtherInput O;
    O.Changed.Buffers.push_back(
        capture::Buffer::input(4096, capture::Bytes(Size)));
    O.Count = Count;
    bool Any = fitBuffers(O, {Before}, {Now});
    const capture::Buffer &B = O.Changed.Buffers[0];
    EXPECT_EQ(B.Size, B.Pieces[0].Before.size());
    EXPECT_EQ(Any, B.Size < Size);
    EXPECT_EQ(Any, !O.What.empty());
    return B.Size;
  };
  EXPECT_EQ(Fitted(400, {100, 90}, 400, 360), 360u) << "elements";
  EXPECT_EQ(Fitted(404, {100, 90}, 404, 364), 364u) << "and one more";
  EXPECT_EQ(Fitted(40000, {100, 90}, 40000, 32400), 32400u) << "a square";
  EXPECT_EQ(Fitted(40000, {100, 90}, 39996, 32396), 32400u) << "no corner";
  EXPECT_EQ(Fitted(8000, {100, 90}, 8000, 7200), 7200u) << "rows of 20";
  EXPECT_EQ(Fitted(1024, {100, 90}, 1024, 960), 1024u) << "a table";
  EXPECT_EQ(Fitted(400, {100, 90}, 400, 400), 400u) << "all in use";
  EXPECT_EQ(Fitted(4000, {100, 90}, 400, 360), 4000u) << "mostly not in use";
  EXPECT_EQ(Fitted(400, {100, 90}, 400, 0), 400u) << "not in use";
}

TEST(Retreat, TakesTheFastestThatIsAccepted) {
  Trial T;
  T.Evaluations = 1;
  search(T, [](Search &S) {
    Individual Best = S.evaluateBeyond(
        {{deletion(1), deletion(3), deletion(7), deletion(11)}})[0];
    ASSERT_EQ(Best.Result.Time, SyntheticBest);
    unsigned Asked = 0;
    std::set<std::string> Seen;
    // Whatever has the first one only held for the inputs of the search.
    auto Accepts = [&](const Individual &I) {
      ++Asked;
      EXPECT_TRUE(Seen.insert(I.PayloadHash).second) << "asked twice";
      return !is_contained(I.Edits, deletion(1));
    };
    std::optional<Individual> Left = retreat(S, Best, 0, {}, Accepts);
    ASSERT_TRUE(Left);
    EXPECT_EQ(keyOf(Left->Edits),
              keyOf({deletion(3), deletion(7), deletion(11)}));
    EXPECT_EQ(Left->Result.Time, SyntheticBest + 100);
    EXPECT_LE(Asked, 8u);
    EXPECT_FALSE(
        retreat(S, Best, 0, {}, [](const Individual &) { return false; }));
    EXPECT_EQ(S.state().Evaluations, 1u) << "it is not counted";
  });
}

TEST(Retreat, LeavesOutTheCulpritsOfALongList) {
  Trial T;
  T.Evaluations = 1;
  search(T, [](Search &S) {
    // 3 needs 7, which comes after the first culprit.
    EditList Edits;
    for (unsigned Number : {1, 0, 3, 4, 6, 7, 10, 2, 14, 11})
      Edits.push_back(deletion(Number));
    unsigned Asked = 0;
    std::optional<Individual> Left =
        retreat(S, S.evaluateBeyond({Edits})[0], 0, milestones(S, 0),
                [&](const Individual &I) {
                  ++Asked;
                  return !is_contained(I.Edits, deletion(6)) &&
                         !is_contained(I.Edits, deletion(14));
                });
    ASSERT_TRUE(Left);
    for (unsigned Number : {1, 3, 7, 11})
      EXPECT_TRUE(is_contained(Left->Edits, deletion(Number))) << Number;
    EXPECT_LE(Left->Result.Time, SyntheticBest + 4);
    EXPECT_LE(Asked, 20u);
  });
}

TEST(Retreat, GoesBackToTheLastAncestorThatHolds) {
  Trial T;
  T.Evaluations = 600;
  search(T, [](Search &S) {
    const std::vector<Individual> &All = S.state().Milestones;
    ASSERT_GE(All.size(), 3u);
    double Holds = All[All.size() / 2].Result.Time;
    EditList Edits;
    for (unsigned Number : {1, 0, 2, 4, 6, 8, 10, 11, 12, 14, 16})
      Edits.push_back(deletion(Number));
    unsigned Asked = 0;
    std::optional<Individual> Left =
        retreat(S, S.evaluateBeyond({Edits})[0], 0, milestones(S, 0),
                [&](const Individual &I) {
                  ++Asked;
                  return I.Result.Time >= Holds;
                });
    ASSERT_TRUE(Left);
    EXPECT_EQ(Left->Result.Time, Holds);
    EXPECT_LE(Asked, 40u);
  });
}

TEST(Retreat, KnowsTheBestWithoutErrorOfEarlierTimes) {
  Trial T;
  T.Tolerance = 0.1;
  search(T, [](Search &S) {
    double Without = 0, With = 0;
    for (const Individual &I : S.state().Milestones)
      (I.Result.Error > 0 ? With : Without) = I.Result.Time;
    EXPECT_EQ(With, S.state().best(0.1)->Result.Time);
    EXPECT_EQ(Without, S.state().best(0)->Result.Time);
    EXPECT_GT(Without, With);
  });
}

TEST(Retreat, FallsBackToOthersOfThePopulation) {
  Trial T;
  T.Evaluations = 600;
  search(T, [](Search &S) {
    const Individual *Best = S.state().best(0);
    ASSERT_NE(Best, nullptr);
    // None of the best one's edits is accepted.
    std::optional<Individual> Left =
        retreat(S, *Best, 0, {}, [&](const Individual &I) {
          return none_of(I.Edits, [&](const PlacedEdit &E) {
            return is_contained(Best->Edits, E);
          });
        });
    if (Left)
      EXPECT_LT(Left->Result.Time, SyntheticBaseline);
  });
}
