//===- RanksTest.cpp - Workers on other ranks -----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/Ranks.h"
#include "gtest/gtest.h"
#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

using namespace gevo;
using namespace llvm;

namespace {

/// Mailboxes of ranks that are threads.
struct Post {
  explicit Post(int Size) : Boxes(Size), Dead(Size) {}
  std::mutex Lock;
  std::vector<std::deque<RankLink::Received>> Boxes;
  /// Whose messages vanish, both ways.
  std::vector<std::atomic<bool>> Dead;
};

class ThreadLink : public RankLink {
public:
  ThreadLink(Post &P, int Rank) : P(P), Rank(Rank) {}
  int rank() const override { return Rank; }
  int size() const override { return P.Boxes.size(); }
  bool send(int To, StringRef Message) override {
    std::lock_guard<std::mutex> Guard(P.Lock);
    // The end reaches everyone, or no test would end.
    if ((!P.Dead[To] && !P.Dead[Rank]) || Message.starts_with("e"))
      P.Boxes[To].push_back({Rank, Message.str()});
    return true;
  }
  std::optional<Received> receive() override {
    std::lock_guard<std::mutex> Guard(P.Lock);
    if (P.Boxes[Rank].empty())
      return std::nullopt;
    Received R = std::move(P.Boxes[Rank].front());
    P.Boxes[Rank].pop_front();
    return R;
  }
  void end() override {}

private:
  Post &P;
  int Rank;
};

/// Answers at once, in this thread.
class Echo : public Workers {
public:
  explicit Echo(std::string Name) : Name(std::move(Name)) {}
  unsigned count() const override { return 1; }
  void send(unsigned, StringRef Message) override { Last = Message.str(); }
  Expected<std::optional<Reply>> waitFor(int) override {
    Reply R;
    if (Last == "die")
      R.Death = "it was asked to";
    else
      R.Text = Name + " did " + Last;
    return R;
  }

private:
  std::string Name, Last;
};

/// Rank 0 with others in threads of their own.
class Ranks : public testing::Test {
protected:
  void start(int Size) {
    P = std::make_unique<Post>(Size);
    Link = std::make_unique<ThreadLink>(*P, 0);
    Signs = std::make_unique<RankSigns>(*Link);
    for (int Rank = 1; Rank < Size; ++Rank)
      Threads.emplace_back([this, Rank] {
        ThreadLink Own(*P, Rank);
        RankSigns OwnSigns(Own);
        auto Start =
            [Rank](StringRef Setup) -> Expected<std::unique_ptr<Workers>> {
          if (Setup == "bad")
            return createStringError(inconvertibleErrorCode(), "it is bad");
          return std::make_unique<Echo>((Setup + Twine(Rank)).str());
        };
        if (Error E = serveRank(Own, Start, MostSilent)) {
          std::lock_guard<std::mutex> Guard(P->Lock);
          Ends.insert(toString(std::move(E)));
        }
      });
  }
  void TearDown() override {
    dismissRanks(*Link);
    for (std::thread &T : Threads)
      T.join();
  }
  std::unique_ptr<Workers> workers() {
    auto Lose = [this](int Rank) { Lost.insert(Rank); };
    return rankWorkers(*Link, std::make_unique<Echo>("local"),
                       cantFail(setUpRanks(*Link, "rank", Lose, MostSilent)),
                       Lose, MostSilent);
  }

  unsigned MostSilent = 60;
  std::unique_ptr<Post> P;
  std::unique_ptr<ThreadLink> Link;
  std::unique_ptr<RankSigns> Signs;
  std::vector<std::thread> Threads;
  std::set<int> Lost;
  /// What those say that end before they are dismissed.
  std::set<std::string> Ends;
};

} // namespace

TEST_F(Ranks, EvaluateForRankZero) {
  start(3);
  auto W = workers();
  ASSERT_EQ(W->count(), 3u);
  for (unsigned I = 0; I < 3; ++I)
    W->send(I, "it");
  std::set<std::string> Replies;
  for (unsigned I = 0; I < 3; ++I)
    Replies.insert(*cantFail(W->wait()).Text);
  EXPECT_EQ(Replies, (std::set<std::string>{"local did it", "rank1 did it",
                                            "rank2 did it"}));
}

TEST_F(Ranks, TellHowTheirWorkersDie) {
  start(2);
  auto W = workers();
  W->send(1, "die");
  Workers::Reply R = cantFail(W->wait());
  EXPECT_EQ(R.Worker, 1u);
  EXPECT_FALSE(R.Text);
  EXPECT_EQ(R.Death, "it was asked to");
}

TEST_F(Ranks, ThatFallSilentCostNothing) {
  MostSilent = 4;
  start(3);
  auto W = workers();
  P->Dead[2] = true;
  for (unsigned I = 0; I < 3; ++I)
    W->send(I, "it");
  std::set<std::pair<unsigned, std::string>> Replies;
  for (unsigned I = 0; I < 3; ++I) {
    Workers::Reply R = cantFail(W->wait());
    Replies.insert({R.Worker, *R.Text});
  }
  EXPECT_EQ(Replies,
            (std::set<std::pair<unsigned, std::string>>{{0, "local did it"},
                                                        {1, "rank1 did it"},
                                                        {2, "local did it"}}));
  EXPECT_EQ(Lost, (std::set<int>{2}));
  EXPECT_TRUE(Link->broken());
  W->send(2, "more");
  EXPECT_EQ(*cantFail(W->wait()).Text, "local did more");
}

// As rank 0 was, too: a process that was stopped with all others has heard
// nothing of them, and they nothing of it.
TEST_F(Ranks, AreNotSilentWhileRankZeroSleeps) {
  MostSilent = 2;
  start(2);
  auto W = workers();
  P->Dead[1] = true;
  W->send(1, "it");
  EXPECT_FALSE(cantFail(W->waitFor(100)));
  // Nobody looks at the time meanwhile.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  EXPECT_FALSE(cantFail(W->waitFor(100)));
  EXPECT_EQ(Lost, std::set<int>());
  EXPECT_EQ(*cantFail(W->wait()).Text, "local did it");
  EXPECT_EQ(Lost, std::set<int>({1}));
}

TEST_F(Ranks, SayWhatIsWrongWithTheSetup) {
  start(2);
  EXPECT_EQ(toString(setUpRanks(*Link, "bad", [](int) {}).takeError()),
            "rank 1: it is bad");
}

// One that is dead before there is anything to do keeps nobody waiting, neither
// now nor at the end.
TEST_F(Ranks, ThatAreDeadAtTheStartAreLeftOut) {
  MostSilent = 4;
  start(3);
  P->Dead[1] = true;
  auto W = workers();
  EXPECT_EQ(W->count(), 2u);
  EXPECT_EQ(Lost, (std::set<int>{1}));
  EXPECT_TRUE(Link->broken());
  W->send(1, "it");
  EXPECT_EQ(*cantFail(W->wait()).Text, "rank2 did it");
}

TEST_F(Ranks, EndWhenRankZeroIsSilent) {
  MostSilent = 4;
  start(2);
  auto W = workers();
  Signs.reset();
  Threads[0].join();
  Threads.clear();
  EXPECT_EQ(Ends, (std::set<std::string>{"rank 1 ends, as rank 0 is silent"}));
}
