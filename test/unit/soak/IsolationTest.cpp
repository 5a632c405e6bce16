//===- IsolationTest.cpp - A child's end does not end the soak ------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A soak can fail only if it notices how its children end.
//
//===----------------------------------------------------------------------===//

#include "test/soak/Isolation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <cstdlib>
#include <new>
#include <unistd.h>

using namespace gevo;
using testing::HasSubstr;

TEST(IsolationTest, WorkThatEndsIsNoNews) {
  EXPECT_EQ(runIsolated([] {}, {}), "");
}

TEST(IsolationTest, WhatAChildWritesReachesTheParent) {
  auto *Shared = new (sharedMemory(sizeof(int))) int(0);
  EXPECT_EQ(runIsolated([&] { *Shared = 7; }, {}), "");
  EXPECT_EQ(*Shared, 7);
}

TEST(IsolationTest, ACrashIsReportedWithItsLastWords) {
  std::string Crash = runIsolated(
      [] {
        fputs("the last words", stderr);
        abort();
      },
      {});
  EXPECT_THAT(Crash, HasSubstr("Aborted"));
  EXPECT_THAT(Crash, HasSubstr("the last words"));
}

TEST(IsolationTest, AnErrorExitIsReported) {
  EXPECT_THAT(runIsolated([] { _exit(3); }, {}), HasSubstr("exited with 3"));
}

TEST(IsolationTest, AnEndlessLoopIsEnded) {
  std::string Crash = runIsolated(
      [] {
        restartClock(1);
        for (volatile unsigned Round = 0;; ++Round) {
        }
      },
      {});
  EXPECT_THAT(Crash, HasSubstr("ended by signal"));
}

TEST(IsolationTest, MemoryIsLimited) {
  IsolationLimits Limits;
  Limits.MemoryBytes = uint64_t(1) << 30;
  std::string Crash = runIsolated(
      [] {
        // Volatile, or the compiler would leave the allocation out.
        void *volatile Memory = malloc(size_t(2) << 30);
        if (!Memory)
          _exit(5);
      },
      Limits);
  EXPECT_THAT(Crash, HasSubstr("exited with 5"));
}
