//===- Kernels.h - PTX on the clock, for tests ------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_TIMING_KERNELS_H
#define GEVO_TEST_UNIT_TIMING_KERNELS_H

#include "runtime/gpu/timing/SassKinds.h"
#include "runtime/gpu/timing/TimedLaunch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

namespace gevo::gpu::timing {

inline Profile profileNamed(const std::string &Name) {
  Result<Profile> P = findProfile(Name, {GEVO_PROFILE_FOLDER});
  EXPECT_TRUE(P) << Name;
  return *P;
}

/// The machine code of \p Ptx for \p Arch, assembled once.
inline const SassModule *machineCode(const std::string &Ptx, uint64_t Arch) {
  static std::map<std::pair<std::string, uint64_t>, SassModule> Known;
  auto It = Known.find({Ptx, Arch});
  if (It == Known.end()) {
    Result<SassModule> M = assemble(findSassTools(), Ptx, Arch);
    EXPECT_TRUE(M) << (M ? "" : M.error().str());
    if (M)
      for (const auto &[Name, Listing] : *M)
        EXPECT_EQ(unknownOpcodes(Listing), std::set<std::string>()) << Name;
    It = Known.emplace(std::pair(Ptx, Arch), M ? *M : SassModule()).first;
  }
  return &It->second;
}

/// A GPU with one loaded module.
class Bench {
public:
  /// \p Machine: costs of machine code, for which the tools must be there.
  Bench(const Profile &P, const std::string &Ptx, bool Machine = false)
      : Time(P), Gpu(deviceConfig(P)) {
    if (Machine)
      Sass = machineCode(Ptx, P.Arch);
    Result<std::unique_ptr<LoadedModule>> M = Gpu.load(Ptx);
    EXPECT_TRUE(M) << (M ? "" : M.error().str()) << "\n" << Ptx;
    if (M)
      Module = std::move(*M);
  }

  /// Launches \p Name with 64-bit arguments.
  LaunchTiming run(const std::string &Name, Dim3 Grid, Dim3 Block,
                   std::vector<uint64_t> Args, uint32_t Shared = 0) {
    const Kernel *K = Module ? Module->kernel(Name) : nullptr;
    EXPECT_TRUE(K) << Name;
    if (!K)
      return {};
    std::vector<char> Buffer(K->paramBytes());
    for (size_t I = 0; I < Args.size(); ++I)
      std::memcpy(Buffer.data() + K->params()[I].Offset, &Args[I],
                  K->params()[I].Size);
    LaunchOptions O;
    O.Grid = Grid;
    O.Block = Block;
    O.Params = Buffer.data();
    O.ParamBytes = Buffer.size();
    O.DynamicSharedBytes = Shared;
    TimedResult R = Time.launch(Gpu, *K, O, Sass);
    EXPECT_EQ(R.Execution.Status, LaunchStatus::Ok) << R.Execution.Message;
    return R.Timing;
  }

  Clock Time;
  Device Gpu;
  std::unique_ptr<LoadedModule> Module;
  const SassModule *Sass = nullptr;
};

/// A kernel "k" of \p Params and \p Body.
inline std::string kernel(const Profile &P, const std::string &Params,
                          const std::string &Body) {
  return ".version 7.8\n.target sm_" + std::to_string(P.Arch) +
         "\n.address_size 64\n.visible .entry k(" + Params + ") {\n" + Body +
         "\nret;\n}\n";
}

inline std::string repeat(unsigned N, const std::string &Text) {
  std::string Out;
  for (unsigned I = 0; I < N; ++I)
    Out += Text;
  return Out;
}

/// An instruction of machine code that came of a PTX line.
struct SassRow {
  uint32_t Line;
  const char *Opcode;
  bool Label = false;
};

/// Machine code of \p Rows. A branch has a condition.
inline SassListing listingOf(const std::vector<SassRow> &Rows) {
  SassListing L;
  for (const SassRow &Row : Rows) {
    SassInstruction I;
    I.Line = Row.Line;
    I.Opcode = Row.Opcode;
    I.Label = Row.Label;
    I.Guarded = I.Opcode == "BRA";
    L.Code.push_back(I);
  }
  return L;
}

/// Costs on a V100 of kernel "k" of \p Ptx by the machine code \p Rows.
inline SassFunction costsOf(const std::string &Ptx,
                            const std::vector<SassRow> &Rows) {
  Profile P = profileNamed("V100");
  Bench B(P, Ptx);
  return costsFromSass(P, *B.Module->kernel("k")->functions()[0],
                       listingOf(Rows));
}

} // namespace gevo::gpu::timing

#endif // GEVO_TEST_UNIT_TIMING_KERNELS_H
