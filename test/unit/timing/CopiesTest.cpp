//===- CopiesTest.cpp - Loops that the assembler unrolled -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a loop that was unrolled with branches between its copies, one whole copy
// is issued in each iteration. How its PTX is written (copies of registers, the
// order of blocks, constants in registers) decides nothing if the machine code
// is the same.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"
#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// A loop with two branches, in blocks that name what comes behind them: how
/// long a point stays near the origin.
struct PtxBlock {
  const char *Label;
  std::vector<std::string> Lines;
  const char *Next; ///< Null behind a return.
};
const std::vector<PtxBlock> Orbit = {
    {"Start",
     {"ld.param.u64 %rd1, [out];", "mov.u32 %r1, %tid.x;",
      "mul.wide.u32 %rd2, %r1, 4;", "add.u64 %rd3, %rd1, %rd2;",
      "cvt.rn.f32.u32 %f1, %r1;",
      "fma.rn.f32 %f1, %f1, 0f3C23D70A, 0fC0000000;",
      "mul.f32 %f2, %f1, 0f3E99999A;", "mov.f32 %f3, 0f00000000;",
      "mov.f32 %f4, %f3;", "mov.u32 %r2, 0;"},
     "Head"},
    {"Head",
     {"mul.f32 %f5, %f4, %f4;", "fma.rn.f32 %f6, %f3, %f3, %f5;",
      "setp.gt.f32 %p1, %f6, 0f40800000;", "@%p1 bra Out;"},
     "Body"},
    {"Body",
     {"mul.f32 %f7, %f3, %f3;", "add.f32 %f8, %f3, %f3;",
      "fma.rn.f32 %f4, %f8, %f4, %f2;", "sub.f32 %f9, %f7, %f5;",
      "add.f32 %f3, %f1, %f9;", "add.u32 %r2, %r2, 1;",
      "setp.lt.u32 %p2, %r2, 64;", "@%p2 bra Head;"},
     "Out"},
    {"Out", {"st.global.u32 [%rd3], %r2;", "ret;"}, nullptr},
};

/// The text of \p Blocks in the given order.
std::string text(const std::vector<PtxBlock> &Blocks,
                 const std::vector<unsigned> &Order) {
  std::string Out = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<12>;\n"
                    ".reg .pred %p<3>; .reg .f32 %c<40>;\n";
  for (size_t K = 0; K < Order.size(); ++K) {
    const PtxBlock &B = Blocks[Order[K]];
    Out += std::string(B.Label) + ":\n";
    for (const std::string &Line : B.Lines)
      Out += Line + "\n";
    bool Follows = K + 1 < Order.size() && B.Next &&
                   std::string(B.Next) == Blocks[Order[K + 1]].Label;
    if (B.Next && !Follows)
      Out += std::string("bra.uni ") + B.Next + ";\n";
  }
  return Out;
}

/// Float results go through a register of their own.
std::vector<PtxBlock> copied(std::vector<PtxBlock> Blocks) {
  unsigned Copies = 0;
  for (PtxBlock &B : Blocks) {
    std::vector<std::string> Lines;
    for (const std::string &Line : B.Lines) {
      size_t Result = Line.find("%f"), End = Line.find(',');
      if (Line[0] == '@' || Line.find(".f32 %f") + 5 != Result) {
        Lines.push_back(Line);
        continue;
      }
      std::string Copy = "%c" + std::to_string(Copies++);
      Lines.push_back(Line.substr(0, Result) + Copy + Line.substr(End));
      Lines.push_back("mov.f32 " + Line.substr(Result, End - Result) + ", " +
                      Copy + ";");
    }
    B.Lines = Lines;
  }
  return Blocks;
}

/// The limit of the loop and the bound of the orbit in registers.
std::vector<PtxBlock> withConstants(std::vector<PtxBlock> Blocks) {
  Blocks[0].Lines.insert(Blocks[0].Lines.begin(),
                         {"mov.u32 %r5, 64;", "mov.f32 %f10, 0f40800000;"});
  Blocks[1].Lines[2] = "setp.gt.f32 %p1, %f6, %f10;";
  Blocks[2].Lines[6] = "setp.lt.u32 %p2, %r2, %r5;";
  return Blocks;
}

TEST(Copies, SameMachineCodeSameTime) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  for (const char *Name : {"V100", "A100", "H100"}) {
    Profile P = profileNamed(Name);
    auto Run = [&](const std::string &Body, uint64_t *Hash) {
      Bench B(P, kernel(P, ".param .u64 out", Body), true);
      const SassListing &L = B.Sass->at("k");
      auto IsBranch = [](const SassInstruction &I) {
        return I.Opcode == "BRA" && I.Guarded;
      };
      // PTX has two, so there are copies.
      EXPECT_GT(std::count_if(L.Code.begin(), L.Code.end(), IsBranch), 4);
      *Hash = L.Hash;
      uint64_t Out = B.Gpu.allocate(4096);
      LaunchTiming T = B.run("k", {2, 1, 1}, {256, 1, 1}, {Out});
      EXPECT_EQ(T.Source, CostSource::Sass);
      return T.Cycles;
    };
    uint64_t Hash = 0, Other = 0;
    uint64_t Cycles = Run(text(Orbit, {0, 1, 2, 3}), &Hash);
    for (const std::string &Body :
         {text(copied(Orbit), {0, 1, 2, 3}),
          text(withConstants(Orbit), {0, 1, 2, 3}), text(Orbit, {0, 3, 2, 1}),
          text(copied(Orbit), {0, 2, 3, 1})}) {
      EXPECT_EQ(Cycles, Run(Body, &Other)) << Name << "\n" << Body;
      EXPECT_EQ(Hash, Other) << Name << "\n" << Body;
    }
  }
}

TEST(Copies, OneWholeCopyIsIssued) {
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k() { .reg .u32 %r<9>; .reg .f32 %f<9>; "
                    ".reg .pred %p;\n"
                    "L: fma.rn.f32 %f0, %f0, %f1, %f2;\n"
                    "mov.f32 %f4, %f0;\n"
                    "mul.f32 %f3, %f4, %f4;\n"
                    "setp.lt.f32 %p, %f4, %f3;\n"
                    "@%p bra L;\nret;\n}\n";
  // The first has lost a product, the last has something from elsewhere, and
  // what is copied has the line of the copy or its own.
  SassFunction F = costsOf(
      Ptx, {{5, "FFMA"}, {8, "FSETP.LT"}, {9, "BRA"},      {5, "FFMA"},
            {7, "FMUL"}, {8, "FSETP.LT"}, {9, "BRA"},      {6, "FFMA"},
            {7, "FMUL"}, {8, "FSETP.LT"}, {9, "BRA"},      {5, "FFMA"},
            {7, "FMUL"}, {8, "FSETP.LT"}, {9, "BRA"},      {10, "IADD3"},
            {6, "FFMA"}, {7, "FMUL"},     {8, "FSETP.LT"}, {9, "BRA"},
            {10, "EXIT"}});
  std::vector<uint32_t> Places;
  for (unsigned K = 0; K < 5; ++K)
    for (const SassOp &Op : F[K])
      Places.push_back(Op.Place);
  std::sort(Places.begin(), Places.end());
  EXPECT_EQ(Places, (std::vector<uint32_t>{7, 8, 9, 10}));
}

TEST(Copies, CopiedRegistersAreNoFurtherWork) {
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k() { .reg .f32 %f<9>; .reg .pred %p;\n"
                    "L: fma.rn.f32 %f0, %f0, %f1, %f2;\n"
                    "mov.f32 %f4, %f0;\n"
                    "setp.lt.f32 %p, %f4, %f2;\n"
                    "@%p bra L;\nret;\n}\n";
  // Four copies in one stretch, half of them with the line of the copy.
  SassFunction F = costsOf(Ptx, {{5, "FFMA"},
                                 {6, "FFMA"},
                                 {5, "FFMA"},
                                 {6, "FFMA"},
                                 {7, "FSETP.LT"},
                                 {8, "BRA"},
                                 {9, "EXIT"}});
  EXPECT_EQ(F[0].size() + F[1].size(), 1u);
}

TEST(Copies, ARemainderIsNoCopyOfTheLoop) {
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k(.param .u64 a) { .reg .u32 %r<9>; "
                    ".reg .f32 %f<9>; .reg .pred %p; .reg .u64 %d<4>;\n"
                    "ld.param.u64 %d1, [a];\n"
                    "L: ld.global.f32 %f1, [%d1];\n"
                    "add.f32 %f0, %f0, %f1;\n"
                    "add.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, %r1;\n"
                    "@%p bra L;\nret;\n}\n";
  // Two iterations at once with one counting, then one that may be left.
  SassFunction F = costsOf(Ptx, {{6, "LDG.E"},
                                 {6, "LDG.E"},
                                 {7, "FADD"},
                                 {7, "FADD"},
                                 {8, "IADD3"},
                                 {9, "ISETP.NE"},
                                 {10, "BRA"},
                                 {6, "LDG.E"},
                                 {7, "FADD"},
                                 {10, "BRA"},
                                 {11, "EXIT"}});
  auto PlaceOf = [&](unsigned K) {
    return F[K].size() == 1 ? F[K][0].Place : 99;
  };
  EXPECT_EQ(PlaceOf(1), 0u);
  EXPECT_EQ(PlaceOf(2), 2u);
  EXPECT_EQ(PlaceOf(5), 6u);
}

} // namespace
