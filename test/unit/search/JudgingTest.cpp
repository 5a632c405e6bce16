//===- JudgingTest.cpp - Devices, objectives, outputs, retreats -----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/DevicesRunner.h"
#include "search/MachineError.h"
#include "search/Objective.h"
#include "search/Retreat.h"
#include "test/unit/search/Synthetic.h"
#include "gtest/gtest.h"
#include <cmath>
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
  Fitness Died = R.run(code("crash", ""));
  EXPECT_EQ(Died.End, Stage::Run);
  EXPECT_FALSE(Died.Lasting) << "another time it may live";
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

TEST(Objective, LinesAndGroupsThatAreEmpty) {
  Objective First = llvm::cantFail(parseObjective("stdout:^ *([0-9]+)"));
  std::string Text = "5 7\n6 8\n";
  EXPECT_EQ(First.takeFrom(Text), 6.0);
  EXPECT_EQ(Text, "* 7\n* 8\n");
  Objective Late = llvm::cantFail(parseObjective("stdout:loss=([0-9]*)"));
  std::string Two = "loss=\nloss=5 loss=";
  EXPECT_EQ(Late.takeFrom(Two), 5.0);
  EXPECT_EQ(Two, "loss=\nloss=* loss=");
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

TEST(Objectives, NumbersWhoseQuotientsAreNone) {
  for (const char *Pattern : {"stdout:score (.+)", "stdout-max:score (.+)"}) {
    Objective Score = cantFail(parseObjective(Pattern));
    for (std::string Text : {"score 1e-310", "score 1e-200", "score 1e200",
                             "score 1e999", "score inf", "score nan"})
      EXPECT_EQ(Score.takeFrom(Text), std::nullopt) << Pattern << ": " << Text;
    std::string Small = "score 1e-150";
    EXPECT_TRUE(Score.takeFrom(Small)) << Pattern;
  }
}

TEST(Objectives, CodeDecidesOnlyForWhatIsValid) {
  CostRunner R(std::make_unique<SaidTime>(1),
               [](const Payload &Code) -> Expected<double> {
                 return Code.Modules[1].size();
               });
  EXPECT_EQ(R.run(code("100", "12345")).Time, 5);
  EXPECT_EQ(R.run(code("bad", "1")).End, Stage::Compare);
}

TEST(Objectives, KnowWhoseFaultItIsThatThereIsNoCost) {
  enum { Code, Here, Machine } Of = Code;
  CostRunner R(std::make_unique<SaidTime>(1),
               [&](const Payload &) -> Expected<double> {
                 if (Of == Code)
                   return createStringError(inconvertibleErrorCode(), "bad");
                 if (Of == Here)
                   return make_error<PassingError>("late");
                 return make_error<MachineError>("killed");
               });
  Fitness F = R.run(code("100", ""));
  EXPECT_EQ(F.End, Stage::Load);
  EXPECT_TRUE(F.Judged && F.Lasting);
  Of = Here;
  F = R.run(code("100", ""));
  EXPECT_TRUE(F.Judged && !F.Lasting);
  Of = Machine;
  EXPECT_FALSE(R.run(code("100", "")).Judged);
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
    std::set<std::string> Asked; // To ask again costs nothing.
    std::optional<Individual> Left =
        retreat(S, S.evaluateBeyond({Edits})[0], 0, milestones(S, 0),
                [&](const Individual &I) {
                  Asked.insert(keyOf(I.Edits));
                  return !is_contained(I.Edits, deletion(6)) &&
                         !is_contained(I.Edits, deletion(14));
                });
    ASSERT_TRUE(Left);
    for (unsigned Number : {1, 3, 7, 11})
      EXPECT_TRUE(is_contained(Left->Edits, deletion(Number))) << Number;
    EXPECT_LE(Left->Result.Time, SyntheticBest + 4);
    EXPECT_LE(Asked.size(), 20u);
  });
}

TEST(Retreat, BlamesNoEditForWhatItIsPutOn) {
  Trial T;
  T.Evaluations = 1;
  search(T, [](Search &S) {
    EditList Edits;
    for (unsigned Number : {1, 0, 3, 4, 6, 7, 10, 2, 14, 11})
      Edits.push_back(deletion(Number));
    // The first refusal brings something new to stand, which is nothing for
    // the ancestor either.
    bool Refused = false;
    std::set<std::string> Asked; // To ask again costs nothing.
    std::optional<Individual> Left =
        retreat(S, S.evaluateBeyond({Edits})[0], 0,
                S.evaluateBeyond({{deletion(1), deletion(10)}}),
                [&](const Individual &I) {
                  Asked.insert(keyOf(I.Edits));
                  bool Stands =
                      !is_contained(I.Edits, deletion(14)) &&
                      !(Refused && is_contained(I.Edits, deletion(1)));
                  Refused |= !Stands;
                  return Stands;
                });
    ASSERT_TRUE(Refused && Left);
    EXPECT_FALSE(is_contained(Left->Edits, deletion(1)));
    for (unsigned Number : {3, 7, 11})
      EXPECT_TRUE(is_contained(Left->Edits, deletion(Number))) << Number;
    EXPECT_LE(Asked.size(), 30u);
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
