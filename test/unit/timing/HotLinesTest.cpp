//===- HotLinesTest.cpp - Profiles by line --------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile names the line that waits, why it waits, and what it asked of
// memory; source lines come from .loc.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/HotLines.h"
#include "test/unit/timing/Kernels.h"

#include <gmock/gmock.h>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
using testing::HasSubstr;

namespace {

const char *const Text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>;
.loc 1 10 0
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 128; add.u64 %rd2, %rd0, %rd1;
.loc 1 11 0
ld.global.f32 %f0, [%rd2];
.loc 1 12 0
add.rn.f32 %f1, %f0, %f0;
.loc 1 13 0
st.global.f32 [%rd2], %f1;
ret;
}
.file 1 "strided.cu"
)";

class Hot : public testing::Test {
protected:
  Profile P = profileNamed("V100");
  Bench B{P, Text};
  uint64_t Out = B.Gpu.allocate(65536);
  LaunchTiming T = B.run("k", {4, 1, 1}, {64, 1, 1}, {Out});
  const Kernel &K = *B.Module->kernel("k");
};

TEST_F(Hot, SourceLinesSayWhatWaits) {
  std::vector<HotLine> Lines = hotLines(K, T, LineKind::Source);
  ASSERT_FALSE(Lines.empty());
  // The addition waits for the load.
  EXPECT_EQ(Lines[0].File, "strided.cu");
  EXPECT_EQ(Lines[0].Line, 12u);
  EXPECT_GT(Lines[0].Cost.Stalls[unsigned(Stall::Global)], P.DramLatency);
  for (const HotLine &L : Lines)
    if (L.Line == 11) {
      // Eight warps, 32 sectors each.
      EXPECT_EQ(L.Cost.Requests, 8u);
      EXPECT_EQ(L.Cost.Sectors, 256u);
      EXPECT_EQ(L.Cost.Issues, 8u);
      EXPECT_EQ(L.Cost.Lanes, 256u);
    }
}

TEST_F(Hot, PtxLines) {
  std::vector<HotLine> Lines = hotLines(K, T, LineKind::Ptx);
  ASSERT_FALSE(Lines.empty());
  EXPECT_EQ(Lines[0].Line, 12u); // the text's own line of the addition
  EXPECT_EQ(Lines[0].File, "");
  EXPECT_EQ(Lines[0].Code, "");
}

TEST_F(Hot, PtxLinesHaveTheirCode) {
  std::vector<HotLine> Lines = hotLines(K, T, LineKind::Ptx, Text);
  ASSERT_FALSE(Lines.empty());
  EXPECT_EQ(Lines[0].Code, "add.rn.f32 %f1, %f0, %f0;");
  EXPECT_THAT(hotLinesText(Lines, 1),
              HasSubstr("PTX:12: add.rn.f32 %f1, %f0, %f0;\n"));
  EXPECT_THAT(hotLinesJson(Lines),
              HasSubstr("\"line\":12,\"code\":\"add.rn.f32 %f1, %f0, %f0;\","));
  // Lines of the source are told by themselves.
  EXPECT_EQ(hotLines(K, T, LineKind::Source, Text)[0].Code, "");
  // A text that ends before.
  EXPECT_EQ(hotLines(K, T, LineKind::Ptx, "one\ntwo")[0].Code, "");
}

TEST_F(Hot, PlacesAndCostsComeBackFromLogs) {
  for (LineKind Kind : {LineKind::Ptx, LineKind::Source})
    for (HotLine L : hotLines(K, T, Kind, Text)) {
      L.CallerFile = "caller.cu";
      L.CallerLine = 7;
      HotLine Back = lineAt(placeOf(L));
      Back.Cost = InstructionProfile::of(L.Cost.counters());
      EXPECT_EQ(hotLinesJson({Back}), hotLinesJson({L}));
    }
  EXPECT_EQ(InstructionProfile::of({1, 2}).Issues, 0u);
}

TEST_F(Hot, TextAndJson) {
  std::vector<HotLine> Lines = hotLines(K, T, LineKind::Source);
  std::string Table = hotLinesText(Lines, 2);
  EXPECT_EQ(std::count(Table.begin(), Table.end(), '\n'), 3);
  EXPECT_THAT(Table, HasSubstr("strided.cu:12"));
  EXPECT_THAT(Table, HasSubstr("global"));
  std::string Json = hotLinesJson(Lines);
  EXPECT_THAT(Json, HasSubstr("{\"function\":\"k\",\"file\":\"strided.cu\","
                              "\"line\":12,"));
  EXPECT_THAT(Json, HasSubstr("\"sectors\":256"));
}

TEST(Anchors, LocationsInTheirFileAreAnchors) {
  std::string Anchored = Text;
  size_t At = Anchored.find("strided.cu");
  Anchored.replace(At, 10, "/build/gevo:anchors");
  Profile P = profileNamed("V100");
  Bench B{P, Anchored};
  uint64_t Out = B.Gpu.allocate(65536);
  LaunchTiming T = B.run("k", {4, 1, 1}, {64, 1, 1}, {Out});
  const Kernel &K = *B.Module->kernel("k");
  std::vector<HotLine> Lines = hotLines(K, T, LineKind::Anchor);
  ASSERT_FALSE(Lines.empty());
  std::string Json = hotLinesJson(Lines);
  // Line 12 of the file is instruction 11: the addition waits for the load.
  EXPECT_EQ(Json.rfind("[{\"function\":\"k\",\"anchor\":\"i11\",\"cycles\":" +
                           std::to_string(Lines[0].cycles()) + ",\"issues\":8,",
                       0),
            0u)
      << Json;
  EXPECT_THAT(Json, HasSubstr("\"anchor\":\"i10\""));
  EXPECT_THAT(hotLinesText(Lines, 1), HasSubstr("k:i11"));
  // They are no lines of a source.
  for (const HotLine &L : hotLines(K, T, LineKind::Source))
    EXPECT_EQ(L.File, "");
}

TEST_F(Hot, WithoutAnchorsThereAreNone) {
  EXPECT_TRUE(hotLines(K, T, LineKind::Anchor).empty());
}

} // namespace
