//===- OnGpu.h - Microbenchmarks on every profile ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_TIMING_ONGPU_H
#define GEVO_TEST_UNIT_TIMING_ONGPU_H

#include "test/unit/timing/Kernels.h"

namespace gevo::gpu::timing {

/// The profiles that are shipped.
inline const char *const Gpus[] = {"P100", "GTX1080Ti", "V100",
                                   "A100", "H100",      "RTX4090"};

inline std::string gpuName(const testing::TestParamInfo<const char *> &I) {
  return I.param;
}

/// Measures on one profile and compares with its figures.
class OnGpu : public testing::TestWithParam<const char *> {
protected:
  Profile P = profileNamed(GetParam());

  void within10(double Measured, double Figure, const std::string &What) {
    EXPECT_GT(Measured, 0.9 * Figure) << What << " on " << P.Name;
    EXPECT_LT(Measured, 1.1 * Figure) << What << " on " << P.Name;
    RecordProperty(What, std::to_string(Measured) + " (profile " +
                             std::to_string(Figure) + ")");
  }

  /// Cycles per repetition of \p Step between \p Before and \p After.
  double perStep(const std::string &Before, const std::string &Step,
                 const std::string &After, Dim3 Block = {32, 1, 1},
                 unsigned Few = 200, unsigned Many = 600) {
    uint64_t Cycles[2];
    for (unsigned I = 0; I < 2; ++I) {
      Bench B(P, kernel(P, ".param .u64 out",
                        Before + repeat(I ? Many : Few, Step) + After));
      uint64_t Out = B.Gpu.allocate(65536);
      Cycles[I] = B.run("k", {1, 1, 1}, Block, {Out}).Cycles;
    }
    return double(Cycles[1] - Cycles[0]) / (Many - Few);
  }
};

} // namespace gevo::gpu::timing

#endif // GEVO_TEST_UNIT_TIMING_ONGPU_H
