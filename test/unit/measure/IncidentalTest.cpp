//===- IncidentalTest.cpp - Numbers that change without a result ----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Incidental.h"

#include <gtest/gtest.h>

using namespace gevo::measure;

/// The numbers that are incidental, with a blank behind each.
static std::string incidentalIn(std::string_view Text) {
  std::string All;
  for (size_t I : incidentalNumbers(Text))
    All += std::string(wordsOf(Text)[I].Text) + " ";
  return All;
}

TEST(Incidental, ALabelSaysIt) {
  EXPECT_EQ(incidentalIn("elapsed: 3.4"), "3.4 ");
  EXPECT_EQ(incidentalIn("Elapsed time = 3.4"), "3.4 ");
  EXPECT_EQ(incidentalIn("time for 100 iterations: 3.4"), "100 3.4 ");
  EXPECT_EQ(incidentalIn("kernelTime 3.4"), "3.4 ");
  EXPECT_EQ(incidentalIn("\"kernel_ms\": 3.4, \"sum\": 5"), "3.4 ");
  EXPECT_EQ(incidentalIn("runtime=3.4 energy=5"), "3.4 ");
  EXPECT_EQ(incidentalIn("GB/s: 12, GFLOPS: 8, sum: 5"), "12 8 ");
  EXPECT_EQ(incidentalIn("seed 17; pid 4711; sum 5"), "17 4711 ");
  EXPECT_EQ(incidentalIn("times: 3.4, 3.5, 3.6"), "3.4 3.5 3.6 ");
  EXPECT_EQ(incidentalIn("bandwidth 12, sum 345.2"), "12 ");
}

TEST(Incidental, AUnitSaysIt) {
  EXPECT_EQ(incidentalIn("sum 345.2 in 3.4 ms"), "3.4 ");
  EXPECT_EQ(incidentalIn("sum 345.2 (3.4ms)"), "3.4ms ");
  EXPECT_EQ(incidentalIn("copied 64 MB at 12.5 GB/s"), "12.5 ");
  EXPECT_EQ(incidentalIn("12.5GB/s, 5e3 elements per second, 7"),
            "12.5GB 5e3 ");
  EXPECT_EQ(incidentalIn("1e-3 s"), "1e-3 ");
}

TEST(Incidental, AClockSaysIt) {
  EXPECT_EQ(incidentalIn("Wed Nov 18 20:03:52 UTC 2026\nsum 5"),
            "18 20 03 52 2026 ");
  EXPECT_EQ(incidentalIn("5:0.25 7:0.5"), "") << "an index and a value";
}

TEST(Incidental, ReportsOfBenchmarksAreRead) {
  EXPECT_EQ(
      incidentalIn("Speed= 845.39 GFlop/s, Time= 0.155 msec, Size= 13 Ops"),
      "845.39 0.155 ");
  EXPECT_EQ(incidentalIn("Throughput = 12.3 GB/s, Size = 33 bytes"), "12.3 ");
  EXPECT_EQ(incidentalIn("Kernel Execution Time = 0.345 (s)"), "0.345 ");
  EXPECT_EQ(incidentalIn("Time consumed(ms): 30.4"), "30.4 ");
  EXPECT_EQ(incidentalIn("avg 3.4 us; max 5.6 us; sum 7"), "3.4 5.6 ");
  EXPECT_EQ(incidentalIn("n=100 t_ms=0.5 norm=7"), "0.5 ");
  EXPECT_EQ(incidentalIn("[12:34:56.789] sum=5"), "12 34 56.789 5 ");
  EXPECT_EQ(incidentalIn("steps/s 345, updates per second: 7"), "345 7 ");
}

TEST(Incidental, TheHeadOfAColumnSaysIt) {
  EXPECT_EQ(incidentalIn("n  time (ms)  sum\n100 0.3 5\n200 0.4 7\n"),
            "0.3 0.4 ");
  EXPECT_EQ(incidentalIn("name,ms,sum\na,0.3,5\n"), "0.3 ");
  EXPECT_EQ(incidentalIn("size and its time\n100 0.3\n"), "100 0.3 ")
      << "columns cannot be told";
  EXPECT_EQ(incidentalIn("n sum\n100 0.3\n"), "");
}

TEST(Incidental, AHeadingSaysIt) {
  EXPECT_EQ(incidentalIn("Timings (ms):\n  kernel 0.3\n  copy 5\nResults:\n"
                         "  sum 7\n"),
            "0.3 5 ");
}

TEST(Incidental, ResultsAreNone) {
  EXPECT_EQ(incidentalIn("sum 345.2\nresidual: 1e-5 after 7 iterations\n"), "");
  EXPECT_EQ(incidentalIn("time step 5: energy 3.2"), "");
  EXPECT_EQ(incidentalIn("s = 5, min 0.1 max 0.9"), "");
  EXPECT_EQ(incidentalIn("0.25\n0.5\n"), "");
}

TEST(Incidental, ResultsThatChangeAreWeighedAgainstWhatStays) {
  auto suffices = [](std::string_view Text, const WordSet &Changing) {
    return steadinessOf(Text, Changing, Changing).suffices();
  };
  EXPECT_TRUE(suffices("took 3.4 ms\n", {1}));
  EXPECT_TRUE(suffices("sum 5\ntook 3.4 ms\n", {3}));
  EXPECT_FALSE(suffices("sum 5\ntook 3.4 ms\n", {1, 3}));
  EXPECT_FALSE(suffices("sum of 100 numbers: 5\n", {4}));
  EXPECT_TRUE(suffices("sum 5, product 6, least 3\n", {1}));
  EXPECT_TRUE(suffices("55\n0.0034\n", {1})) << "it may be a time";
  EXPECT_FALSE(suffices("55\n0.0034\n0.0035\n", {1, 2}));
  // What the model of time decides is not compared, but no result.
  Steadiness Is = steadinessOf("sum 5, of launches 7, and 8\n", {1}, {1, 4});
  EXPECT_EQ(Is.Named, 1u);
  EXPECT_EQ(Is.Incidental, 1u);
  EXPECT_EQ(Is.Same, 1u);
  EXPECT_EQ(Is.First, 1u);
}
