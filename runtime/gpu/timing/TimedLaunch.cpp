//===- TimedLaunch.cpp - Run a kernel and tell its time -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/TimedLaunch.h"
#include "runtime/gpu/ptx/PollLoops.h"
#include "runtime/gpu/timing/Lowering.h"
#include "runtime/gpu/timing/SassKinds.h"

#include <cassert>
#include <chrono>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

Clock::Clock(Profile Figures) : P(std::move(Figures)), Memory(P) {}

DeviceConfig gevo::gpu::timing::deviceConfig(const Profile &P) {
  DeviceConfig C;
  C.SmArch = uint32_t(P.Arch);
  C.NumSMs = uint32_t(P.SMs);
  C.GlobalBytes = P.DramBytes;
  C.MaxThreadsPerBlock = uint32_t(P.MaxThreadsPerBlock);
  C.MaxThreadsPerSM = uint32_t(P.MaxWarps * 32);
  C.MaxBlocksPerSM = uint32_t(P.MaxBlocks);
  C.SharedBytesPerSM = uint32_t(P.SharedBytes);
  C.MaxSharedBytesPerBlock = uint32_t(P.SharedPerBlock);
  C.RegistersPerSM = uint32_t(P.Registers);
  C.Schedulers = uint32_t(P.Schedulers);
  C.RegisterUnit = uint32_t(P.RegisterUnit);
  C.SharedUnit = uint32_t(P.SharedUnit);
  C.SharedReservedPerBlock = uint32_t(P.SharedReserved);
  C.ClockKHz = uint32_t(P.ClockKHz);
  return C;
}

namespace {

/// How wide the accesses of \p Code are.
std::vector<std::vector<uint8_t>>
accessBytes(const std::vector<SassFunction> &Code) {
  std::vector<std::vector<uint8_t>> Bytes;
  for (const SassFunction &F : Code) {
    Bytes.emplace_back(F.size());
    for (const std::vector<SassOp> &Ops : F)
      for (const SassOp &Op : Ops)
        if (Op.Bytes)
          Bytes.back()[Op.Instruction] = Op.Bytes;
  }
  return Bytes;
}

/// \p K with predicates where its machine code, of each function, has them;
/// null if that is as it is. Waits of other warps are looked for in loops as
/// they are written.
std::shared_ptr<const Kernel>
predicated(const Profile &P, const Kernel &K,
           const std::vector<const SassListing *> &Code) {
  std::vector<ptx::Function> Functions;
  bool Changed = false;
  for (size_t N = 0; N < Code.size(); ++N) {
    Functions.push_back(*K.functions()[N]);
    ptx::Function &F = Functions.back();
    if (!ptx::findPollLoops(F, ptx::Cfg::build(F)).empty())
      return nullptr;
    Changed |= predicateAs(P, *Code[N], F);
  }
  if (!Changed)
    return nullptr;
  auto New = K.module().withCode(K, std::move(Functions));
  assert(New && "what could be decoded can be with predicates");
  return New ? std::move(*New) : nullptr;
}

/// The machine code of the functions of \p K, up to the first that \p Machine
/// does not have.
std::vector<const SassListing *> listingsOf(const Kernel &K,
                                            const SassModule *Machine) {
  std::vector<const SassListing *> Code;
  if (!Machine || !Machine->WhyNoCode.empty())
    return Code;
  for (const ptx::Function *F : K.functions()) {
    auto It = Machine->find(F->Name);
    if (It == Machine->end())
      break;
    Code.push_back(&It->second);
  }
  return Code;
}

/// The costs of a kernel, from machine code if \p Machine has all of it.
CostProgram costsOf(const Profile &P, const Kernel &K,
                    const SassModule *Machine) {
  uint32_t Registers = std::max(16u, K.attributes().RegistersPerThread);
  std::vector<const SassListing *> Code = listingsOf(K, Machine);
  bool Whole = Machine && Code.size() == K.functions().size();
  std::shared_ptr<const Kernel> Executed =
      Whole ? predicated(P, K, Code) : nullptr;
  const std::vector<const ptx::Function *> &Functions =
      (Executed ? *Executed : K).functions();
  std::vector<SassFunction> Sass;
  std::set<std::string> Unknown;
  for (size_t N = 0; Whole && N < Code.size(); ++N) {
    Sass.push_back(costsFromSass(P, *Functions[N], *Code[N]));
    Unknown.merge(unknownOpcodes(*Code[N]));
  }
  // The assembler's count, also if the code of a function is missing.
  bool Counted = false;
  if (Machine)
    if (auto It = Machine->find(K.name());
        It != Machine->end() && It->second.Registers) {
      Registers = std::max(16u, It->second.Registers);
      Counted = true;
    }
  CostProgram Costs = lowerPtx(P, K.module().source(), Functions, Registers,
                               Whole ? &Sass : nullptr);
  Costs.Executed = std::move(Executed);
  Costs.RegistersEstimated = !Counted;
  if (Machine && !Machine->WhyNoCode.empty())
    Costs.WhyRules = Machine->WhyNoCode;
  else if (Machine && !Whole)
    Costs.WhyRules = "there is no machine code of the function " +
                     K.functions()[Code.size()]->Name;
  if (Whole) {
    Costs.AccessBytes = accessBytes(Sass);
    Costs.UnknownOpcodes.assign(Unknown.begin(), Unknown.end());
  }
  return Costs;
}

/// Gives the profile \p T of \p Executed the instructions of \p K.
void renumber(const Kernel &K, const Kernel &Executed, LaunchTiming &T) {
  for (size_t F = 0; F < T.Profile.size(); ++F) {
    std::vector<InstructionProfile> Old(K.functions()[F]->Code.size());
    for (size_t I = 0; I < T.Profile[F].size(); ++I)
      Old[Executed.functions()[F]->Code[I].Number].add(T.Profile[F][I]);
    T.Profile[F] = std::move(Old);
  }
}

} // namespace

CostProgram Clock::costs(const Kernel &K, const SassModule *Machine) const {
  CostProgram Costs = costsOf(P, K, Machine);
  if (TextOrder && Costs.Source == CostSource::PtxRules)
    Costs.keepTextOrder();
  return Costs;
}

TimedResult Clock::launch(Device &D, const Kernel &K, const LaunchOptions &O,
                          const SassModule *Machine, uint64_t CycleLimit) {
  return launch(D, K, O, costs(K, Machine), CycleLimit);
}

TimedResult Clock::launch(Device &D, const Kernel &K, const LaunchOptions &O,
                          const CostProgram &Code, uint64_t CycleLimit) {
  TimedResult R;
  LaunchShape Shape;
  Shape.Blocks = O.Grid.count();
  Shape.ThreadsPerBlock = uint32_t(O.Block.count());
  Shape.SharedBytes = K.attributes().StaticSharedBytes + O.DynamicSharedBytes;
  Shape.CycleLimit = CycleLimit;
  LaunchOptions Options = O;
  if (!Code.AccessBytes.empty())
    Options.AccessBytes = &Code.AccessBytes;
  // Blocks that are timed at once are executed at once.
  Options.Resident =
      P.SMs * occupancy(P, Shape, Code.RegistersPerThread).BlocksPerSM;
  Result<std::unique_ptr<LaunchSession>> Session =
      LaunchSession::create(D, Code.Executed ? *Code.Executed : K, Options);
  std::string Refusal;
  if (!Session)
    Refusal = Session.error().Message;
  else if (!Code.RegistersEstimated)
    Refusal = registerShortage(D.config(), Shape.ThreadsPerBlock,
                               Code.RegistersPerThread);
  if (!Refusal.empty()) {
    R.Execution.Status = LaunchStatus::InvalidConfiguration;
    R.Execution.Message = Refusal;
    return R;
  }
  uint64_t Next = 0;
  auto Execute = [&](auto What) {
    auto Start = std::chrono::steady_clock::now();
    bool More = What();
    R.ExecutionSeconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
            .count();
    return More;
  };
  // Blocks run in order, with or without a trace.
  auto Run = [&](BlockTrace &Trace, uint64_t After) {
    return Next < Shape.Blocks &&
           Execute([&] { return (*Session)->runBlock(Next++, &Trace, After); });
  };
  BlockMore More = [&](BlockTrace &Trace) {
    Execute([&] { return (*Session)->more(Trace), true; });
  };
  BlockSource Traced = [&](BlockTrace &Out) {
    bool More = Run(Out, 0);
    // A block that was started before its turn, by one that was not traced,
    // has no trace: it counts for nothing.
    if (More && Out.BlockIndex + 1 != Next)
      Out.Warps.assign(1, WarpTrace());
    return More;
  };
  BlockSkip Untraced = [&](uint64_t Count, uint64_t Most, BlockTrace &Unlike) {
    SkippedBlocks S;
    const uint64_t &Executed = (*Session)->result().Counters.WarpInstructions;
    while (Count-- && !S.Unlike) {
      uint64_t Before = Executed;
      bool More = Run(Unlike, Most);
      S.Unlike = !Unlike.Warps.empty();
      // Others may have been executed beside it, which are traced.
      S.Work +=
          S.Unlike ? std::min(Executed - Before, Most) : Executed - Before;
      S.Blocks += !S.Unlike;
      if (!S.Unlike)
        S.Accesses.add(Unlike.Accesses);
      if (!More)
        break;
    }
    return S;
  };
  // Blocks of a cooperative launch are all resident at once.
  bool Sampled = !Exact && !O.Cooperative;
  R.Timing = simulate(P, Code, Shape, Memory, Traced,
                      Sampled ? Untraced : BlockSkip(), More);
  if (Code.Executed)
    renumber(K, *Code.Executed, R.Timing);
  R.Execution = (*Session)->result();
  if (R.Timing.OverLimit && R.Execution.Status == LaunchStatus::Ok) {
    R.Execution.Status = LaunchStatus::Timeout;
    R.Execution.Message =
        "the launch took more than " + std::to_string(CycleLimit) + " cycles";
  }
  return R;
}
