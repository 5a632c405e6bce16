//===- BatchRunnerTest.cpp - Results of several variants at once ----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That the results are those of one after the other, whatever the number of
// workers, that each is run once, and that it stops when it is told to.
//
//===----------------------------------------------------------------------===//

#include "search/BatchRunner.h"
#include "test/unit/search/Synthetic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <sys/mman.h>
#include <sys/resource.h>

using namespace gevo;
using namespace llvm;

namespace {

/// Counts in memory that the workers share.
class CountingRunner : public Runner {
public:
  explicit CountingRunner(unsigned *Count) : Count(Count) {}
  Fitness run(const Payload &Code) override {
    __atomic_add_fetch(Count, 1, __ATOMIC_SEQ_CST);
    return Base->run(Code);
  }

private:
  unsigned *Count;
  std::unique_ptr<Runner> Base = syntheticRunner();
};

class FailingRunner : public Runner {
public:
  Fitness run(const Payload &) override {
    return Fitness::failed(Stage::Run, "it was run");
  }
};

class HinderedRunner : public Runner {
public:
  Fitness run(const Payload &) override {
    return Fitness::notJudged("the disk is full");
  }
};

/// Of what this machine may have had a part in.
class LateRunner : public Runner {
public:
  Fitness run(const Payload &) override {
    return Fitness::failedHere(Stage::Run, "it took too long");
  }
};

/// Whose edits 17 and 3 are a worker's death: 17 when code is generated, 3
/// before.
class FragileProgram : public Program {
public:
  std::unique_ptr<Program> clone() const override {
    return std::make_unique<FragileProgram>();
  }
  std::string identity() const override { return Base->identity(); }
  size_t functionCount() const override { return Base->functionCount(); }
  std::optional<PlacedEdit> propose(const EditList &From, const Proposal &What,
                                    Random &Dice) override {
    return Base->propose(From, What, Dice);
  }
  Built build(const EditList &Edits) override {
    cleanUp(Edits);
    return Base->build(Edits);
  }
  Fitness cleanUp(const EditList &Edits) override {
    if (is_contained(Edits, deletion(3)))
      std::abort();
    return Fitness();
  }
  std::vector<Place> places() const override { return Base->places(); }

private:
  std::unique_ptr<Program> Base = syntheticProgram();
};

} // namespace

TEST(BatchRunner, KnowsAtWhichStageAWorkerDied) {
  FragileProgram P;
  WorkerLimits Limits;
  Limits.Count = 2;
  BatchRunner R(P, Limits, [] { return syntheticRunner(); });
  std::vector<EditList> Batch = {{deletion(1)},
                                 {deletion(3)},
                                 {deletion(17)},
                                 {deletion(3), deletion(17)},
                                 {deletion(2)}};
  auto Results = R.run(Batch, [] { return false; });
  EXPECT_EQ(Results[1]->End, Stage::CleanUp);
  EXPECT_NE(Results[1]->Reason.find("died"), std::string::npos);
  EXPECT_EQ(Results[2]->End, Stage::Lower);
  EXPECT_NE(Results[2]->Reason.find("died"), std::string::npos);
  EXPECT_EQ(Results[3]->End, Stage::CleanUp);
  std::unique_ptr<Runner> Alone = syntheticRunner();
  for (size_t I : {0, 4})
    EXPECT_EQ(Results[I]->End, Alone->run(P.build(Batch[I]).Code).End) << I;
}

TEST(BatchRunner, IsAsOneAfterTheOther) {
  void *Shared = mmap(nullptr, sizeof(unsigned), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(Shared, MAP_FAILED);
  auto *Count = static_cast<unsigned *>(Shared);
  std::unique_ptr<Program> P = syntheticProgram();
  std::unique_ptr<Runner> Alone = syntheticRunner();
  std::vector<EditList> Batch;
  // To build 17 is a worker's death.
  for (unsigned I = 0; I < 30; ++I)
    if (I != 17)
      Batch.push_back({deletion(I)});
  // Again, and with nothing.
  Batch.push_back(Batch[1]);
  Batch.push_back({});
  auto Never = [] { return false; };
  for (unsigned Workers : {1, 2, 5}) {
    WorkerLimits Limits;
    Limits.Count = Workers;
    *Count = 0;
    BatchRunner R(*P, Limits,
                  [&] { return std::make_unique<CountingRunner>(Count); });
    std::vector<std::optional<Fitness>> Results = R.run(Batch, Never);
    ASSERT_EQ(Results.size(), Batch.size());
    unsigned Valid = 0;
    for (size_t I = 0; I < Batch.size(); ++I) {
      Built B = P->build(Batch[I]);
      Fitness Wanted = B.ok() ? Alone->run(B.Code) : B.Failure;
      ASSERT_TRUE(Results[I].has_value());
      EXPECT_EQ(Results[I]->End, Wanted.End) << I;
      EXPECT_EQ(Results[I]->Time, Wanted.Time) << I;
      Valid += Wanted.valid();
    }
    EXPECT_GT(Valid, 5u);
    unsigned Once = *Count;
    EXPECT_GT(Once, 0u);
    EXPECT_LT(Once, Batch.size());
    EXPECT_EQ(R.run(Batch[3]).Time, Results[3]->Time);
    R.run(Batch, Never);
    EXPECT_EQ(*Count, Once);
    EXPECT_EQ(R.run({deletion(17)}).End, Stage::Lower);
    EXPECT_TRUE(R.run({deletion(17), deletion(1)}).Reason.find("died") !=
                std::string::npos);
  }
  munmap(Shared, sizeof(unsigned));
}

TEST(BatchRunner, TakesWhatALogHas) {
  SmallString<128> Folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-prices", Folder));
  std::string Path = (Folder + "/prices.jsonl").str();
  std::unique_ptr<Program> P = syntheticProgram();
  for (bool Again : {false, true}) {
    auto Log = AppendLog::open(Path, json::Object{{"of", "synthetic"}});
    ASSERT_TRUE(bool(Log));
    RunnerMaker Make = [] { return syntheticRunner(); };
    if (Again)
      Make = [] { return std::make_unique<FailingRunner>(); };
    BatchRunner R(*P, WorkerLimits(), Make, Log->get());
    EXPECT_EQ(R.run({deletion(1)}).Time, SyntheticBaseline - 100);
    if (Again) {
      EXPECT_FALSE(R.run({deletion(11)}).valid());
    }
  }
  sys::fs::remove_directories(Folder);
}

// What kept a variant from being judged is not remembered as its result.
TEST(BatchRunner, KeepsNothingOfWhatWasNotJudged) {
  SmallString<128> Folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-prices", Folder));
  std::string Path = (Folder + "/prices.jsonl").str();
  std::unique_ptr<Program> P = syntheticProgram();
  auto Log = AppendLog::open(Path, json::Object{{"of", "synthetic"}});
  ASSERT_TRUE(bool(Log));
  bool Full = true;
  RunnerMaker Make = [&]() -> std::unique_ptr<Runner> {
    if (Full)
      return std::make_unique<HinderedRunner>();
    return syntheticRunner();
  };
  BatchRunner R(*P, WorkerLimits(), Make, Log->get());
  Fitness F = R.run({deletion(1)});
  EXPECT_FALSE(F.Judged);
  EXPECT_EQ(F.Reason, "the disk is full");
  Full = false;
  EXPECT_EQ(R.run({deletion(1)}).Time, SyntheticBaseline - 100);
  sys::fs::remove_directories(Folder);
}

// It holds for a search, whose result must not change when it goes on, but
// another one tries again.
TEST(BatchRunner, HandsOnNothingThatMayBeOfThisMachine) {
  SmallString<128> Folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-prices", Folder));
  std::string Path = (Folder + "/prices.jsonl").str();
  std::unique_ptr<Program> P = syntheticProgram();
  for (bool Again : {false, true}) {
    auto Log = AppendLog::open(Path, json::Object{{"of", "synthetic"}});
    ASSERT_TRUE(bool(Log));
    bool Late = !Again;
    RunnerMaker Make = [&]() -> std::unique_ptr<Runner> {
      if (Late)
        return std::make_unique<LateRunner>();
      return syntheticRunner();
    };
    BatchRunner R(*P, WorkerLimits(), Make, Log->get());
    Fitness F = R.run({deletion(1)});
    EXPECT_EQ(F.End, Again ? Stage::Done : Stage::Run);
    EXPECT_EQ(F.Lasting, Again);
    Late = false;
    EXPECT_EQ(R.run({deletion(1)}).End, F.End);
    Fitness Read =
        cantFail(json::parse<Fitness>(formatv("{0}", toJSON(F)).str()));
    EXPECT_EQ(Read.Lasting, F.Lasting);
  }
  sys::fs::remove_directories(Folder);
}

TEST(BatchRunner, StopsWhenItIsTold) {
  std::unique_ptr<Program> P = syntheticProgram();
  BatchRunner R(*P, WorkerLimits(), [] { return syntheticRunner(); });
  std::vector<std::optional<Fitness>> Results =
      R.run({{deletion(1)}, {deletion(2)}}, [] { return true; });
  EXPECT_FALSE(Results[0].has_value());
  EXPECT_FALSE(Results[1].has_value());
  EXPECT_TRUE(R.run({deletion(1)}).valid());
}

// A worker that died and cannot be replaced is a failure of the batch; the next
// batch starts workers anew.
TEST(BatchRunner, GoesOnAfterWorkersThatCannotBeReplaced) {
  std::unique_ptr<Program> P = syntheticProgram();
  WorkerLimits Limits;
  Limits.Count = 2;
  BatchRunner R(*P, Limits, [] { return syntheticRunner(); });
  ASSERT_TRUE(R.run({deletion(1)}).valid());
  rlimit Before, None;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &Before), 0);
  None = Before;
  None.rlim_cur = 3;
  auto Never = [] { return false; };
  // To build 17 is a worker's death.
  std::vector<EditList> Batch = {
      {deletion(17)}, {deletion(2)}, {deletion(4)}, {deletion(6)}};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &None), 0);
  std::vector<std::optional<Fitness>> Results = R.run(Batch, Never);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &Before), 0);
  ASSERT_TRUE(Results[0].has_value());
  EXPECT_NE(Results[0]->Reason.find("cannot make a pipe"), std::string::npos)
      << Results[0]->Reason;
  EXPECT_FALSE(Results[0]->Judged);
  Results = R.run(Batch, Never);
  EXPECT_EQ(Results[0]->End, Stage::Lower);
  for (size_t I = 1; I < Batch.size(); ++I)
    EXPECT_TRUE(Results[I]->valid()) << Results[I]->Reason;
}
