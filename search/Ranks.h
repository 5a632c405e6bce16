//===- Ranks.h - Workers on other ranks -------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under mpirun rank 0 searches, and evaluates like every other rank: each has a
// worker of its own, so that what a variant does to its worker is no matter of
// MPI. A rank that falls silent is taken for dead, and rank 0's worker does
// what was its to do; the results are the same whoever evaluates. If rank 0
// falls silent, the others have nobody to work for, and end.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_RANKS_H
#define GEVO_SEARCH_RANKS_H

#include "search/Workers.h"
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace gevo {

/// Messages to and from other ranks. One thread more than the one that uses it
/// may send.
class RankLink {
public:
  virtual ~RankLink();
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// False if it is known that it will not arrive.
  virtual bool send(int To, llvm::StringRef Message) = 0;
  struct Received {
    int From;
    std::string Message;
  };
  /// What is there; does not wait.
  virtual std::optional<Received> receive() = 0;
  /// Last of all, on every rank; waits for all of them, so not if one is lost.
  virtual void end() = 0;

  /// Some rank was taken for dead.
  bool broken() const { return Broken; }
  void setBroken() { Broken = true; }

private:
  bool Broken = false;
};

/// The link to the other ranks if mpirun started this process together with
/// others, else null. An error if it did and there is no library for it.
llvm::Expected<std::unique_ptr<RankLink>> openRanks();

/// How long a rank may be silent.
constexpr unsigned MostSilentSeconds = 30;

/// On rank 0: its own worker \p Local, which has a count of one, and those of
/// the ranks \p Others. \p Lost is told of ranks that are taken for dead.
std::unique_ptr<Workers> rankWorkers(RankLink &Link,
                                     std::unique_ptr<Workers> Local,
                                     std::vector<int> Others,
                                     std::function<void(int)> Lost,
                                     unsigned MostSilent = MostSilentSeconds);

/// On rank 0: tells all other ranks \p Setup, and which of them are ready;
/// waits for all but those that are silent, of which \p Lost is told. The error
/// is the first that one has with it.
llvm::Expected<std::vector<int>>
setUpRanks(RankLink &Link, llvm::StringRef Setup,
           const std::function<void(int)> &Lost,
           unsigned MostSilent = MostSilentSeconds);

/// As long as it exists, tells rank 0, or from rank 0 all others, every second
/// that this rank lives, whatever else it waits for.
class RankSigns {
public:
  explicit RankSigns(RankLink &Link);
  ~RankSigns();

private:
  void give();

  RankLink &Link;
  std::mutex Lock;
  std::condition_variable Changed;
  bool End = false;
  std::thread Sender;
};

/// On rank 0: nothing more to do.
void dismissRanks(RankLink &Link);

/// On the others: waits for the set-up, has \p Start make a worker of it, and
/// works until it is dismissed. The error is that rank 0 is silent.
llvm::Error
serveRank(RankLink &Link,
          const std::function<
              llvm::Expected<std::unique_ptr<Workers>>(llvm::StringRef)> &Start,
          unsigned MostSilent = MostSilentSeconds);

} // namespace gevo

#endif // GEVO_SEARCH_RANKS_H
