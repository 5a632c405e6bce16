//===- Sampling.h - Which launches stand for the others ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may launch a kernel a million times; a few launches that differ are
// enough. A launch is known by what it looks like before it runs (grid, block,
// arguments that are not pointers) and by what it did (counts of instructions
// by kind). Launches equal in both are one sample with a weight. When there are
// more samples than wanted, the later of the two that are nearest goes, so that
// what is kept is spread as far as possible. Every launch counts in the weight
// of exactly one sample, the one that is nearest in the end: a launch may come
// long before one like it is recorded.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_SAMPLING_H
#define GEVO_RUNTIME_GPU_CAPTURE_SAMPLING_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace gevo::capture {

/// What a launch looks like before it runs.
struct LaunchShape {
  std::string Configuration; ///< Grid, block and shared memory.
  std::string Arguments;     ///< Without pointers.
  bool operator==(const LaunchShape &O) const {
    return Configuration == O.Configuration && Arguments == O.Arguments;
  }
  bool operator<(const LaunchShape &O) const {
    return Configuration != O.Configuration ? Configuration < O.Configuration
                                            : Arguments < O.Arguments;
  }
};

/// What it did: counts of instructions, all of them first.
using Behaviour = std::array<uint64_t, 8>;
/// Logarithms of them, which tell the factors between two.
using Magnitudes = std::array<double, std::tuple_size_v<Behaviour>>;

/// The samples of one kernel.
class Sampling {
public:
  explicit Sampling(size_t MaxSamples) : MaxSamples(MaxSamples) {}

  struct Sample {
    LaunchShape Shape;
    Behaviour Did = {};
    size_t Number = 0;   ///< The caller's.
    uint64_t Weight = 0; ///< Since settle().
    Magnitudes Size = {};
    uint64_t Uncounted = 0; ///< Launches that Shapes has no room for.
  };

  /// A launch of this shape is about to run: is it worth recording? Recordings
  /// are few among many launches, because they are slow.
  bool wants(const LaunchShape &Shape);

  /// What to do with a launch that has run.
  struct Verdict {
    bool Keep = false;          ///< Only if it was recorded.
    std::optional<size_t> Drop; ///< Number of a sample that is no longer one.
  };
  /// Counts a launch. If the verdict is to keep it, \p Number is its own.
  Verdict add(const LaunchShape &Shape, const Behaviour &Did, bool Recorded,
              size_t Number);

  /// Gives the sample \p Old another number.
  void setNumber(size_t Old, size_t New);
  /// Gives the samples the weights that they have by now.
  void settle();
  const std::vector<Sample> &samples() const { return Samples; }
  uint64_t launches() const { return Launches; }
  uint64_t recordings() const { return Recordings; }

private:
  struct Seen {
    uint64_t Times = 0;
    Behaviour Last = {};
    bool Varies = false;
    std::map<Behaviour, uint64_t> Launches; ///< By what they did.
  };

  bool count(const LaunchShape &Shape, const Behaviour &Did);
  Sample *nearest(const LaunchShape &Shape, const Magnitudes &Size);

  size_t MaxSamples;
  std::vector<Sample> Samples;
  std::map<LaunchShape, Seen> Shapes;
  size_t Kinds = 0; ///< Of launches that Shapes tells apart.
  uint64_t Launches = 0, Recordings = 0, Orphans = 0;
};

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_SAMPLING_H
