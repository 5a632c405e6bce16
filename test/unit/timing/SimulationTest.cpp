//===- SimulationTest.cpp - The simulator on hand-made traces -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of a few micro-operations, repeated, whose time follows from the
// profile: latency of chains, throughput of pipes, the levels of memory, bank
// conflicts, barriers, occupancy. No PTX is involved.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Simulation.h"

#include <gtest/gtest.h>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

Profile v100() {
  Result<Profile> P = findProfile("V100", {GEVO_PROFILE_FOLDER});
  EXPECT_TRUE(P);
  return *P;
}

/// A kernel written as micro-operations, and the trace of one warp.
struct Program {
  CostFunction F;
  WarpTrace T;
  std::vector<bool> Accesses;
  std::vector<TraceAccess> Records;

  explicit Program(unsigned Registers) { F.NumRegisters = Registers; }

  void op(Unit Pipe, UopKind Kind, unsigned Latency,
          std::vector<uint16_t> Sources, std::vector<uint16_t> Results,
          unsigned Flags = 0) {
    Uop U;
    U.Pipe = Pipe;
    U.Kind = Kind;
    U.Latency = uint16_t(Latency);
    U.Flags = uint16_t(Flags);
    U.Instruction = uint32_t(F.FirstUop.size());
    F.FirstUop.push_back(uint32_t(F.Uops.size()));
    F.add(U, Sources, Results);
    Accesses.push_back(Pipe == Unit::Memory);
  }

  void access(TraceSpace Space, unsigned Degree,
              std::vector<uint64_t> Sectors) {
    TraceAccess A;
    A.Space = Space;
    A.BytesPerLane = 4;
    A.Degree = uint16_t(Degree);
    A.Mask = ~0u;
    A.FirstLine = uint32_t(T.Lines.size());
    A.NumSectors = uint16_t(Sectors.size());
    for (uint64_t S : Sectors) {
      if (A.NumLines == 0 || lineOf(T.Lines.back()) != S / 4) {
        T.Lines.push_back(traceLine(S / 4, 0));
        ++A.NumLines;
      }
      T.Lines.back() |= 1u << S % 4;
    }
    Records.push_back(A);
  }

  CostProgram code() {
    CostFunction G = F;
    G.FirstUop.push_back(uint32_t(G.Uops.size()));
    G.RegionAt.assign(Accesses.size(), NoIndex);
    uint32_t N = 0;
    for (bool A : Accesses) {
      G.AccessesBefore.push_back(N);
      N += A;
    }
    G.AccessesBefore.push_back(N);
    CostProgram C;
    C.Functions.push_back(G);
    C.RegistersPerThread = 32;
    C.finish();
    return C;
  }

  BlockTrace block(unsigned Warps) {
    WarpTrace One = T;
    TraceRun R;
    R.Count = uint32_t(Accesses.size());
    R.Mask = ~0u;
    BlockTrace B;
    B.Table = std::make_shared<TraceTable>();
    One.Runs.push_back(B.Table->intern(R, Records.data(), Records.size()));
    B.Warps.assign(Warps, One);
    return B;
  }
};

LaunchTiming run(const Profile &P, Program &Kernel, unsigned Warps,
                 unsigned Blocks = 1, uint32_t SharedBytes = 0) {
  CostProgram C = Kernel.code();
  BlockTrace B = Kernel.block(Warps);
  MemorySystem M(P);
  LaunchShape Shape;
  Shape.Blocks = Blocks;
  Shape.ThreadsPerBlock = Warps * 32;
  Shape.SharedBytes = SharedBytes;
  unsigned Given = 0;
  return simulate(P, C, Shape, M, [&](BlockTrace &Out) {
    if (Given == Blocks)
      return false;
    Out = B;
    Out.BlockIndex = Given++;
    return true;
  });
}

/// Cycles per repetition, from two lengths, so that start and end cancel.
template <typename Fill>
double perStep(const Profile &P, Fill Make, unsigned Warps = 1) {
  Program Short = Make(100), Long = Make(300);
  uint64_t A = run(P, Short, Warps).Cycles, B = run(P, Long, Warps).Cycles;
  return double(B - A) / 200;
}

TEST(Simulation, DependentChainTakesTheLatency) {
  Profile P = v100();
  auto Chain = [&](unsigned N) {
    Program K(2);
    for (unsigned I = 0; I < N; ++I)
      K.op(Unit::Fp32, UopKind::Alu, 4, {0, 1}, {0});
    return K;
  };
  EXPECT_EQ(perStep(P, Chain), 4);
}

TEST(Simulation, IndependentOnesTakeTheInterval) {
  Profile P = v100();
  for (Unit U : {Unit::Fp32, Unit::Int, Unit::Fp64, Unit::Special}) {
    auto Flood = [&](unsigned N) {
      Program K(2);
      for (unsigned I = 0; I < N; ++I)
        K.op(U, UopKind::Alu, 4, {0}, {1});
      return K;
    };
    // Eight warps on four schedulers: two share a pipe.
    EXPECT_EQ(perStep(P, Flood, 8), 2.0 * P.pipe(U).Interval) << unitName(U);
  }
}

TEST(Simulation, TwoPipesOverlap) {
  Profile P = v100();
  auto Both = [&](unsigned N) {
    Program K(4);
    for (unsigned I = 0; I < N; ++I) {
      K.op(Unit::Fp32, UopKind::Alu, 4, {0}, {1});
      K.op(Unit::Int, UopKind::Alu, 4, {2}, {3});
    }
    return K;
  };
  // One issue slot a cycle feeds both half-rate pipes.
  EXPECT_EQ(perStep(P, Both, 4), 2);
}

TEST(Simulation, FreeOnesCostNothing) {
  Profile P = v100();
  auto Copies = [&](unsigned N) {
    Program K(2);
    for (unsigned I = 0; I < N; ++I) {
      K.op(Unit::Fp32, UopKind::Alu, 4, {0}, {1});
      K.op(Unit::None, UopKind::Free, 0, {1}, {0});
    }
    return K;
  };
  EXPECT_EQ(perStep(P, Copies), 4);
}

TEST(Simulation, SharedLatencyAndBankConflicts) {
  Profile P = v100();
  for (unsigned Degree : {1u, 2u, 4u, 8u, 16u, 32u}) {
    auto Chase = [&](unsigned N) {
      Program K(1);
      for (unsigned I = 0; I < N; ++I) {
        K.op(Unit::Memory, UopKind::Load, 0, {0}, {0});
        K.access(TraceSpace::Shared, Degree, {});
      }
      return K;
    };
    EXPECT_EQ(perStep(P, Chase),
              P.SharedLatency + (Degree - 1) * P.SharedConflictLatency);
  }
}

/// A chase that visits \p Footprint bytes again and again.
Program chase(unsigned N, uint64_t Footprint) {
  Program K(1);
  uint64_t Sectors = Footprint / 32;
  for (unsigned I = 0; I < N; ++I) {
    K.op(Unit::Memory, UopKind::Load, 0, {0}, {0});
    K.access(TraceSpace::Global, 0, {uint64_t(I) % Sectors});
  }
  return K;
}

TEST(Simulation, LevelsOfMemory) {
  Profile P = v100();
  // The first round of a footprint misses everywhere, later ones hit.
  auto Steady = [&](uint64_t Footprint) {
    unsigned Round = unsigned(Footprint / 32);
    Program A = chase(2 * Round, Footprint), B = chase(3 * Round, Footprint);
    return double(run(P, B, 1).Cycles - run(P, A, 1).Cycles) / Round;
  };
  EXPECT_EQ(Steady(4096), P.L1Latency);
  EXPECT_NEAR(Steady(512 * 1024), P.L2Latency, 2);
  Program Cold = chase(1000, 32000);
  EXPECT_NEAR(double(run(P, Cold, 1).Cycles) / 1000, P.DramLatency, 2);
}

TEST(Simulation, MergedMissesWaitForOneFill) {
  Profile P = v100();
  Program K(3);
  for (uint16_t R : {0, 1}) {
    K.op(Unit::Memory, UopKind::Load, 0, {}, {R});
    K.access(TraceSpace::Global, 0, {7});
  }
  K.op(Unit::Fp32, UopKind::Alu, 4, {0, 1}, {2});
  LaunchTiming T = run(P, K, 1);
  EXPECT_EQ(T.Memory.DramReads, 1u);
  EXPECT_LE(T.Cycles, P.BlockLaunch + P.DramLatency + 8);
}

TEST(Simulation, BarrierWaitsForTheSlowest) {
  Profile P = v100();
  Program K(2);
  K.op(Unit::Barrier, UopKind::Barrier, 0, {}, {});
  K.op(Unit::Fp32, UopKind::Alu, 4, {0}, {1});
  uint64_t One = run(P, K, 1).Cycles, Many = run(P, K, 16).Cycles;
  EXPECT_GE(One, P.BlockLaunch + P.pipe(Unit::Barrier).Latency);
  EXPECT_GT(Many, One);
  // Two cycles for each warp more.
  EXPECT_GE(Many, One + 30);
  EXPECT_LT(Many, One + 40);
}

TEST(Simulation, UnmatchedBarrierEnds) {
  Profile P = v100();
  Program K(2);
  K.op(Unit::Barrier, UopKind::Barrier, 33, {}, {}, FlagBarrierId | 1 << 8);
  K.op(Unit::Fp32, UopKind::Alu, 4, {0}, {1});
  EXPECT_GT(run(P, K, 2).Cycles, 0u);
}

TEST(Simulation, FenceWaitsForStores) {
  Profile P = v100();
  Program K(1);
  K.op(Unit::Memory, UopKind::Store, 0, {0}, {});
  K.access(TraceSpace::Global, 0, {1});
  K.op(Unit::Branch, UopKind::Fence, 1, {}, {});
  K.op(Unit::Fp32, UopKind::Alu, 4, {0}, {0});
  EXPECT_GE(run(P, K, 1).Cycles, P.L2Latency);
}

TEST(Simulation, LaunchEndsWhenItsWritesAreDone) {
  Profile P = v100();
  Program Store(1), Reduce(1);
  Store.op(Unit::Memory, UopKind::Store, 0, {0}, {});
  Store.access(TraceSpace::Global, 0, {1});
  EXPECT_GE(run(P, Store, 1).Cycles, P.L2Latency);
  Reduce.op(Unit::Memory, UopKind::Reduce, 0, {0}, {});
  Reduce.access(TraceSpace::Global, 32, {1});
  EXPECT_GE(run(P, Reduce, 1).Cycles, P.AtomicLatency + 31 * P.AtomicStep);
}

TEST(Simulation, WritesLeaveOverThePort) {
  Profile P = v100();
  auto Stores = [&](unsigned N) {
    Program K(1);
    for (unsigned I = 0; I < N; ++I) {
      K.op(Unit::Memory, UopKind::Store, 0, {0}, {});
      K.access(TraceSpace::Global, 0, {4 * I, 4 * I + 1, 4 * I + 2, 4 * I + 3});
    }
    return run(P, K, 8).Cycles;
  };
  double PerStore = double(Stores(300) - Stores(100)) / (200 * 8);
  EXPECT_NEAR(PerStore, 128.0 / double(P.PortBytesPerCycle), 0.1);
}

TEST(Simulation, ContendedAtomicsSerialise) {
  Profile P = v100();
  auto Adds = [&](unsigned Degree) {
    Program K(1);
    for (unsigned I = 0; I < 200; ++I) {
      K.op(Unit::Memory, UopKind::Reduce, 0, {0}, {});
      K.access(TraceSpace::Global, Degree, {1});
    }
    // Something has to wait for the last of them.
    K.op(Unit::Memory, UopKind::Atomic, 0, {0}, {0});
    K.access(TraceSpace::Global, Degree, {1});
    K.op(Unit::Fp32, UopKind::Alu, 4, {0}, {0});
    return run(P, K, 1).Cycles;
  };
  uint64_t Alone = Adds(1), Contended = Adds(32);
  EXPECT_GT(Contended, 200u * 32 * P.AtomicStep);
  EXPECT_GT(Contended, 4 * Alone);
}

TEST(Simulation, BandwidthOfDram) {
  Profile P = v100();
  // 80 SMs x 64 warps read 4 MiB each exactly once: far more than L2.
  Program K(4);
  constexpr unsigned Loads = 64;
  for (unsigned I = 0; I < Loads; ++I) {
    K.op(Unit::Memory, UopKind::Load, 0, {}, {uint16_t(I % 4)});
    K.access(TraceSpace::Global, 0, {0, 1, 2, 3});
  }
  K.op(Unit::Fp32, UopKind::Alu, 4, {0, 1, 2, 3}, {0});
  CostProgram C = K.code();
  BlockTrace One = K.block(8);
  MemorySystem M(P);
  LaunchShape Shape;
  Shape.Blocks = 640;
  Shape.ThreadsPerBlock = 256;
  unsigned Given = 0;
  uint64_t Next = 0;
  LaunchTiming T = simulate(P, C, Shape, M, [&](BlockTrace &Out) {
    if (Given++ == Shape.Blocks)
      return false;
    Out = One;
    for (WarpTrace &W : Out.Warps)
      for (uint64_t &L : W.Lines)
        L = traceLine(Next++, 15);
    return true;
  });
  double Bytes = double(Next) * 128;
  double Seconds = double(T.Cycles) / (double(P.ClockKHz) * 1000);
  double Percent = 100 * Bytes / Seconds / (double(P.DramMBs) * 1e6);
  EXPECT_NEAR(Percent, double(P.DramPercent), 5);
  EXPECT_EQ(T.Memory.DramReads, 4 * Next);
}

TEST(Simulation, OccupancySteps) {
  Profile P = v100();
  LaunchShape S;
  S.ThreadsPerBlock = 256;
  EXPECT_EQ(occupancy(P, S, 32).BlocksPerSM, 8u);
  EXPECT_EQ(occupancy(P, S, 33).BlocksPerSM, 6u);
  EXPECT_STREQ(occupancy(P, S, 33).Limit, "registers");
  EXPECT_EQ(occupancy(P, S, 64).BlocksPerSM, 4u);
  EXPECT_EQ(occupancy(P, S, 128).BlocksPerSM, 2u);
  EXPECT_EQ(occupancy(P, S, 255).BlocksPerSM, 1u);
  S.SharedBytes = 33 * 1024;
  EXPECT_EQ(occupancy(P, S, 32).BlocksPerSM, 2u);
  EXPECT_STREQ(occupancy(P, S, 32).Limit, "shared");
  S.SharedBytes = 0;
  S.ThreadsPerBlock = 32;
  EXPECT_EQ(occupancy(P, S, 16).BlocksPerSM, 32u);
  EXPECT_STREQ(occupancy(P, S, 16).Limit, "blocks");
}

TEST(Simulation, WavesAddUp) {
  Profile P = v100();
  Program K(2);
  for (unsigned I = 0; I < 1000; ++I)
    K.op(Unit::Fp32, UopKind::Alu, 4, {0, 1}, {0});
  uint64_t One = run(P, K, 8, 640).Cycles;  // fills the GPU once
  uint64_t Two = run(P, K, 8, 1280).Cycles; // twice
  EXPECT_NEAR(double(Two) / double(One), 2, 0.02);
}

TEST(Simulation, SameInputSameNumbers) {
  Profile P = v100();
  Program K = chase(500, 64 * 1024);
  LaunchTiming A = run(P, K, 8, 200), B = run(P, K, 8, 200);
  EXPECT_EQ(A.Cycles, B.Cycles);
  EXPECT_EQ(A.Memory.DramReads, B.Memory.DramReads);
}

TEST(Simulation, DualIssueTakesDifferentPipes) {
  Result<Profile> P = findProfile("P100", {GEVO_PROFILE_FOLDER});
  ASSERT_TRUE(P);
  auto Both = [&](unsigned N) {
    Program K(4);
    for (unsigned I = 0; I < N; ++I) {
      K.op(Unit::Fp32, UopKind::Alu, 6, {0}, {1});
      K.op(Unit::Special, UopKind::Alu, 14, {2}, {3});
      K.op(Unit::Fp32, UopKind::Alu, 6, {0}, {1});
      K.op(Unit::Fp32, UopKind::Alu, 6, {0}, {1});
      K.op(Unit::Fp32, UopKind::Alu, 6, {0}, {1});
    }
    return K;
  };
  // Five instructions in the four cycles that four on one pipe need.
  EXPECT_EQ(perStep(*P, Both, 2), 4);
}

} // namespace
