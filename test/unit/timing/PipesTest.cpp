//===- PipesTest.cpp - Latency and throughput of each pipe ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One instruction per pipe, as a dependent chain of one warp (its latency) and
// as independent chains of 32 warps (its throughput), on every GPU; then what
// contention costs: atomic operations on one address, an SM that is full.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Rules.h"
#include "test/unit/timing/OnGpu.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// An instruction for a pipe; '#' is the number of the chain.
struct PipeRow {
  const char *Name;
  Unit Pipe;
  const char *Step;
  unsigned Instructions; ///< That it becomes, or 0: as the profile says.
};
const PipeRow Rows[] = {
    {"fma", Unit::Fp32, "fma.rn.f32 %f#, %f#, %f#, %f#;\n", 1},
    {"iadd", Unit::Int, "add.s32 %r#, %r#, %r9;\n", 1},
    {"imul", Unit::Mul, "mul.lo.s32 %r#, %r#, %r9;\n", 0},
    {"dfma", Unit::Fp64, "fma.rn.f64 %d#, %d#, %d#, %d#;\n", 1},
    {"hfma2", Unit::Half, "fma.rn.f16x2 %r#, %r#, %r#, %r#;\n", 1},
    {"mufu", Unit::Special, "ex2.approx.ftz.f32 %f#, %f#;\n", 1},
    {"convert", Unit::Convert,
     "cvt.rmi.f32.f32 %f#, %f#; cvt.rpi.f32.f32 %f#, %f#;\n", 2},
    {"wide_convert", Unit::Fp64,
     "cvt.rmi.f64.f64 %d#, %d#; cvt.rpi.f64.f64 %d#, %d#;\n", 2},
    {"shift", Unit::Shift, "shr.u32 %r#, %r#, %r9;\n", 1},
    {"max", Unit::Shift, "max.s32 %r#, %r#, %r9;\n", 1},
    {"popc", Unit::Bits, "popc.b32 %r#, %r#;\n", 1},
    {"shuffle", Unit::Shuffle, "shfl.sync.bfly.b32 %r#, %r#, 1, 31, -1;\n", 1},
};

class PipesOnGpu : public OnGpu {
protected:
  const PipeCost &pipe(const PipeRow &R) const {
    return P.pipe(R.Name == std::string("wide_convert") ? wideConversion(P)
                                                        : R.Pipe);
  }
};

std::string chain(const char *Step, char Number) {
  std::string Out;
  for (const char *C = Step; *C; ++C)
    Out += *C == '#' ? Number : *C;
  return Out;
}

const char *const Before = R"(
.reg .f32 %f<10>; .reg .f64 %d<10>; .reg .u64 %rd<4>; .reg .u32 %r<10>;
.reg .u32 %x<8>;
.shared .align 8 .b8 s[4096];
ld.param.u64 %rd0, [out]; mov.u32 %r9, %ctaid.x;
mov.u32 %r0, %tid.x; mov.u32 %r1, %r0; mov.u32 %r2, %r0; mov.u32 %r3, %r0;
cvt.rn.f32.u32 %f0, %r0; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
cvt.rn.f64.u32 %d0, %r0; mov.f64 %d1, %d0; mov.f64 %d2, %d0; mov.f64 %d3, %d0;
)";
const char *const After = R"(
st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};
st.global.v4.u32 [%rd0], {%r0, %r1, %r2, %r3};
st.global.v2.f64 [%rd0], {%d0, %d1}; st.global.v2.f64 [%rd0], {%d2, %d3};
)";

TEST_P(PipesOnGpu, DependentChains) {
  for (const PipeRow &R : Rows) {
    unsigned N = R.Instructions ? R.Instructions : unsigned(P.MulInstructions);
    // The first two of three XMADs go side by side.
    double Cycles = double(N * pipe(R).Latency);
    if (R.Pipe == Unit::Mul && N > 1)
      Cycles = double((N - 1) * pipe(R).Latency) + 1;
    within10(perStep(Before, chain(R.Step, '0'), After), Cycles,
             std::string(R.Name) + "_latency");
    allCompared({std::string(R.Name) + "_latency"});
  }
}

/// What ptxas 12.5 makes for sm_60 and sm_61: bit fields read in reverse,
/// halves that become floats by an addition or by a conversion, products of 16
/// bits.
TEST(Pascal, HasInstructionsOfItsOwn) {
  auto Steps = [](const char *Gpu, const std::string &Code) {
    Profile P = profileNamed(Gpu);
    Bench B(P, kernel(P, ".param .u64 out",
                      ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; "
                      ".reg .b16 %h<9>; .reg .pred %p<3>;\n" +
                          Code));
    const ptx::Function &F = *B.Module->kernel("k")->functions()[0];
    std::string Out;
    for (const Step &S : arithmeticSteps(P, F, F.Code[0]))
      Out += std::to_string(S.Count) + unitName(S.Pipe) + " ";
    return Out;
  };
  const struct {
    const char *Code, *P100, *GTX1080Ti, *V100;
  } Rows[] = {
      {"brev.b32 %r1, %r2;", "1shift ", "1shift ", "1bits "},
      {"bfe.u32 %r1, %r2, 3, 7;", "1shift ", "1shift ", "2int "},
      {"shr.u64 %d1, %d2, 5;", "2shift ", "2shift ", "2int "},
      {"setp.lt.f32 %p1, %f1, %f2;", "1shift ", "1shift ", "1int "},
      {"min.f32 %f1, %f2, %f3;", "1shift ", "1shift ", "1int "},
      {"sad.u32 %r1, %r2, %r3, %r4;", "1shift ", "1shift ", "1int "},
      {"and.b32 %r1, %r2, %r3;", "1int ", "1int ", "1int "},
      {"cvt.u32.u8 %r1, %h1;", "1int ", "1int ", "1int "},
      {"cvt.s32.s16 %r1, %h1;", "1shift ", "1shift ", "1int "},
      {"cvt.f32.f16 %f1, %h1;", "1half ", "1convert ", "1half "},
      {"mul.hi.u32 %r1, %r2, %r3;", "4mul 1int ", "4mul 1int ", "2mul "},
      {"mul.wide.u32 %d1, %r2, %r3;", "7mul 1int ", "7mul 1int ", "1mul "},
      {"mul.wide.u32 %d1, %r2, 4;", "2shift ", "2shift ", "1mul "},
  };
  for (const auto &R : Rows) {
    EXPECT_EQ(Steps("P100", R.Code), R.P100) << R.Code;
    EXPECT_EQ(Steps("GTX1080Ti", R.Code), R.GTX1080Ti) << R.Code;
    EXPECT_EQ(Steps("V100", R.Code), R.V100) << R.Code;
  }
  EXPECT_EQ(Steps("GTX1080Ti", "dp4a.u32.u32 %r1, %r2, %r3, %r4;"), "1mul ");
}

/// What a comparison guards waits longer than what selects by it.
TEST_P(PipesOnGpu, ComparisonsAndGuards) {
  double Add = double(P.pipe(Unit::Int).Latency);
  std::string Predicate = std::string(Before) + ".reg .pred %p<2>;\n";
  within10(perStep(Predicate,
                   "setp.lt.s32 %p0, %r0, %r9; @%p0 add.s32 %r0, %r0, %r9;\n",
                   After),
           double(P.CompareLatency) + Add, "compare_guard_and_add");
  double Select = P.Arch < 70 ? double(P.CompareLatency) : Add;
  within10(perStep(Predicate,
                   "setp.lt.s32 %p0, %r0, %r9; "
                   "selp.b32 %r0, %r9, %r0, %p0; add.s32 %r0, %r0, 7;\n",
                   After),
           Select + 2 * Add, "compare_select_and_add");
}

TEST_P(PipesOnGpu, Throughput) {
  for (const PipeRow &R : Rows) {
    unsigned N = R.Instructions ? R.Instructions : unsigned(P.MulInstructions);
    std::string Step;
    for (char C : {'0', '1', '2', '3'})
      Step += chain(R.Step, C);
    double Cycles = perStep(Before, Step, After, {1024, 1, 1}, 20, 60);
    within10(4 * 1024 * N / Cycles,
             32.0 * double(P.Schedulers) / double(pipe(R).Interval),
             std::string(R.Name) + "_per_cycle_and_sm");
    allCompared({std::string(R.Name) + "_per_cycle"});
  }
}

/// Loads from shared memory without conflicts: 32 banks of 4 bytes a cycle, or
/// what the load/store units of the partitions take.
TEST_P(PipesOnGpu, SharedThroughput) {
  std::string Address = "mov.u32 %r8, s; shl.b32 %r7, %r0, 2; "
                        "add.u32 %r8, %r8, %r7; st.shared.u32 [%r8], %r0;\n";
  std::string Step;
  for (char C = '0'; C < '8'; ++C)
    Step += chain("ld.volatile.shared.u32 %x#, [%r8];\n", C);
  double Cycles = perStep(Before + Address, Step, After, {1024, 1, 1}, 20, 60);
  double Path = double(P.SharedBytesPerCycle);
  double Units =
      128.0 * double(P.Schedulers) / double(P.pipe(Unit::Memory).Interval);
  within10(8 * 1024 * 4 / Cycles, std::min(Path, Units),
           "shared_bytes_per_cycle_and_sm");
  allCompared({"shared_bytes"});
}

/// The table holds zeros, which are added to its address: the figure is that of
/// the load, without the 64-bit addition behind it.
TEST_P(PipesOnGpu, ConstantChase) {
  uint64_t Cycles[2];
  for (unsigned I = 0; I < 2; ++I) {
    std::string Text =
        kernel(P, ".param .u64 out",
               R"(
.reg .u64 %rd<4>;
ld.param.u64 %rd0, [out]; mov.u64 %rd1, zeros; mov.u64 %rd2, %rd1;
)" +
                   repeat(I ? 600 : 200, "ld.const.u64 %rd3, [%rd2]; "
                                         "add.u64 %rd2, %rd1, %rd3;\n") +
                   "st.global.u64 [%rd0], %rd2;\n");
    Text.insert(Text.find(".visible"), ".const .align 8 .u64 zeros[8];\n");
    Bench B(P, Text);
    uint64_t Out = B.Gpu.allocate(64);
    Cycles[I] = B.run("k", {1, 1, 1}, {32, 1, 1}, {Out}).Cycles;
  }
  within10(double(Cycles[1] - Cycles[0]) / 400 -
               2 * double(P.pipe(Unit::Int).Latency),
           double(P.ConstLatency), "const_latency");
  allCompared({"const_latency"});
}

/// 1 to 32 lanes add to one word.
TEST_P(PipesOnGpu, AtomicContention) {
  double Step = double(P.AtomicStep) + double(P.AtomicExtraPercent) / 100;
  for (unsigned Lanes : {1u, 8u, 32u}) {
    Dim3 Block = {Lanes, 1, 1};
    double Global =
        perStep(Before, "red.global.add.u32 [%rd0], 1;\n", "", Block);
    // One lane is held back by the load/store unit alone.
    double Least = double(P.pipe(Unit::Memory).Interval);
    within10(Global, std::max(Least, Lanes * Step),
             "global_atomic_" + std::to_string(Lanes) + "_lanes");
    std::string Address = "mov.u32 %r8, s; st.shared.u32 [%r8], 0;\n";
    double Shared =
        perStep(Before + Address, "red.shared.add.u32 [%r8], 1;\n", "", Block);
    within10(Shared, std::max(Least, double(Lanes * P.SharedAtomicStep)),
             "shared_atomic_" + std::to_string(Lanes) + "_lanes");
    if (Lanes == 32) {
      within10(Global / Lanes, Step, "global_atomic_per_lane");
      within10(Shared / Lanes, double(P.SharedAtomicStep),
               "shared_atomic_per_lane");
    }
  }
  allCompared({"global_atomic", "shared_atomic"});
  // Words of their own go in parallel.
  std::string Own = "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;\n";
  double Spread = perStep(Before + Own, "red.global.add.u32 [%rd0], 1;\n", "");
  EXPECT_LT(Spread, 12) << P.Name;
}

/// Burtchell and Burtscher measured 21 cycles and 2 for each warp on A100; the
/// guide's throughput says the same of other GPUs.
TEST_P(PipesOnGpu, BarrierOfManyWarps) {
  double PerWarp =
      double(P.pipe(Unit::Barrier).Interval) / double(P.Schedulers);
  for (unsigned Warps : {1u, 2u, 4u, 8u, 16u, 32u})
    within10(perStep(Before, "bar.sync 0;\n", "", {32 * Warps, 1, 1}),
             double(P.pipe(Unit::Barrier).Latency) + PerWarp * (Warps - 1),
             "barrier_" + std::to_string(Warps) + "_warps");
  allCompared({"barrier_"});
}

/// As many blocks as an SM holds take about as long as one; one more per SM
/// makes a second wave.
TEST_P(PipesOnGpu, OccupancySteps) {
  // Nothing equals NaN, so nothing is stored.
  std::string Chain = repeat(300, chain(Rows[0].Step, '0'));
  Bench B(P, kernel(P, ".param .u64 out",
                    Before + Chain +
                        ".reg .pred %p; setp.eq.f32 %p, %f0, "
                        "0f7FC00000; @%p st.global.f32 [%rd0], %f0;"));
  uint64_t Out = B.Gpu.allocate(65536);
  uint32_t SMs = uint32_t(P.SMs);
  // Shared memory for few blocks on each SM.
  auto Waves = [&](uint32_t PerSM) {
    return B.run("k", {SMs * PerSM, 1, 1}, {32, 1, 1}, {Out}, 20 * 1024);
  };
  LaunchTiming First = Waves(1);
  uint32_t Fit = First.Full.BlocksPerSM;
  EXPECT_STREQ(First.Full.Limit, "shared") << P.Name;
  double One = double(First.Cycles), Full = double(Waves(Fit).Cycles),
         More = double(Waves(Fit + 1).Cycles);
  EXPECT_LT(Full, 1.1 * One) << P.Name;
  EXPECT_GT(More, 1.6 * One) << P.Name;
  EXPECT_LT(More, 2.2 * One) << P.Name;
}

/// What NVIDIA's occupancy calculator (cuda_occupancy.h of CUDA 12.5) says.
TEST_P(PipesOnGpu, OccupancyAsCalculated) {
  struct {
    uint32_t Threads, Registers, Shared;
    uint32_t Blocks[std::size(Gpus)]; ///< In the order of Gpus.
  } Rows[] = {
      {32, 16, 0, {32, 32, 32, 32, 32, 24}},
      {256, 32, 0, {8, 8, 8, 8, 8, 6}},
      {256, 33, 0, {6, 6, 6, 6, 6, 6}},
      {256, 64, 0, {4, 4, 4, 4, 4, 4}},
      {256, 100, 0, {2, 2, 2, 2, 2, 2}},
      {256, 255, 0, {1, 1, 1, 1, 1, 1}},
      {512, 48, 0, {2, 2, 2, 2, 2, 2}},
      {1024, 32, 0, {2, 2, 2, 2, 2, 1}},
      {96, 40, 0, {16, 16, 16, 16, 16, 16}},
      {160, 50, 0, {7, 7, 7, 7, 7, 7}},
      {256, 32, 16384, {4, 6, 6, 8, 8, 5}},
      {256, 32, 33792, {1, 2, 2, 4, 6, 2}},
      {64, 32, 12000, {5, 8, 8, 12, 17, 7}},
      {128, 24, 49152, {1, 2, 2, 3, 4, 2}},
  };
  size_t Gpu = 0;
  while (P.Name != Gpus[Gpu])
    ++Gpu;
  for (const auto &R : Rows) {
    LaunchShape S;
    S.ThreadsPerBlock = R.Threads;
    S.SharedBytes = R.Shared;
    EXPECT_EQ(occupancy(P, S, R.Registers).BlocksPerSM, R.Blocks[Gpu])
        << P.Name << ": " << R.Threads << " threads, " << R.Registers
        << " registers, " << R.Shared << " bytes";
  }
}

TEST_P(PipesOnGpu, LaunchOverhead) {
  Bench B(P, kernel(P, ".param .u64 out", ""));
  within10(double(B.run("k", {1, 1, 1}, {32, 1, 1}, {0}).Nanoseconds),
           double(P.LaunchNs), "launch_ns");
}

INSTANTIATE_TEST_SUITE_P(All, PipesOnGpu, testing::ValuesIn(Gpus), gpuName);

} // namespace
