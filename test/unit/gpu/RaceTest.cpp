//===- RaceTest.cpp - Every race, and nothing but races -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random straight-line kernels of loads, stores, atomics and barriers are run
// with the race check, and a plain model with one vector clock per thread that
// forgets nothing says whether they race. Both must agree. Races through
// fences and flags, and what reports say, are tested by example.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace gevo::gpu;

namespace {

constexpr unsigned Threads = 64, Blocks = 2, All = Threads * Blocks;

/// One instruction, for some threads.
struct Step {
  enum What { Load, Store, VolatileLoad, VolatileStore, Atomic, Barrier, Warp };
  What Do = Load;
  uint32_t Lanes = 0, Warps = 3, OfBlocks = 3; ///< Who executes it.
  unsigned Word = 0, PerLane = 0; ///< Of a lane: Word + Lane * PerLane.
  unsigned Byte = 4;              ///< 0 to 3: that byte; 4: the whole word.

  bool executes(unsigned Thread) const {
    return Lanes >> (Thread % 32) & 1 && Warps >> (Thread / 32 % 2) & 1 &&
           OfBlocks >> (Thread / Threads) & 1;
  }
  unsigned word(unsigned Thread) const { return Word + Thread % 32 * PerLane; }
  uint32_t bytes() const { return Byte < 4 ? 1u << Byte : 15u; }
  bool accesses() const { return Do < Barrier; }
  bool writes() const {
    return Do == Store || Do == VolatileStore || Do == Atomic;
  }
  bool isVolatile() const { return Do == VolatileLoad || Do == VolatileStore; }
  bool strong() const { return isVolatile() || Do == Atomic; }
};

/// The plain model.
class Oracle {
public:
  Oracle(bool Shared, bool InStep) : Shared(Shared), InStep(InStep) {
    for (unsigned T = 0; T < All; ++T) {
      Clock[T].assign(All, 0);
      Clock[T][T] = 1;
    }
  }

  bool races(const std::vector<Step> &Steps) {
    for (unsigned N = 0; N < Steps.size(); ++N) {
      if (Steps[N].accesses())
        access(Steps[N], N);
      else
        synchronise(Steps[N]);
    }
    return Found;
  }

private:
  struct Access {
    const Step *S;
    unsigned Thread, Time, Number;
  };

  void access(const Step &S, unsigned Number) {
    for (unsigned T = 0; T < All; ++T) {
      if (!S.executes(T))
        continue;
      for (const Access &A : Done)
        Found |= race(A, S, T, Number);
      Done.push_back({&S, T, Clock[T][T], Number});
    }
  }

  bool race(const Access &A, const Step &S, unsigned T, unsigned Number) const {
    if (A.Thread == T || A.S->word(A.Thread) != S.word(T) ||
        !(A.S->bytes() & S.bytes()) || !(A.S->writes() || S.writes()))
      return false;
    bool SameBlock = A.Thread / Threads == T / Threads;
    bool SameWarp = A.Thread / 32 == T / 32;
    if (Shared && !SameBlock)
      return false;
    if (A.S->strong() && S.strong() &&
        !(Shared && SameWarp && !InStep && A.S->isVolatile() && S.isVolatile()))
      return false;
    if (InStep && SameWarp && A.Number != Number)
      return false;
    return A.Time > Clock[T][A.Thread];
  }

  void synchronise(const Step &S) {
    // Barriers are of blocks, bar.warp.sync of warps.
    unsigned Group = S.Do == Step::Barrier ? Threads : 32;
    for (unsigned First = 0; First < All; First += Group) {
      std::vector<unsigned> Joint(All, 0);
      for (unsigned T = First; T < First + Group; ++T)
        if (S.executes(T))
          for (unsigned U = 0; U < All; ++U)
            Joint[U] = std::max(Joint[U], Clock[T][U]);
      for (unsigned T = First; T < First + Group; ++T)
        if (S.executes(T)) {
          Clock[T] = Joint;
          Clock[T][T] += 1;
        }
    }
  }

  bool Shared, InStep, Found = false;
  std::vector<unsigned> Clock[All];
  std::vector<Access> Done;
};

class Generator {
public:
  explicit Generator(uint64_t Seed) : Random(Seed) {}

  std::vector<Step> steps(bool Fine) {
    std::vector<Step> All;
    for (unsigned N = 3 + below(6); N; --N)
      All.push_back(below(3) ? access() : sync(Fine));
    return All;
  }

private:
  unsigned below(unsigned N) { return unsigned(Random() % N); }

  Step access() {
    static const Step::What Kinds[] = {
        Step::Load,         Step::Load,          Step::Load,  Step::Store,
        Step::VolatileLoad, Step::VolatileStore, Step::Atomic};
    Step S;
    S.Do = Kinds[below(7)];
    // Few threads, so that races are rare enough to be found or missed.
    for (unsigned N = 1 + below(3); N; --N)
      S.Lanes |= 1u << below(4);
    if (below(6) == 0)
      S.Lanes = ~0u;
    S.Warps = 1 + below(3);
    S.OfBlocks = below(3) ? 1 + below(2) : 3;
    S.PerLane = below(2);
    S.Word = below(3);
    if (S.Do != Step::Atomic && below(3) == 0)
      S.Byte = below(4);
    return S;
  }

  Step sync(bool Fine) {
    Step S;
    S.Do = Fine && below(2) ? Step::Warp : Step::Barrier;
    S.Lanes = ~0u;
    if (S.Do == Step::Warp && below(2)) {
      S.Lanes = below(16) | 1;
      S.Warps = 1 + below(3);
    }
    return S;
  }

  std::mt19937_64 Random;
};

std::string number(uint64_t V) { return std::to_string(V); }

/// PTX of a step; lane, warp and block are in %r1 to %r3.
std::string ptxOf(const Step &S, unsigned Number, bool Shared) {
  if (S.Do == Step::Barrier)
    return "bar.sync 0;\n";
  std::string Text = "shr.u32 %r4, " + number(S.Lanes) + ", %r1;\n" +
                     "shr.u32 %r5, " + number(S.Warps) + ", %r2;\n" +
                     "shr.u32 %r6, " + number(S.OfBlocks) + ", %r3;\n" +
                     "and.b32 %r4, %r4, %r5; and.b32 %r4, %r4, %r6;\n" +
                     "and.b32 %r4, %r4, 1; setp.eq.u32 %p1, %r4, 0;\n" +
                     "@%p1 bra L" + number(Number) + ";\n";
  std::string Space = Shared ? ".shared" : ".global";
  std::string Type = S.Byte < 4 ? ".u8" : ".u32";
  unsigned Offset = 4 * S.Word + (S.Byte < 4 ? S.Byte : 0);
  // Values differ between threads and steps.
  Text += "mul.lo.u32 %r7, %r1, " + number(4 * S.PerLane) + ";\n" +
          "cvt.u64.u32 %rd2, %r7; add.u64 %rd2, %rd2, %rd1;\n" +
          "mad.lo.u32 %r8, %r3, 64, %t; mad.lo.u32 %r8, %r8, 16, " +
          number(Number + 1) + ";\n";
  std::string At = "[%rd2+" + number(Offset) + "]";
  std::string Volatile = S.isVolatile() ? ".volatile" : "";
  switch (S.Do) {
  case Step::Warp:
    Text += "bar.warp.sync " + number(S.Lanes) + ";\n";
    break;
  case Step::Atomic:
    Text += "atom" + Space + ".add.u32 %r9, " + At + ", %r8;\n";
    break;
  case Step::Store:
  case Step::VolatileStore:
    Text += "st" + Volatile + Space + Type + " " + At + ", %r8;\n";
    break;
  default:
    Text += "ld" + Volatile + Space + Type + " %r9, " + At + ";\n";
    break;
  }
  return Text + "L" + number(Number) + ":\n";
}

std::string ptxOf(const std::vector<Step> &Steps, bool Shared) {
  std::string Text =
      "and.b32 %r1, %t, 31; shr.u32 %r2, %t, 5;\n"
      "mov.u32 %r3, %ctaid.x;\n" +
      std::string(Shared ? "mov.u64 %rd1, s;\n" : "mov.u64 %rd1, %out;\n");
  for (unsigned N = 0; N < Steps.size(); ++N)
    Text += ptxOf(Steps[N], N, Shared);
  return Text;
}

class RaceTest : public KernelTest {
protected:
  explicit RaceTest(uint32_t Arch = 70) : KernelTest(Arch) {}

  static bool isRace(FindingKind K) {
    return findingFamily(K) == CheckFamily::Race;
  }

  /// Runs random kernels; returns how many raced.
  unsigned compare(uint64_t Seed, unsigned Count, bool Fine, bool Shared) {
    Generator Make(Seed);
    unsigned Races = 0;
    bool InStep = D.config().SmArch < 70;
    for (unsigned N = 0; N < Count; ++N) {
      std::vector<Step> Steps = Make.steps(Fine);
      std::string Text = ptxOf(Steps, Shared);
      LaunchResult R =
          run(Text, {Threads, 1, 1}, CheckSet::none().with(CheckFamily::Race),
              {Blocks, 1, 1}, ".shared .align 4 .b8 s[512];\n");
      EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
      bool Expected = Oracle(Shared, InStep).races(Steps);
      Races += Expected;
      EXPECT_EQ(!R.Findings.empty(), Expected)
          << Text << (R.Findings.empty() ? "" : R.Findings[0].str());
      for (const Finding &F : R.Findings)
        EXPECT_TRUE(isRace(F.Kind) && F.Other) << F.str();
    }
    return Races;
  }

  /// Kernels with barriers only, then also with bar.warp.sync. GEVO_SOAK=N
  /// compares N of each.
  void compareAll(uint64_t Seed, unsigned Count, bool Shared) {
    if (const char *Soak = std::getenv("GEVO_SOAK"))
      Count = unsigned(std::strtoul(Soak, nullptr, 10));
    for (bool Fine : {false, true}) {
      unsigned Races = compare(Seed + Fine, Count, Fine, Shared);
      // Both outcomes must be common, or nothing is compared.
      EXPECT_GT(Races, Count / 8);
      EXPECT_LT(Races, Count - Count / 8);
    }
  }

  void expectRace(const std::string &Body, Dim3 Block, Dim3 Grid,
                  const std::string &Before = {},
                  FindingKind K = FindingKind::RaceGlobal) {
    LaunchResult R = run(Body, Block, CheckSet::all(), Grid, Before);
    EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
    EXPECT_GE(count(R, K), 1u) << Body;
  }
};

TEST_F(RaceTest, AgreesWithThePlainModelOnGlobalMemory) {
  compareAll(1, 600, false);
}

TEST_F(RaceTest, AgreesWithThePlainModelOnSharedMemory) {
  compareAll(3, 600, true);
}

class RaceInStepTest : public RaceTest {
protected:
  RaceInStepTest() : RaceTest(60) {}
};

TEST_F(RaceInStepTest, AgreesWithThePlainModel) {
  compareAll(5, 300, false);
  compareAll(7, 300, true);
}

TEST_F(RaceTest, BothPartiesAndEveryPairOfLinesAreNamed) {
  // Two threads of different warps read what a third writes without order.
  LaunchResult R = run("setp.eq.u32 %p1, %t, 3;\n"
                       "setp.eq.u32 %p2, %t, 40;\n"
                       "setp.eq.u32 %p3, %t, 70;\n"
                       "@%p1 ld.global.u32 %r1, [%out+8];\n"
                       "@%p2 ld.global.u32 %r1, [%out+8];\n"
                       "@%p3 st.global.u32 [%out+8], 5;",
                       {96, 1, 1});
  ASSERT_EQ(R.Findings.size(), 2u);
  for (unsigned K : {0u, 1u}) {
    const Finding &F = R.Findings[K];
    EXPECT_EQ(F.Kind, FindingKind::RaceGlobal);
    EXPECT_EQ(F.Who.Thread.X, 70u);
    EXPECT_EQ(F.Who.Place.PtxLine, 16u);
    ASSERT_TRUE(F.Other);
    EXPECT_EQ(F.Other->Thread.X, K ? 40u : 3u);
    EXPECT_EQ(F.Other->Place.PtxLine, K ? 15u : 14u);
    EXPECT_EQ(F.Address, Out + 8);
  }
}

TEST_F(RaceTest, ManyReadersAreAllRemembered) {
  // Each of 64 threads reads the word; bar.warp.sync of pairs lets thread 0
  // know of all lanes of its warp but the last.
  std::string Body = "ld.global.u32 %r1, [%out];\n"
                     "setp.ge.u32 %p2, %t, 32; @%p2 bra E;\n"
                     "setp.eq.u32 %p3, %t, 31; @%p3 bra E;\n"
                     "bar.warp.sync 0x7fffffff;\n"
                     "setp.ne.u32 %p1, %t, 0; @%p1 bra E;\n"
                     "st.global.u32 [%out], 1;\nE:";
  LaunchResult R = run(Body, {32, 1, 1});
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].Other->Thread.X, 31u);
  // One thread fewer, no race.
  runClean(Body, {31, 1, 1});
}

TEST_F(RaceTest, BytesOfAWordAreTheirOwn) {
  std::string Write = "add.u64 %rd1, %out, 0; cvt.u64.u32 %rd2, %t;\n"
                      "add.u64 %rd1, %rd1, %rd2; st.global.u8 [%rd1], %t;\n";
  runClean(Write);
  // Four threads read a byte each, a fifth writes one of them.
  std::string Read = "setp.ge.u32 %p1, %t, 4; @%p1 bra W;\n"
                     "cvt.u64.u32 %rd2, %t; add.u64 %rd1, %out, %rd2;\n"
                     "ld.global.u8 %r1, [%rd1]; bra E;\n"
                     "W: setp.ne.u32 %p1, %t, 9; @%p1 bra E;\n";
  expectRace(Read + "st.global.u8 [%out+1], 7;\nE:", {32, 1, 1}, {1, 1, 1});
  runClean(Read + "st.global.u8 [%out+4], 7;\nE:", {32, 1, 1}, {1, 1, 1});
}

TEST_F(RaceTest, AtomicsRaceWithPlainAccessesOnly) {
  runClean("atom.global.add.u32 %r1, [%out], 1;", {64, 1, 1}, {2, 1, 1});
  expectRace("setp.eq.u32 %p1, %t, 0; @%p1 st.global.u32 [%out], 9;\n"
             "atom.global.add.u32 %r1, [%out], 1;",
             {64, 1, 1}, {1, 1, 1});
  // Those of a block's scope do not reach other blocks.
  runClean("atom.cta.global.add.u32 %r1, [%out], 1;", {64, 1, 1});
  expectRace("atom.cta.global.add.u32 %r1, [%out], 1;", {64, 1, 1}, {2, 1, 1});
}

TEST_F(RaceTest, WhatASwapComparesMayBeAPlainLoad) {
  auto Loop = [](const std::string &Load, const std::string &Copy) {
    return "add.u64 %rd1, %out, 8;\n" + Load + "\nmov.b32 %r2, " + Copy +
           ";\nL: add.u32 %r3, %r2, 1;\n"
           "atom.global.cas.b32 %r4, [%rd1+4], %r2, %r3;\n"
           "setp.ne.b32 %p1, %r4, %r2; mov.b32 %r2, %r4;\n"
           "@%p1 bra L;";
  };
  Dim3 Two{2, 1, 1};
  runClean(Loop("ld.global.u32 %r1, [%out+12];", "%r1"), {64, 1, 1}, Two);
  // Compared with something else, or of another place or size.
  expectRace(Loop("ld.global.u32 %r1, [%out+12];", "7"), {64, 1, 1}, Two);
  expectRace(Loop("ld.global.u8 %r1, [%out+12];", "%r1"), {64, 1, 1}, Two);
  expectRace(Loop("ld.global.v2.u32 {%r5, %r1}, [%out+8];", "%r1"), {64, 1, 1},
             Two);
  // A plain write is a race whatever was read.
  expectRace(Loop("ld.global.u32 %r1, [%out+12];\n"
                  "setp.eq.u32 %p2, %t, 3; @%p2 st.global.u32 [%out+12], 9;",
                  "%r1"),
             {64, 1, 1}, {1, 1, 1});
}
TEST_F(RaceTest, ShufflesOrderNoMemory) {
  const char *Shared = ".shared .align 4 .b8 s[128];\n";
  auto Body = [](const std::string &Between) {
    return "mov.u32 %r2, s; mad.lo.u32 %r2, %t, 4, %r2;\n"
           "st.shared.u32 [%r2], %t;\n" +
           Between +
           "\nxor.b32 %r3, %t, 1; mov.u32 %r4, s;\n"
           "mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r5, [%r4];";
  };
  for (const char *Between : {"shfl.sync.idx.b32 %r6, %t, 0, 31, 0xffffffff;",
                              "vote.sync.ballot.b32 %r6, %p1, 0xffffffff;",
                              "match.any.sync.b32 %r6, %t, 0xffffffff;",
                              "redux.sync.add.u32 %r6, %t, 0xffffffff;"})
    expectRace(Body(Between), {32, 1, 1}, {1, 1, 1}, Shared,
               FindingKind::RaceShared);
  runClean(Body("bar.warp.sync 0xffffffff;"), {32, 1, 1}, {1, 1, 1}, Shared);
  // Pairs that synchronise among themselves are enough here.
  runClean(Body("and.b32 %r6, %t, 30; shl.b32 %r6, 3, %r6;\n"
                "bar.warp.sync %r6;"),
           {32, 1, 1}, {1, 1, 1}, Shared);
}

TEST_F(RaceTest, ThoseWhoOnlyArriveLearnNothing) {
  const char *Shared = ".shared .align 4 .b8 s[128];\n";
  auto Body = [](const std::string &After) {
    return "setp.lt.u32 %p1, %t, 32; @%p1 bra P;\n"
           "setp.eq.u32 %p2, %t, 32; @%p2 ld.shared.u32 %r1, [s+8];\n"
           "bar.sync 5, 64; @%p2 ld.shared.u32 %r1, [s]; bra E;\n"
           "P: setp.eq.u32 %p2, %t, 0; @%p2 st.shared.u32 [s], 77;\n"
           "bar.arrive 5, 64;\n" +
           After + "\nE:";
  };
  CheckSet Race = CheckSet::none().with(CheckFamily::Race);
  EXPECT_EQ(run(Body(""), {64, 1, 1}, Race, {1, 1, 1}, Shared).Findings.size(),
            0u);
  // After it arrived it must not touch what the others read, before or after.
  for (const char *After :
       {"@%p2 st.shared.u32 [s], 78;", "@%p2 st.shared.u32 [s+8], 78;"})
    EXPECT_EQ(count(run(Body(After), {64, 1, 1}, Race, {1, 1, 1}, Shared),
                    FindingKind::RaceShared),
              1u)
        << After;
}

TEST_F(RaceTest, WhatIsNotWatchedIsSaid) {
  auto M = D.load(module("st.global.u32 [%mine], %t;"));
  ASSERT_TRUE(M);
  LaunchOptions O;
  O.Block = {32, 1, 1};
  O.Params = &Out;
  O.ParamBytes = 8;
  O.Checks = CheckSet::all();
  O.RaceBytes = 1000;
  LaunchResult R = D.launch(*(*M)->kernel("k"), O);
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].Kind, FindingKind::RaceUnchecked);
  EXPECT_TRUE(R.clean());
}

TEST_F(RaceTest, MemoryThatIsAllocatedAgainIsNew) {
  runClean("{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64;\n"
           "call (r), malloc, (n); ld.param.b64 %rd1, [r]; }\n"
           "st.u32 [%rd1], %t;\n"
           "{ .param .b64 p; st.param.b64 [p], %rd1; call free, (p); }",
           {32, 1, 1}, {200, 1, 1},
           ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
           ".extern .func free(.param .b64 p);\n");
}

} // namespace
