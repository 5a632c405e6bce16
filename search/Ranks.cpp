//===- Ranks.cpp - Workers on other ranks ---------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first letter of a message says what it is. To a rank: set-up, work, end,
// alive. From it: ready, refused (with the reason), answer, death (of its
// worker, with the reason), alive.
//
//===----------------------------------------------------------------------===//

#include "search/Ranks.h"
#include "search/AwakeTime.h"
#include <cassert>
#include <chrono>
#include <deque>
#include <map>

using namespace llvm;
using namespace gevo;

RankLink::~RankLink() = default;

using Clock = std::chrono::steady_clock;

static constexpr char SetUp = 's', Work = 'w', End = 'e', Ready = 'y',
                      Refused = 'n', Answer = 'r', Death = 'd', Alive = 'a';

// Shorter than most evaluations.
static constexpr unsigned PauseMilliseconds = 1;

static constexpr std::chrono::seconds BetweenSigns(1);

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
      Others.push_back({Rank, false, false, Silence(BetweenSigns), ""});
  }

  unsigned count() const override { return Others.size() + 1; }
  void send(unsigned Worker, StringRef Message) override;
  Expected<std::optional<Reply>> waitFor(int Milliseconds) override;
  double processorSeconds() const override { return Local->processorSeconds(); }

private:
  struct Other {
    int Rank;
    bool Dead, Busy;
    Silence Quiet;
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
    O.Quiet.heard();
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
      O.Quiet.heard();
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
      if (O.Busy && O.Quiet.soFar() > std::chrono::seconds(MostSilent))
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

Expected<std::vector<int>>
gevo::setUpRanks(RankLink &Link, StringRef Setup,
                 const std::function<void(int)> &Lost, unsigned MostSilent) {
  std::vector<int> Up;
  std::map<int, Silence> Awaited;
  for (int Rank = 1; Rank < Link.size(); ++Rank) {
    Link.send(Rank, message(SetUp, Setup));
    Awaited.try_emplace(Rank, BetweenSigns);
  }
  Pace Asking;
  while (!Awaited.empty()) {
    if (std::optional<RankLink::Received> M = Link.receive()) {
      auto Sender = Awaited.find(M->From);
      if (Sender == Awaited.end())
        continue;
      Sender->second.heard();
      StringRef Text = M->Message;
      if (Text.consume_front(StringRef(&Refused, 1)))
        return createStringError(inconvertibleErrorCode(),
                                 "rank " + Twine(M->From) + ": " + Text);
      if (Text.starts_with(StringRef(&Ready, 1))) {
        Up.push_back(M->From);
        Awaited.erase(Sender);
      }
      continue;
    }
    for (auto I = Awaited.begin(); I != Awaited.end();) {
      bool Dead = I->second.soFar() > std::chrono::seconds(MostSilent);
      if (Dead) {
        Link.setBroken();
        Lost(I->first);
      }
      I = Dead ? Awaited.erase(I) : std::next(I);
    }
    Asking.pause();
  }
  // Workers have the same numbers whichever rank is ready first.
  llvm::sort(Up);
  return Up;
}

RankSigns::RankSigns(RankLink &Link) : Link(Link), Sender([this] { give(); }) {}

void RankSigns::give() {
  std::unique_lock<std::mutex> Hold(Lock);
  while (!Changed.wait_for(Hold, BetweenSigns, [this] { return End; })) {
    if (Link.rank())
      Link.send(0, message(Alive));
    else
      for (int Rank = 1; Rank < Link.size(); ++Rank)
        Link.send(Rank, message(Alive));
  }
}

RankSigns::~RankSigns() {
  {
    std::lock_guard<std::mutex> Hold(Lock);
    End = true;
  }
  Changed.notify_one();
  Sender.join();
}

void gevo::dismissRanks(RankLink &Link) {
  for (int Rank = 1; Rank < Link.size(); ++Rank)
    Link.send(Rank, message(End, Link.broken() ? "broken" : ""));
}

namespace {

/// What another rank than rank 0 does.
class Server {
public:
  using Starter = std::function<Expected<std::unique_ptr<Workers>>(StringRef)>;
  Server(RankLink &Link, const Starter &Start, unsigned MostSilent)
      : Link(Link), Start(Start), MostSilent(MostSilent) {}
  Error serve();

private:
  /// False if that was the end.
  bool obey(StringRef Message);
  void answer();

  RankLink &Link;
  const Starter &Start;
  std::chrono::seconds MostSilent;
  std::unique_ptr<Workers> Worker;
  bool Busy = false;
  Pace Asking;
  Silence OfRankZero{BetweenSigns};
};

} // namespace

bool Server::obey(StringRef Message) {
  OfRankZero.heard();
  StringRef Text = Message.drop_front();
  switch (Message[0]) {
  case Alive:
    return true;
  case SetUp: {
    Expected<std::unique_ptr<Workers>> W = Start(Text);
    Link.send(0,
              W ? message(Ready) : message(Refused, toString(W.takeError())));
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
    return false;
  }
  Asking.heard();
  return true;
}

void Server::answer() {
  Expected<std::optional<Workers::Reply>> R =
      Worker->waitFor(PauseMilliseconds);
  if (R && !*R)
    return;
  Busy = false;
  Asking.heard();
  if (!R)
    Link.send(0, message(Death, toString(R.takeError())));
  else if ((*R)->Text)
    Link.send(0, message(Answer, *(*R)->Text));
  else
    Link.send(0, message(Death, (*R)->Death));
}

Error Server::serve() {
  while (OfRankZero.soFar() < MostSilent) {
    if (std::optional<RankLink::Received> M = Link.receive())
      if (!obey(M->Message))
        return Error::success();
    if (Busy)
      answer();
    else
      Asking.pause();
  }
  Link.setBroken();
  return createStringError(inconvertibleErrorCode(),
                           "rank " + Twine(Link.rank()) +
                               " ends, as rank 0 is silent");
}

Error gevo::serveRank(RankLink &Link, const Server::Starter &Start,
                      unsigned MostSilent) {
  return Server(Link, Start, MostSilent).serve();
}
