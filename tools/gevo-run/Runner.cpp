//===- Runner.cpp - Runs what launch.json says ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/Runner.h"
#include "runtime/gpu/driver/FindingJson.h"
#include "runtime/gpu/timing/HotLines.h"
#include "runtime/gpu/timing/TimedLaunch.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

using namespace gevo;
using namespace gevo::run;
using nlohmann::ordered_json;

namespace {

/// Names of kernels, for a message.
std::string listKernels(const std::vector<const gpu::Kernel *> &Kernels) {
  constexpr size_t Most = 10;
  std::string Names;
  for (size_t I = 0; I < Kernels.size() && I < Most; ++I)
    Names += "\n  " + Kernels[I]->name();
  if (Kernels.size() > Most)
    Names += "\n  and " + std::to_string(Kernels.size() - Most) + " more";
  return Names;
}

/// The kernel named \p Name, or the only one whose name holds it.
const gpu::Kernel *findKernel(const gpu::LoadedModule &Module,
                              const std::string &Name, std::string &Error) {
  if (const gpu::Kernel *Exact = Module.kernel(Name))
    return Exact;
  std::vector<const gpu::Kernel *> Holding, All;
  for (const auto &K : Module.kernels()) {
    All.push_back(K.get());
    if (K->name().find(Name) != std::string::npos)
      Holding.push_back(K.get());
  }
  if (Holding.size() == 1)
    return Holding[0];
  if (Holding.size() > 1)
    Error = "'" + Name +
            "' is part of several kernels' names; give more of "
            "one:" +
            listKernels(Holding);
  else if (All.empty())
    Error = "the PTX has no kernels";
  else
    Error =
        "there is no kernel '" + Name + "'; the PTX has:" + listKernels(All);
  return nullptr;
}

/// One run: a device with the buffers on it.
class Run {
public:
  Run(const LaunchFile &File, const RunOptions &Options)
      : File(File), Options(Options), Device(Options.Gpu.Config),
        Clock(Options.Gpu.Profile) {
    Clock.setExact(Options.Exact);
    Clock.setTextOrder(Options.Costs == gpu::timing::CostChoice::Text);
  }

  bool prepare(std::string &Error) {
    for (const BufferSpec &B : File.Buffers) {
      // An empty buffer still has an address.
      uint64_t Bytes = std::max<uint64_t>(B.Contents.size(), 1);
      uint64_t Base = Device.allocate(Bytes);
      if (!Base) {
        Error = "buffer '" + B.Name + "' does not fit into the memory of " +
                Options.Gpu.Model;
        return false;
      }
      Device.copyToDevice(Base, B.Contents.data(), B.Contents.size());
      Clock.copied(Device, Base, B.Contents.size());
      Bases[B.Name] = Base;
    }
    return true;
  }

  bool load(const std::string &Ptx, gpu::Diagnostic &Problem) {
    auto Loaded = Device.load(Ptx);
    if (!Loaded) {
      Problem = Loaded.error();
      return false;
    }
    Module = std::move(*Loaded);
    return true;
  }

  /// Has the PTX assembled if its machine code is to be priced. Without the
  /// tools, and for GPUs whose machine code cannot be read, rules do.
  bool assemble(const std::string &Ptx, std::string &Error) {
    using gpu::timing::CostChoice;
    if (!Options.Timing || Options.Costs == CostChoice::Rules ||
        Options.Costs == CostChoice::Text)
      return true;
    gpu::Result<gpu::timing::SassModule> M = gpu::timing::assemble(
        gpu::timing::findSassTools(), Ptx, Clock.profile().Arch);
    if (M)
      Machine = std::move(*M);
    if (M && Machine->WhyNoCode.empty())
      return true;
    WhyRules = M ? Machine->WhyNoCode : M.error().Message;
    Error = "no costs from machine code: " + WhyRules;
    if (Options.Costs == CostChoice::Sass)
      return false;
    // Standard output is the report's.
    std::fprintf(stderr, "gevo-run: note: priced by rules about PTX: %s\n",
                 WhyRules.c_str());
    return true;
  }

  bool resolve(std::string &Error) {
    for (size_t I = 0; I < File.Launches.size(); ++I) {
      Planned P;
      std::string Why;
      P.Kernel = findKernel(*Module, File.Launches[I].Kernel, Why);
      if (!P.Kernel || !layOut(File.Launches[I], P, Why)) {
        Error = "launches[" + std::to_string(I) + "]: " + Why;
        return false;
      }
      Plans.push_back(std::move(P));
    }
    return true;
  }

  void runAll(RunReport &Report) {
    Findings = ordered_json::array();
    ordered_json Launches = ordered_json::array();
    std::string Status = "ok", Message;
    for (size_t I = 0; I < Plans.size(); ++I) {
      gpu::timing::TimedResult Timed = launch(File.Launches[I], Plans[I]);
      const gpu::LaunchResult &R = Timed.Execution;
      Launches.push_back(describe(File.Launches[I], Plans[I], Timed));
      if (R.clean())
        continue;
      if (Status == "ok") {
        Status = statusOf(R);
        Message = R.Message;
      }
      // As on a GPU, nothing runs after a fault.
      if (R.Status != gpu::LaunchStatus::Ok)
        break;
    }
    Report.Clean = Status == "ok";
    Report.Json["status"] = Status;
    if (!Message.empty())
      Report.Json["message"] = Message;
    Report.Json["gpu"] = Options.Gpu.Model;
    Report.Json["launches"] = Launches;
    Report.Json["wall_seconds"] = WallSeconds;
    Report.Json["findings"] = Findings;
  }

  bool dump(RunReport &Report, std::string &Error) {
    for (const std::string &Name : File.Dumps) {
      const BufferSpec &B = *File.findBuffer(Name);
      std::vector<char> Bytes(B.Contents.size());
      Device.copyFromDevice(Bytes.data(), Bases[Name], Bytes.size());
      if (Options.OutFolder.empty())
        Report.Json["dump"][Name] = valuesOf(B, Bytes);
      else if (!writeDump(Name, Bytes, Error))
        return false;
    }
    return true;
  }

private:
  struct Planned {
    const gpu::Kernel *Kernel = nullptr;
    std::vector<char> Params;
  };

  static std::string statusOf(const gpu::LaunchResult &R) {
    return R.Status == gpu::LaunchStatus::Ok ? "findings"
                                             : gpu::launchStatusName(R.Status);
  }

  /// Puts the arguments of \p L where the kernel expects them.
  bool layOut(const LaunchSpec &L, Planned &P, std::string &Error) {
    const auto &Params = P.Kernel->params();
    if (Params.size() != L.Arguments.size()) {
      Error = "kernel " + P.Kernel->name() + " has " +
              std::to_string(Params.size()) + " parameters, but there are " +
              std::to_string(L.Arguments.size()) + " arguments";
      return false;
    }
    P.Params.resize(P.Kernel->paramBytes());
    for (size_t I = 0; I < Params.size(); ++I) {
      const ArgumentSpec &A = L.Arguments[I];
      std::vector<char> Bytes = A.Bytes;
      if (!A.Buffer.empty()) {
        uint64_t Address = Bases[A.Buffer] + A.Offset;
        Bytes.resize(sizeof(Address));
        std::memcpy(Bytes.data(), &Address, sizeof(Address));
      }
      if (Bytes.size() != Params[I].Size) {
        Error = "argument " + std::to_string(I) + " '" + A.Text + "' has " +
                std::to_string(Bytes.size()) + " bytes, but parameter " +
                Params[I].Name + " of kernel " + P.Kernel->name() + " has " +
                std::to_string(Params[I].Size);
        return false;
      }
      std::memcpy(&P.Params[Params[I].Offset], Bytes.data(), Bytes.size());
    }
    return true;
  }

  gpu::timing::TimedResult launch(const LaunchSpec &L, const Planned &P) {
    gpu::LaunchOptions O;
    O.Grid = L.Grid;
    O.Block = L.Block;
    O.DynamicSharedBytes = L.SharedBytes;
    O.Cooperative = L.Cooperative;
    O.Params = P.Params.data();
    O.ParamBytes = P.Params.size();
    O.Checks = Options.Checks;
    O.StepLimit = Options.StepLimit;
    // Standard output is the report's.
    O.Printf = [](std::string_view Text) {
      std::fwrite(Text.data(), 1, Text.size(), stderr);
    };
    auto Start = std::chrono::steady_clock::now();
    gpu::timing::TimedResult R;
    if (Options.Timing) {
      if (Options.ColdL2)
        Clock.flush();
      R = Clock.launch(Device, *P.Kernel, O, Machine ? &*Machine : nullptr);
      WallSeconds += R.ExecutionSeconds;
      return R;
    }
    R.Execution = Device.launch(*P.Kernel, O);
    WallSeconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
            .count();
    return R;
  }

  ordered_json describe(const LaunchSpec &L, const Planned &P,
                        const gpu::timing::TimedResult &Timed) {
    const gpu::LaunchResult &R = Timed.Execution;
    const gpu::timing::LaunchTiming &T = Timed.Timing;
    ordered_json J;
    J["kernel"] = P.Kernel->name();
    J["status"] = R.clean() ? "ok" : statusOf(R);
    J["grid"] = {L.Grid.X, L.Grid.Y, L.Grid.Z};
    J["block"] = {L.Block.X, L.Block.Y, L.Block.Z};
    J["cycles"] = nullptr;
    J["time_us"] = nullptr;
    if (Options.Timing) {
      J["cycles"] = T.Cycles;
      J["time_us"] = double(T.Nanoseconds) / 1000.0;
    }
    ordered_json Counters = gpu::countersJson(R.Counters);
    for (auto &[Key, Value] : Counters.items())
      J[Key] = Value;
    if (Options.Timing)
      J["timing"] = timingJson(*P.Kernel, T);
    J["findings"] = R.Findings.size();
    if (R.FindingsDropped)
      J["findings_dropped"] = R.FindingsDropped;
    for (const gpu::Finding &F : R.Findings)
      Findings.push_back(gpu::findingJson(F));
    return J;
  }

  /// How the time came about.
  ordered_json timingJson(const gpu::Kernel &K,
                          const gpu::timing::LaunchTiming &T) {
    using namespace gpu::timing;
    ordered_json J;
    J["source"] = T.Source == CostSource::Sass      ? "sass"
                  : T.Source == CostSource::PtxText ? "ptx-text"
                                                    : "ptx-rules";
    if (const std::string &Why = Machine ? T.WhyRules : WhyRules; !Why.empty())
      J["source_reason"] = Why;
    J["l2"] = T.WarmL2 ? "warm" : "cold";
    J["registers_per_thread"] = T.RegistersPerThread;
    J["blocks_per_sm"] = T.Full.BlocksPerSM;
    J["warps_per_sm"] = T.Full.WarpsPerSM;
    J["occupancy_limit"] = T.Full.Limit;
    J["blocks"] = T.Blocks;
    J["blocks_timed"] = T.BlocksTimed;
    J["error_estimate"] = T.ErrorEstimate;
    J["dram_read_sectors"] = T.Memory.DramReads;
    J["dram_write_sectors"] = T.Memory.DramWrites;
    if (T.Source == CostSource::Sass) {
      char Hash[20];
      std::snprintf(
          Hash, sizeof(Hash), "%016llx",
          static_cast<unsigned long long>(Machine->at(K.name()).Hash));
      J["sass_hash"] = Hash;
      J["sass_arch"] = "sm_" + std::to_string(Machine->Arch);
      J["assembler"] = Machine->Assembler;
      if (!T.UnknownOpcodes.empty()) {
        J["unknown_opcodes"] = T.UnknownOpcodes;
        std::fprintf(stderr,
                     "gevo-run: note: %s has machine instructions that "
                     "the clock does not know and takes for slow ones: "
                     "%s; please report them\n",
                     K.name().c_str(), J["unknown_opcodes"].dump().c_str());
      }
    }
    if (Options.Profile) {
      // Standard output is the report's.
      constexpr size_t Most = 20;
      std::string Table = hotLinesText(hotLines(K, T, LineKind::Source), Most);
      std::fprintf(stderr, "%s\n%s", K.name().c_str(), Table.c_str());
    }
    if (Options.ProfileJson) {
      J["source_lines"] =
          ordered_json::parse(hotLinesJson(hotLines(K, T, LineKind::Source)));
      J["ptx_lines"] =
          ordered_json::parse(hotLinesJson(hotLines(K, T, LineKind::Ptx)));
      std::vector<HotLine> Anchors = hotLines(K, T, LineKind::Anchor);
      if (!Anchors.empty())
        J["anchors"] = ordered_json::parse(hotLinesJson(Anchors));
    }
    return J;
  }

  static ordered_json valuesOf(const BufferSpec &B,
                               const std::vector<char> &Bytes) {
    ordered_json Values = ordered_json::array();
    for (uint64_t I = 0; I < B.Count; ++I) {
      uint64_t Bits = 0;
      std::memcpy(&Bits, &Bytes[size_t(I) * B.Type->Bytes], B.Type->Bytes);
      Values.push_back(valueJson(*B.Type, Bits));
    }
    return Values;
  }

  bool writeDump(const std::string &Name, const std::vector<char> &Bytes,
                 std::string &Error) {
    std::error_code Code;
    std::filesystem::create_directories(Options.OutFolder, Code);
    std::string Path = Options.OutFolder + "/" + Name + ".bin";
    std::ofstream Out(Path, std::ios::binary);
    Out.write(Bytes.data(), std::streamsize(Bytes.size()));
    Out.close();
    if (!Out)
      Error = "cannot write '" + Path + "': " + std::strerror(errno);
    return bool(Out);
  }

  const LaunchFile &File;
  const RunOptions &Options;
  gpu::Device Device;
  gpu::timing::Clock Clock;
  std::optional<gpu::timing::SassModule> Machine;
  std::string WhyRules; ///< Why there is none, if it was wanted.
  std::unique_ptr<gpu::LoadedModule> Module;
  std::map<std::string, uint64_t> Bases;
  std::vector<Planned> Plans;
  ordered_json Findings;
  double WallSeconds = 0;
};

} // namespace

std::optional<RunReport> gevo::run::runLaunches(const LaunchFile &File,
                                                const std::string &PtxName,
                                                const std::string &Ptx,
                                                const RunOptions &Options,
                                                std::string &Error) {
  RunReport Report;
  Run R(File, Options);
  gpu::Diagnostic Problem;
  if (!R.prepare(Error))
    return std::nullopt;
  if (!R.load(Ptx, Problem)) {
    std::fprintf(stderr, "%s:%s%s\n", PtxName.c_str(), Problem.Line ? "" : " ",
                 Problem.str().c_str());
    Report.Clean = false;
    Report.Json["status"] = "invalid-ptx";
    Report.Json["message"] = PtxName + ":" + Problem.str();
    Report.Json["gpu"] = Options.Gpu.Model;
    Report.Json["launches"] = ordered_json::array();
    Report.Json["wall_seconds"] = 0.0;
    Report.Json["findings"] = ordered_json::array();
    return Report;
  }
  if (!R.resolve(Error) || !R.assemble(Ptx, Error))
    return std::nullopt;
  R.runAll(Report);
  if (!R.dump(Report, Error))
    return std::nullopt;
  return Report;
}
