//===- Fitness.h - What an evaluation came to -------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time and error, both minimised, or the stage at which the variant failed.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_FITNESS_H
#define GEVO_SEARCH_FITNESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <optional>
#include <string>

namespace gevo {

/// Where an evaluation ended; one row of Stages.def each.
enum class Stage {
#define GEVO_STAGE(Id, Name, Summary) Id,
#include "search/Stages.def"
};
constexpr unsigned NumStages = static_cast<unsigned>(Stage::Done) + 1;

llvm::StringRef name(Stage S);
llvm::StringRef summary(Stage S);
std::optional<Stage> findStage(llvm::StringRef Name);

/// The result of one evaluation.
struct Fitness {
  Stage End = Stage::Done;
  /// Why it ended before Done, for people.
  std::string Reason;
  /// In nanoseconds, and as the comparison measures it; both mean something
  /// only if valid().
  double Time = 0;
  double Error = 0;
  /// False if this machine could not tell, as with a full disk: no result of
  /// the variant, but what ends the search.
  bool Judged = true;
  /// False if this machine may have had a part in it, as in what took too much
  /// time or memory: it holds for this search, and another one tries again.
  bool Lasting = true;

  bool valid() const { return End == Stage::Done; }
  /// No worse in both, better in one.
  bool dominates(const Fitness &Other) const {
    return Time <= Other.Time && Error <= Other.Error &&
           (Time < Other.Time || Error < Other.Error);
  }

  static Fitness failed(Stage End, std::string Reason) {
    return {End, std::move(Reason), 0, 0};
  }
  /// Of what another time, or on another machine, may go well.
  static Fitness failedHere(Stage End, std::string Reason) {
    return {End, std::move(Reason), 0, 0, /*Judged=*/true, /*Lasting=*/false};
  }
  /// Of what keeps this machine from judging.
  static Fitness notJudged(std::string Reason) {
    return {Stage::Load, std::move(Reason), 0, 0, /*Judged=*/false};
  }
};

llvm::json::Value toJSON(const Fitness &F);
bool fromJSON(const llvm::json::Value &Value, Fitness &F, llvm::json::Path P);

/// How many evaluations ended at each stage.
using StageCounts = std::array<uint64_t, NumStages>;

} // namespace gevo

#endif // GEVO_SEARCH_FITNESS_H
