//===- Reference.h - Comparing dumps with the CPU ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_GPU_KERNELS_REFERENCE_H
#define GEVO_TEST_GPU_KERNELS_REFERENCE_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// The buffer \p Name that gevo-run dumped into \p Folder.
template <typename T>
std::vector<T> load(const std::string &Folder, const std::string &Name) {
  std::ifstream In(Folder + "/" + Name + ".bin", std::ios::binary);
  std::string Bytes((std::istreambuf_iterator<char>(In)),
                    std::istreambuf_iterator<char>());
  if (Bytes.empty() || Bytes.size() % sizeof(T)) {
    std::printf("dump %s is missing or cut\n", Name.c_str());
    std::exit(1);
  }
  const T *First = reinterpret_cast<const T *>(Bytes.data());
  return std::vector<T>(First, First + Bytes.size() / sizeof(T));
}

/// Counts what was compared and ends the program with a verdict.
class Comparison {
public:
  template <typename T>
  void equal(const char *What, const std::vector<T> &Got,
             const std::vector<T> &Want) {
    near(What, Got, Want, 0.0);
  }

  /// Compares relative to the size of what is wanted, or absolutely below one.
  template <typename T>
  void near(const char *What, const std::vector<T> &Got,
            const std::vector<T> &Want, double Tolerance) {
    if (Got.size() != Want.size()) {
      std::printf("%s: %zu elements, not %zu\n", What, Got.size(), Want.size());
      ++Wrong;
    }
    for (size_t I = 0; I < Got.size() && I < Want.size(); ++I) {
      ++Compared;
      double Scale = std::fmax(1.0, std::fabs(double(Want[I])));
      bool Same =
          Got[I] == Want[I] ||
          std::fabs(double(Got[I]) - double(Want[I])) <= Tolerance * Scale ||
          (Got[I] != Got[I] && Want[I] != Want[I]);
      if (!Same && Wrong++ < 5)
        std::printf("%s[%zu]: %.17g, not %.17g\n", What, I, double(Got[I]),
                    double(Want[I]));
    }
  }

  int verdict() const {
    std::printf("%zu compared, %zu wrong\n", Compared, Wrong);
    return Wrong || !Compared ? 1 : 0;
  }

private:
  size_t Compared = 0, Wrong = 0;
};

#endif // GEVO_TEST_GPU_KERNELS_REFERENCE_H
