//===- WorkersTest.cpp - Workers that die ---------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worker that crashes, hangs, ends or takes too much memory costs one
// message.
//
//===----------------------------------------------------------------------===//

#include "search/Workers.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <set>
#include <unistd.h>

using namespace gevo;
using namespace llvm;

static std::string serve(StringRef Message) {
  if (Message == "crash")
    __builtin_trap();
  if (Message == "end")
    _exit(3);
  if (Message == "hang")
    for (;;)
      pause();
  if (Message == "eat")
    return std::to_string(std::string(uint64_t(1) << 30, 'x').size());
  return ("did " + Message).str();
}

static std::unique_ptr<Workers> start(unsigned Count, unsigned Seconds = 1) {
  WorkerLimits Limits;
  Limits.Count = Count;
  Limits.MemoryBytes = uint64_t(100) << 20;
  Limits.Seconds = Seconds;
  return cantFail(forkWorkers(Limits, [] { return Service(serve); }));
}

TEST(Workers, Answer) {
  auto Pool = start(3);
  std::set<std::string> Replies;
  for (unsigned W = 0; W < 3; ++W)
    Pool->send(W, std::to_string(W));
  for (unsigned W = 0; W < 3; ++W) {
    Workers::Reply R = cantFail(Pool->wait());
    EXPECT_EQ(*R.Text, "did " + std::to_string(R.Worker));
    Replies.insert(*R.Text);
  }
  EXPECT_EQ(Replies.size(), 3u);
}

TEST(Workers, CarryLargeMessages) {
  auto Pool = start(1);
  std::string Large(5 << 20, 'y');
  Pool->send(0, Large);
  EXPECT_EQ(*cantFail(Pool->wait()).Text, "did " + Large);
}

TEST(Workers, DieAndAreReplaced) {
  auto Pool = start(2);
  for (StringRef Message : {"crash", "end", "hang"}) {
    Pool->send(0, Message);
    Workers::Reply R = cantFail(Pool->wait());
    EXPECT_EQ(R.Worker, 0u);
    EXPECT_FALSE(R.Text) << Message.str();
    EXPECT_FALSE(R.Death.empty());
    if (Message == "hang")
      EXPECT_EQ(R.Death, "no answer in 1 s");
    Pool->send(0, "again");
    EXPECT_EQ(*cantFail(Pool->wait()).Text, "did again");
  }
}

TEST(Workers, TakeNoMoreMemoryThanTheyMay) {
  auto Pool = start(1, /*Seconds=*/60);
  Pool->send(0, "eat");
  EXPECT_EQ(cantFail(Pool->wait()).Death, "out of memory");
  Pool->send(0, "again");
  EXPECT_EQ(*cantFail(Pool->wait()).Text, "did again");
}

TEST(Workers, CanBeAskedWithoutWaiting) {
  auto Pool = start(1, /*Seconds=*/60);
  Pool->send(0, "hang");
  EXPECT_FALSE(cantFail(Pool->waitFor(1)).has_value());
}
