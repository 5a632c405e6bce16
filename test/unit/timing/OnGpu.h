//===- OnGpu.h - Microbenchmarks on every profile ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_TIMING_ONGPU_H
#define GEVO_TEST_UNIT_TIMING_ONGPU_H

#include "test/unit/timing/Kernels.h"

#include <set>

namespace gevo::gpu::timing {

/// The profiles that are shipped.
inline const char *const Gpus[] = {"P100", "GTX1080Ti", "V100",
                                   "A100", "H100",      "RTX4090"};

inline std::string gpuName(const testing::TestParamInfo<const char *> &I) {
  return I.param;
}

/// A figure of Published.def.
struct Published {
  const char *Gpu, *Microbenchmark;
  double Figure;
  const char *Source;
};
inline const Published PublishedFigures[] = {
#define PUBLISHED(Gpu, Microbenchmark, Figure, Source)                         \
  {Gpu, Microbenchmark, Figure, Source},
#include "test/unit/timing/Published.def"
};

/// Measures on one profile and compares with its figures, and with those that
/// were published.
class OnGpu : public testing::TestWithParam<const char *> {
protected:
  Profile P = profileNamed(GetParam());

  void within10(double Measured, double Figure, const std::string &What) {
    EXPECT_GT(Measured, 0.9 * Figure) << What << " on " << P.Name;
    EXPECT_LT(Measured, 1.1 * Figure) << What << " on " << P.Name;
    RecordProperty(What, std::to_string(Measured) + " (profile " +
                             std::to_string(Figure) + ")");
    asPublished(Measured, What);
  }

  /// Every row of Published.def that is named \p What.
  void asPublished(double Measured, const std::string &What) {
    for (const Published &R : PublishedFigures)
      if (P.Name == R.Gpu && What == R.Microbenchmark) {
        EXPECT_GE(Measured, 0.9 * R.Figure) << What << ", " << R.Source;
        EXPECT_LE(Measured, 1.1 * R.Figure) << What << ", " << R.Source;
        RecordProperty("published_" + What, std::to_string(R.Figure));
        Compared.insert(&R);
      }
  }

  /// Rows that nothing measures would be no checks: a test calls this behind
  /// all measurements whose names begin with one of \p Prefixes.
  void allCompared(std::initializer_list<std::string> Prefixes) {
    for (const Published &R : PublishedFigures)
      for (const std::string &Prefix : Prefixes)
        if (P.Name == R.Gpu && !std::string(R.Microbenchmark).rfind(Prefix, 0))
          EXPECT_TRUE(Compared.count(&R)) << R.Microbenchmark;
  }

  std::set<const Published *> Compared;

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
