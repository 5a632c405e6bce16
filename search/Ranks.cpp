//===- Ranks.cpp - Workers on other ranks ---------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first letter of a message says what it is. To a rank: set-up, work, end.
// From it: ready, refused (with the reason), answer, death (of its worker, with
// the reason), alive.
//
//===----------------------------------------------------------------------===//

#include "search/Ranks.h"
#include <cassert>
#include <chrono>
#include <deque>
#include <thread>

using namespace llvm;
using namespace gevo;

RankLink::~RankLink() = default;

using Clock = std::chrono::steady_clock;

static constexpr char SetUp = 's', Work = 'w', End = 'e', Ready = 'y',
                      Refused = 'n', Answer = 'r', Death = 'd', Alive = 'a';

// Shorter than most evaluations.
static constexpr unsigned PauseMilliseconds = 1;

static std::string message(char Kind, StringRef Text = "") {
  return std::string(1, Kind) + Text.str();
}

namespace {

/// MPI has to be asked again and again. Where evaluations are short the next
/// message is near, and a millisecond would be a part of each.
class Pace {
public:
  void heard() { Last = Clock::now(); }
  bool isQuick() const {
    return Clock::now() - Last < std::chrono::milliseconds(20);
  }
  void pause() const {
    std::this_thread::sleep_for(
        isQuick() ? std::chrono::microseconds(100)
                  : std::chrono::milliseconds(PauseMilliseconds));
  }

private:
  Clock::time_point Last = Clock::now();
};

class RankWorkers : public Workers {
public:
  RankWorkers(RankLink &Link, std::unique_ptr<Workers> Local,
              std::vector<int> Ranks, std::function<void(int)> Lost,
              unsigned MostSilent)
      : Link(Link), Local(std::move(Local)), Lost(std::move(Lost)),
        MostSilent(MostSilent) {
    for (int Rank : Ranks)
      Others.push_back({Rank, false, false, Clock::now(), ""});
  }

  unsigned count() const override { return Others.size() + 1; }
  void send(unsigned Worker, StringRef Message) override;
  Expected<std::optional<Reply>> waitFor(int Milliseconds) override;
  double processorSeconds() const override { return Local->processorSeconds(); }

private:
  struct Other {
    int Rank;
    bool Dead, Busy;
    Clock::time_point Heard;
    /// What it is doing.
    std::string Message;
  };

  std::optional<Reply> receive();
  void lose(Other &O);

  RankLink &Link;
  std::unique_ptr<Workers> Local;
  std::function<void(int)> Lost;
  unsigned MostSilent;
  std::vector<Other> Others;
  Pace Asking;
  /// For Local: for whom, and what. The first is under way.
  std::deque<std::pair<unsigned, std::string>> Queue;
};

} // namespace

void RankWorkers::send(unsigned Worker, StringRef Message) {
  if (Worker && !Others[Worker - 1].Dead) {
    Other &O = Others[Worker - 1];
    assert(!O.Busy && "a worker does one thing at a time");
    O.Busy = true;
    O.Heard = Clock::now();
    O.Message = Message.str();
    if (!Link.send(O.Rank, message(Work, Message)))
      lose(O);
    return;
  }
  Queue.emplace_back(Worker, Message.str());
  if (Queue.size() == 1)
    Local->send(0, Message);
}

// What it was doing goes to the local worker.
void RankWorkers::lose(Other &O) {
  O.Dead = true;
  Link.setBroken();
  Lost(O.Rank);
  if (O.Busy)
    send(1 + (&O - Others.data()), O.Message);
  O.Busy = false;
}

std::optional<Workers::Reply> RankWorkers::receive() {
  while (std::optional<RankLink::Received> M = Link.receive()) {
    for (unsigned I = 0; I < Others.size(); ++I) {
      Other &O = Others[I];
      if (O.Rank != M->From || O.Dead)
        continue;
      O.Heard = Clock::now();
      char Kind = M->Message.empty() ? 0 : M->Message[0];
      if (!O.Busy || (Kind != Answer && Kind != Death))
        continue;
      O.Busy = false;
      Reply R;
      R.Worker = I + 1;
      if (Kind == Answer)
        R.Text = M->Message.substr(1);
      else
        R.Death = M->Message.substr(1);
      return R;
    }
  }
  return std::nullopt;
}

Expected<std::optional<Workers::Reply>> RankWorkers::waitFor(int Milliseconds) {
  auto Until = Clock::now() + std::chrono::milliseconds(Milliseconds);
  do {
    if (std::optional<Reply> R = receive()) {
      Asking.heard();
      return R;
    }
    for (Other &O : Others)
      if (O.Busy && Clock::now() - O.Heard > std::chrono::seconds(MostSilent))
        lose(O);
    if (Queue.empty()) {
      Asking.pause();
      continue;
    }
    // Alone it need not ask.
    bool Quick = Asking.isQuick() && !Others.empty();
    Expected<std::optional<Reply>> R =
        Local->waitFor(Quick ? 0 : PauseMilliseconds);
    if (!R)
      return R.takeError();
    if (!*R) {
      if (Quick)
        Asking.pause();
      continue;
    }
    (*R)->Worker = Queue.front().first;
    Queue.pop_front();
    if (!Queue.empty())
      Local->send(0, Queue.front().second);
    return R;
  } while (Milliseconds < 0 || Clock::now() < Until);
  return std::nullopt;
}

std::unique_ptr<Workers> gevo::rankWorkers(RankLink &Link,
                                           std::unique_ptr<Workers> Local,
                                           std::vector<int> Others,
                                           std::function<void(int)> Lost,
                                           unsigned MostSilent) {
  assert(Local->count() == 1 && "what a rank does is one thing at a time");
  return std::make_unique<RankWorkers>(
      Link, std::move(Local), std::move(Others), std::move(Lost), MostSilent);
}

Expected<std::vector<int>> gevo::setUpRanks(RankLink &Link, StringRef Setup,
                                            unsigned Seconds) {
  std::vector<int> Up;
  for (int Rank = 1; Rank < Link.size(); ++Rank)
    Link.send(Rank, message(SetUp, Setup));
  Pace Asking;
  auto Until = Clock::now() + std::chrono::seconds(Seconds);
  while (int(Up.size()) + 1 < Link.size() && Clock::now() < Until) {
    std::optional<RankLink::Received> M = Link.receive();
    if (!M) {
      Asking.pause();
      continue;
    }
    StringRef Text = M->Message;
    if (Text.consume_front(StringRef(&Refused, 1)))
      return createStringError(inconvertibleErrorCode(),
                               "rank " + Twine(M->From) + ": " + Text);
    if (Text.starts_with(StringRef(&Ready, 1)))
      Up.push_back(M->From);
  }
  // Workers have the same numbers whichever rank is ready first.
  llvm::sort(Up);
  return Up;
}

void gevo::dismissRanks(RankLink &Link) {
  for (int Rank = 1; Rank < Link.size(); ++Rank)
    Link.send(Rank, message(End, Link.broken() ? "broken" : ""));
}

void gevo::serveRank(
    RankLink &Link,
    const std::function<Expected<std::unique_ptr<Workers>>(StringRef)> &Start) {
  std::unique_ptr<Workers> Worker;
  bool Busy = false;
  auto LastSign = Clock::now();
  Pace Asking;
  while (true) {
    if (std::optional<RankLink::Received> M = Link.receive()) {
      Asking.heard();
      StringRef Text = StringRef(M->Message).drop_front();
      switch (M->Message[0]) {
      case SetUp: {
        Expected<std::unique_ptr<Workers>> W = Start(Text);
        Link.send(0, W ? message(Ready)
                       : message(Refused, toString(W.takeError())));
        if (W)
          Worker = std::move(*W);
        break;
      }
      case Work:
        assert(Worker && !Busy && "first ready, then one thing at a time");
        Worker->send(0, Text);
        Busy = true;
        break;
      case End:
        if (!Text.empty())
          Link.setBroken();
        return;
      }
    }
    if (Clock::now() - LastSign > std::chrono::seconds(1)) {
      LastSign = Clock::now();
      Link.send(0, message(Alive));
    }
    if (!Busy) {
      Asking.pause();
      continue;
    }
    Expected<std::optional<Workers::Reply>> R =
        Worker->waitFor(PauseMilliseconds);
    if (R && !*R)
      continue;
    Busy = false;
    Asking.heard();
    if (!R)
      Link.send(0, message(Death, toString(R.takeError())));
    else if ((*R)->Text)
      Link.send(0, message(Answer, *(*R)->Text));
    else
      Link.send(0, message(Death, (*R)->Death));
  }
}
