//===- Profile.h - A GPU as the timing model sees it ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile holds the figures of one GPU. Profiles are text files, one line
// "key = value  # comment" per field of ProfileFields.def; the reader is
// strict, so that a mistyped key is an error and not a default; only fields
// that came later may be missing, so that files of users go on working.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_PROFILE_H
#define GEVO_RUNTIME_GPU_TIMING_PROFILE_H

#include "runtime/gpu/ptx/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu::timing {

/// The execution pipes that each scheduler has one of.
enum class Unit : uint8_t {
#define PIPE(Name, Key) Name,
#include "runtime/gpu/timing/ProfileFields.def"
  None ///< Costs nothing: what the assembler removes.
};
constexpr unsigned NumUnits = unsigned(Unit::None);

/// "fp32", "memory", ...; "none".
const char *unitName(Unit U);

/// Cycles of one pipe.
struct PipeCost {
  uint64_t Interval = 1; ///< From one warp instruction to the next.
  uint64_t Latency = 1;  ///< From issue to use of the result.
};

/// The figures of one GPU.
struct Profile {
  std::string Name;     ///< What --gpu takes: "V100".
  std::string FullName; ///< What the vendor calls it.
#define FIELD(Name, Key, Min, Max) uint64_t Name = 0;
#define LATER(Name, Key, Min, Max, Default) uint64_t Name = Default;
#include "runtime/gpu/timing/ProfileFields.def"
  PipeCost Pipes[NumUnits];

  const PipeCost &pipe(Unit U) const { return Pipes[unsigned(U)]; }
};

/// Reads a profile. The diagnostic has the line and names the field; a missing
/// field is reported at line 0.
Result<Profile> parseProfile(std::string_view Text);

/// All fields of \p P, a line each: equal for GPUs on which all takes the same
/// time.
std::string profileText(const Profile &P);

/// Reads the profile in \p File.
Result<Profile> readProfile(const std::string &File);

/// The folders searched for NAME.gpu: those of GEVO_GPU_PATH, then the ones of
/// the installation and of the build.
std::vector<std::string> profileFolders();

/// The profile that \p Name means: a path if it has a slash or ends in .gpu,
/// otherwise the name of a file in a folder of \p Folders, in any case of
/// letters.
Result<Profile> findProfile(const std::string &Name,
                            const std::vector<std::string> &Folders);

/// The names of the profiles in \p Folders, sorted, each once.
std::vector<std::string> profileNames(const std::vector<std::string> &Folders);

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_PROFILE_H
