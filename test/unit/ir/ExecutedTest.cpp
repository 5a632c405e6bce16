//===- ExecutedTest.cpp - Edits and what a GPU then computes --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The executed twin of the tests of operators: for every kind of edit a kernel
// is lowered and run on the embedded GPU without and with the edit, under all
// checks, and both outputs are what they must be.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Fingerprint.h"
#include "passes/ir/Lower.h"
#include "passes/ir/Replay.h"
#include "runtime/gpu/exec/Device.h"
#include "test/unit/ir/Modules.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace gevo;
using namespace llvm;

namespace {

constexpr unsigned Threads = 32;
/// What the output buffer holds before a launch.
constexpr float Untouched = -1;

float input(unsigned Thread) { return 0.75f * Thread - 3; }

using Formula = float (*)(float V);

struct Case {
  const char *Kind;
  /// Follows %t = tid (i0), %from (i1), %v = in[t] (i2) and %to (i3).
  const char *Body;
  /// One edit a line, as in the file.
  const char *Edits;
  Formula Before;
  Formula After;
};

struct Outcome {
  std::vector<float> Out;
  gpu::LaunchCounters Counters;
  std::string PTX;
};

class Executed : public testing::TestWithParam<Case> {
protected:
  static void SetUpTestSuite() { initializeNVPTX(); }

  std::unique_ptr<Module> parse() {
    std::string Text = R"(
      source_filename = "kernel.cu"
      target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
      target triple = "nvptx64-nvidia-cuda"
      declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      define void @k(ptr %out, ptr %in) "target-cpu"="sm_70" {
      entry:
        %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
        %from = getelementptr float, ptr %in, i32 %t
        %v = load float, ptr %from, align 4
        %to = getelementptr float, ptr %out, i32 %t
    )" + std::string(GetParam().Body) +
                       R"(
      }
      !nvvm.annotations = !{!0}
      !0 = !{ptr @k, !"kernel", i32 1}
    )";
    return parseModule(Text.c_str(), Context);
  }

  void edit(Module &M) {
    std::string Lines = GetParam().Edits;
    std::string Text =
        R"({"gevo": 1, "producer": "test", "architectures": [{"arch": "sm_70",
            "functions": [{"name": "k", "source": "kernel.cu",
            "instructions": 0, "anchors": [], "fingerprint": ")" +
        fingerprint(*M.getFunction("k")) + "\", \"edits\": [" + Lines +
        "]}]}]}";
    Expected<EditSet> Set = parseEditSet(Text, "edits.json");
    ASSERT_TRUE(bool(Set)) << toString(Set.takeError());
    ReplayReport Report = replay(M, *Set, {});
    ASSERT_EQ(Report.Functions.size(), 1u);
    ASSERT_EQ(Report.Functions[0].Status, ReplayStatus::Applied)
        << Report.Functions[0].Why.Reason;
    EXPECT_EQ(name(Report.Functions[0].Edits->Edits[0].Kind), GetParam().Kind);
  }

  static std::string name(EditKind Kind) { return info(Kind).Name.str(); }

  Outcome execute(Module &M) {
    Outcome R;
    Expected<std::string> PTX = lowerToPTX(M, {});
    EXPECT_TRUE(bool(PTX));
    R.PTX = std::move(*PTX);
    gpu::DeviceConfig Config;
    Config.GlobalBytes = uint64_t(64) << 20;
    gpu::Device D(Config);
    auto Loaded = D.load(R.PTX);
    if (!Loaded) {
      ADD_FAILURE() << Loaded.error().str();
      return R;
    }
    std::vector<float> In(Threads);
    for (unsigned T = 0; T < Threads; ++T)
      In[T] = input(T);
    R.Out.assign(Threads, Untouched);
    const size_t Bytes = Threads * sizeof(float);
    uint64_t Buffers[] = {D.allocate(Bytes), D.allocate(Bytes)};
    D.copyToDevice(Buffers[0], R.Out.data(), Bytes);
    D.copyToDevice(Buffers[1], In.data(), Bytes);
    gpu::LaunchOptions Options;
    Options.Grid = {1, 1, 1};
    Options.Block = {Threads, 1, 1};
    Options.Params = Buffers;
    Options.ParamBytes = sizeof(Buffers);
    Options.Checks = gpu::CheckSet::all();
    gpu::LaunchResult Result = D.launch(*(*Loaded)->kernel("k"), Options);
    EXPECT_TRUE(Result.clean()) << Result.Message;
    D.copyFromDevice(R.Out.data(), Buffers[0], Bytes);
    R.Counters = Result.Counters;
    return R;
  }

  static void expect(const Outcome &R, Formula F) {
    ASSERT_EQ(R.Out.size(), Threads);
    for (unsigned T = 0; T < Threads; ++T) {
      float Wanted = F(input(T));
      EXPECT_NEAR(R.Out[T], Wanted, std::abs(Wanted) * 1e-6f) << "thread " << T;
    }
  }

  LLVMContext Context;
};

} // namespace

TEST_P(Executed, ComputesWhatTheEditSays) {
  std::unique_ptr<Module> Original = parse(), Edited = parse();
  ASSERT_TRUE(Original && Edited);
  edit(*Edited);
  Outcome Before = execute(*Original), After = execute(*Edited);
  expect(Before, GetParam().Before);
  expect(After, GetParam().After);
  EXPECT_NE(Before.PTX, After.PTX);
  StringRef Kind = GetParam().Kind;
  if (Kind == "unroll") {
    EXPECT_EQ(Before.Out, After.Out) << "to the bit";
    EXPECT_LT(After.Counters.Branches, Before.Counters.Branches);
  }
  if (Kind == "restrict") {
    EXPECT_EQ(Before.Out, After.Out) << "to the bit";
    EXPECT_LT(After.Counters.GlobalStores, Before.Counters.GlobalStores);
  }
  if (Kind == "cache")
    EXPECT_NE(After.PTX.find("ld.global.cg.f32"), std::string::npos);
  if (Kind == "delete")
    EXPECT_LT(After.Counters.WarpInstructions,
              Before.Counters.WarpInstructions);
}

static const Case Cases[] = {
    {"delete",
     "%a = fadd float %v, 1.0\n %b = fmul float %a, 3.0\n"
     "store float %b, ptr %to\n ret void",
     R"({"kind": "delete", "at": "i4", "uses": "i2"})",
     [](float V) { return (V + 1) * 3; }, [](float V) { return V * 3; }},
    {"copy",
     "%a = fadd float %v, 1.0\n %b = fmul float %a, 2.0\n"
     "store float %b, ptr %to\n ret void",
     R"({"kind": "copy", "at": "i4", "before": "i5", "as": "c1",
         "operands": {"0": "i4"}, "into": {"at": "i5", "operand": 0}})",
     [](float V) { return (V + 1) * 2; }, [](float V) { return (V + 2) * 2; }},
    {"move",
     "store float %v, ptr %to\n %r = load float, ptr %to\n"
     "%b = fadd float %r, %r\n store float %b, ptr %to\n ret void",
     R"({"kind": "move", "at": "i5", "before": "i4"})",
     [](float V) { return V + V; }, [](float) { return 2 * Untouched; }},
    {"replace",
     "%a = fadd float %v, 1.0\n %b = fmul float %v, 5.0\n"
     "%c = fsub float %b, %a\n store float %c, ptr %to\n ret void",
     R"({"kind": "replace", "at": "i4", "by": "i5", "as": "c1"})",
     [](float V) { return V * 5 - (V + 1); }, [](float) { return 0.0f; }},
    {"swap",
     "%a = fadd float %v, 1.0\n store volatile float %v, ptr %to\n"
     "store volatile float %a, ptr %to\n ret void",
     R"({"kind": "swap", "at": "i5", "with": "i6"})",
     [](float V) { return V + 1; }, [](float V) { return V; }},
    {"operand", "%b = fmul float %v, 3.0\n store float %b, ptr %to\n ret void",
     R"({"kind": "operand", "at": "i4", "operand": 1,
         "value": "float 7.000000e+00"})",
     [](float V) { return V * 3; }, [](float V) { return V * 7; }},
    {"cache", "%b = fmul float %v, 3.0\n store float %b, ptr %to\n ret void",
     R"({"kind": "cache", "at": "i2", "policy": "cg"})",
     [](float V) { return V * 3; }, [](float V) { return V * 3; }},
    {"branch",
     "%big = fcmp ogt float %v, 10.0\n br i1 %big, label %then, label %done\n"
     "then:\n %a = fmul float %v, 2.0\n br label %done\n"
     "done:\n %r = phi float [ %v, %entry ], [ %a, %then ]\n"
     "store float %r, ptr %to\n ret void",
     R"({"kind": "branch", "at": "i5", "take": "true"})",
     [](float V) { return V > 10 ? V * 2 : V; }, [](float V) { return V * 2; }},
    {"math", "%q = fdiv float %v, 3.0\n store float %q, ptr %to\n ret void",
     R"({"kind": "math", "at": "i4", "relax": "div"})",
     [](float V) { return V / 3; }, [](float V) { return V / 3; }},
    {"unroll",
     "br label %loop\nloop:\n %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
     "%sum = phi float [ 0.0, %entry ], [ %more, %loop ]\n"
     "%f = sitofp i32 %i to float\n %p = fmul float %f, %v\n"
     "%more = fadd float %sum, %p\n %next = add nuw nsw i32 %i, 1\n"
     "%again = icmp ult i32 %next, 12\n"
     "br i1 %again, label %loop, label %done\n"
     "done:\n store float %more, ptr %to\n ret void",
     R"({"kind": "unroll", "at": "i12", "count": 4})",
     [](float V) { return V * 66; }, [](float V) { return V * 66; }},
    {"restrict",
     "store float 0.0, ptr %to\n br label %loop\n"
     "loop:\n %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
     "%r = load float, ptr %from\n %sum = load float, ptr %to\n"
     "%more = fadd float %sum, %r\n store float %more, ptr %to\n"
     "%next = add nuw nsw i32 %i, 1\n %again = icmp ult i32 %next, 12\n"
     "br i1 %again, label %loop, label %done\n"
     "done:\n ret void",
     R"({"kind": "restrict", "at": "i10"})", [](float V) { return V * 12; },
     [](float V) { return V * 12; }},
};

INSTANTIATE_TEST_SUITE_P(Kinds, Executed, testing::ValuesIn(Cases),
                         [](const testing::TestParamInfo<Case> &Info) {
                           return std::string(Info.param.Kind);
                         });

TEST(ExecutedKinds, AreAllKinds) {
  ASSERT_EQ(std::size(Cases), editKinds().size());
  for (size_t I = 0; I < std::size(Cases); ++I)
    EXPECT_EQ(editKinds()[I].Name, Cases[I].Kind);
}
