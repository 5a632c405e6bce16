//===- Program.h - What the engine evolves ----------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine asks any program the same few things, so that LLVM IR, MLIR and
// loop schedules are programs in one engine. A program is used by one thread or
// process at a time; workers have copies.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_PROGRAM_H
#define GEVO_SEARCH_PROGRAM_H

#include "passes/edit/Edit.h"
#include "passes/edit/Random.h"
#include "search/Fitness.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gevo {

/// An edit, and which of the program's functions it is for.
struct PlacedEdit {
  unsigned Function = 0;
  Edit Change;

  bool operator==(const PlacedEdit &O) const {
    return Function == O.Function && Change == O.Change;
  }
  /// One line, equal exactly for equal edits: "0 delete at=i12".
  std::string key() const;
};

/// Applied in order, always to the original.
using EditList = std::vector<PlacedEdit>;

/// A line per edit.
std::string keyOf(const EditList &Edits);
/// Reads what PlacedEdit::key() wrote.
llvm::Expected<PlacedEdit> parsePlacedEdit(llvm::StringRef Key);
llvm::json::Value toJSON(const PlacedEdit &E);
bool fromJSON(const llvm::json::Value &Value, PlacedEdit &E,
              llvm::json::Path P);

/// What a device loads: one text per module of the program.
struct Payload {
  std::vector<std::string> Modules;
  /// 16 hexadecimal digits.
  std::string hash() const;
};

/// A variant's code, or the stage at which building it failed.
struct Built {
  Fitness Failure;
  Payload Code;
  bool ok() const { return Failure.valid(); }
};

/// A kind of edit that is worth trying at a place, and how often such an edit
/// is of use, to weigh heat with; any unit.
struct PlaceKind {
  PlaceKind(EditKind Kind, unsigned Weight = 1, uint64_t Freed = 0)
      : Kind(Kind), Weight(Weight), Freed(Freed) {}
  EditKind Kind;
  unsigned Weight;
  /// The heat of what nobody needs any more after it, besides the place.
  uint64_t Freed;
};

/// Something that an edit can be about.
struct Place {
  unsigned Function = 0;
  /// Of the instruction, as in its anchor.
  unsigned Number = 0;
  /// Share of the run time; any unit.
  uint64_t Heat = 0;
  /// Of the loop it is in, or of its block, the mean of an instruction: what is
  /// waited for costs where it is used.
  uint64_t Around = 0;
  /// To be drawn one by one; one that stands here twice, twice.
  std::vector<PlaceKind> Kinds;
  /// Edits of it that often help.
  std::vector<Edit> Suggested;
  /// Gives way to an earlier value that it was seen to be always equal to. All
  /// such edits of a program hold together.
  std::optional<Edit> Twin;
  /// The same for places of a function that look alike, as the copies of an
  /// unrolled loop do; 0: nothing is like this one.
  uint64_t Family = 0;

  /// What an edit of a kind is likely to gain here.
  uint64_t promise(const PlaceKind &K) const {
    return (Heat + Around + K.Freed) * K.Weight;
  }
};

/// Which edit to draw.
struct Proposal {
  std::optional<EditKind> Kind;
  /// Only an edit about this place.
  const Place *At = nullptr;
  /// Take places by their heat instead of all alike.
  bool Hot = false;
  /// Only an edit that names nothing but its place and a choice.
  bool Plain = false;
  /// Only an edit about what every kind may be about: no operand of a branch, a
  /// phi or a return.
  bool OnlyTargets = false;
};

class Program {
public:
  virtual ~Program();

  /// The same original, for another worker.
  virtual std::unique_ptr<Program> clone() const = 0;
  /// The same for the same program in any process, and for no other.
  virtual std::string identity() const = 0;
  virtual size_t functionCount() const = 0;

  /// Draws an edit to append to \p Base, which applies. Nothing means that
  /// these dice came to nothing.
  virtual std::optional<PlacedEdit>
  propose(const EditList &Base, const Proposal &What, Random &Dice) = 0;
  /// Applies, cleans up, verifies and lowers.
  virtual Built build(const EditList &Edits) = 0;
  /// The part of build() before code is generated; valid if that succeeds. Of
  /// use where build() was a worker's death, to say at which stage.
  virtual Fitness cleanUp(const EditList &Edits) = 0;

  /// All places of the original, the hottest first.
  virtual std::vector<Place> places() const = 0;
};

/// Runs code on the scenario's cases: loads, runs, checks, compares and times.
/// The same code gets the same answer, whatever ran before it.
class Runner {
public:
  virtual ~Runner();
  virtual Fitness run(const Payload &Code) = 0;
};

} // namespace gevo

#endif // GEVO_SEARCH_PROGRAM_H
