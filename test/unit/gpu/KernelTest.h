//===- KernelTest.h - Running small PTX kernels in tests --------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixture with a device and one buffer; a test writes the body of a kernel
// whose single parameter, already in %out, is the buffer's address.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_GPU_KERNELTEST_H
#define GEVO_TEST_UNIT_GPU_KERNELTEST_H

#include "runtime/gpu/exec/Device.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

namespace gevo::gpu {

class KernelTest : public ::testing::Test {
protected:
  explicit KernelTest(uint32_t Arch = 70) : D(config(Arch)) {
    Out = D.allocate(BufferBytes);
  }

  static DeviceConfig config(uint32_t Arch) {
    DeviceConfig C;
    C.SmArch = Arch;
    C.GlobalBytes = uint64_t(64) << 20;
    return C;
  }

  /// A module with \p Before at top level and kernel k around \p Body.
  static std::string module(const std::string &Body,
                            const std::string &Before = {}) {
    return ".version 8.0\n.target sm_70\n.address_size 64\n" + Before +
           "\n.visible .entry k(.param .u64 k_param_0)\n{\n"
           ".reg .pred %p<8>; .reg .b16 %rs<8>; .reg .b32 %r<32>; "
           ".reg .f32 %f<16>; .reg .f64 %fd<8>; .reg .b64 %rd<16>;\n"
           ".reg .b64 %out; .reg .b32 %t; .reg .b64 %mine;\n"
           "ld.param.u64 %out, [k_param_0]; mov.u32 %t, %tid.x;\n"
           "mul.wide.u32 %mine, %t, 4; add.u64 %mine, %out, %mine;\n" +
           Body + "\nret;\n}\n";
  }

  LaunchResult run(const std::string &Body, Dim3 Block = {32, 1, 1},
                   CheckSet Checks = CheckSet::all(), Dim3 Grid = {1, 1, 1},
                   const std::string &Before = {}, uint32_t Shared = 0) {
    auto M = D.load(module(Body, Before));
    if (!M) {
      ADD_FAILURE() << M.error().str();
      return {};
    }
    LaunchOptions O;
    O.Grid = Grid;
    O.Block = Block;
    O.Params = &Out;
    O.ParamBytes = 8;
    O.Checks = Checks;
    O.DynamicSharedBytes = Shared;
    O.StepLimit = 20'000'000;
    O.Printf = [this](std::string_view S) { Printed += S; };
    return D.launch(*(*M)->kernel("k"), O);
  }

  /// Runs and expects no finding at all.
  void runClean(const std::string &Body, Dim3 Block = {32, 1, 1},
                Dim3 Grid = {1, 1, 1}, const std::string &Before = {}) {
    LaunchResult R = run(Body, Block, CheckSet::all(), Grid, Before);
    EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
    for (const Finding &F : R.Findings)
      ADD_FAILURE() << F.str();
  }

  /// How many findings of a kind there are.
  static unsigned count(const LaunchResult &R, FindingKind K) {
    unsigned N = 0;
    for (const Finding &F : R.Findings)
      N += F.Kind == K;
    return N;
  }

  template <typename T = uint32_t> T at(unsigned Index) const {
    T V;
    std::memcpy(&V, reinterpret_cast<const char *>(Out) + Index * sizeof(T),
                sizeof(T));
    return V;
  }
  template <typename T> void put(unsigned Index, T V) {
    std::memcpy(reinterpret_cast<char *>(Out) + Index * sizeof(T), &V,
                sizeof(T));
  }

  static constexpr uint64_t BufferBytes = 4096;
  Device D;
  uint64_t Out = 0;
  std::string Printed;
};

} // namespace gevo::gpu

#endif // GEVO_TEST_UNIT_GPU_KERNELTEST_H
