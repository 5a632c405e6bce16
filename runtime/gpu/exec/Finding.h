//===- Finding.h - What a check found -----------------------------*- C++
//-*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Finding is one report of the embedded GPU about a launch: an illegal
// access, a race, a barrier that not all threads reach. The same report from
// many threads is kept once, with a count. Findings are data; nothing here
// prints.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_FINDING_H
#define GEVO_RUNTIME_GPU_EXEC_FINDING_H

#include <cstdint>
#include <optional>
#include <string>

namespace gevo::gpu {

/// A family of checks that launch options switch together.
enum class CheckFamily : uint8_t {
  Always, ///< Cannot be switched off.
  Bounds,
  Align,
  Race,
  Uninit,
  Barrier,
  Shuffle,
  Atomic
};

/// A set of check families. Bounds and alignment violations end a launch
/// whether or not they are reported, as the engine never touches memory that
/// is not the program's.
class CheckSet {
public:
  constexpr CheckSet() = default;
  constexpr explicit CheckSet(uint32_t Bits) : Bits(Bits) {}
  static constexpr CheckSet none() { return CheckSet(0); }
  static constexpr CheckSet all() { return CheckSet(0xff); }
  /// Bounds and alignment: the set that costs nearly nothing.
  static constexpr CheckSet bounds() {
    return none().with(CheckFamily::Bounds).with(CheckFamily::Align);
  }

  constexpr bool has(CheckFamily F) const {
    return F == CheckFamily::Always || (Bits >> unsigned(F) & 1);
  }
  constexpr CheckSet with(CheckFamily F) const {
    return CheckSet(Bits | 1u << unsigned(F));
  }
  constexpr CheckSet without(CheckFamily F) const {
    return CheckSet(Bits & ~(1u << unsigned(F)));
  }
  constexpr bool operator==(CheckSet O) const { return Bits == O.Bits; }

private:
  uint32_t Bits = 0;
};

/// How bad a finding is. A doubt is a warning for a program and an error for a
/// variant of it, unless the program has the same.
enum class Severity : uint8_t { Warning, Doubt, Error };

/// What was found; FindingKinds.def has the rows.
enum class FindingKind : uint8_t {
#define FINDING(Name, Text, Sev, Family) Name,
#include "runtime/gpu/exec/FindingKinds.def"
};

/// The stable name of a kind, as tools print it ("race-shared").
const char *findingName(FindingKind K);
Severity findingSeverity(FindingKind K);
CheckFamily findingFamily(FindingKind K);
/// The family named \p Name ("bounds", "race", ...), if there is one.
std::optional<CheckFamily> checkFamilyByName(const std::string &Name);

/// A CUDA dim3 or index.
struct Dim3 {
  uint32_t X = 1, Y = 1, Z = 1;
  uint64_t count() const { return uint64_t(X) * Y * Z; }
  bool operator==(const Dim3 &O) const {
    return X == O.X && Y == O.Y && Z == O.Z;
  }
};

/// Where a thread was: the instruction, as a line of the PTX text and, when
/// the PTX carries .loc directives, as a place in the source.
struct CodePlace {
  std::string Function;   ///< PTX name of the function that was executing.
  unsigned PtxLine = 0;   ///< Line in the PTX text, from 1; 0 if unknown.
  std::string SourceFile; ///< Empty without .loc.
  unsigned SourceLine = 0;
  unsigned SourceColumn = 0;
  /// Where the function called what this was inlined from; empty if it is its
  /// own or nothing is known. See ptx::callerOf.
  std::string CallerFile;
  unsigned CallerLine = 0;
};

/// One thread at one instruction.
struct ThreadPlace {
  Dim3 Block{0, 0, 0};
  Dim3 Thread{0, 0, 0};
  CodePlace Place;
};

/// One report. Identical reports (same kind, same instructions) from other
/// threads only raise Count; the fields describe the first one.
struct Finding {
  FindingKind Kind = FindingKind::IllegalInstruction;
  Severity Sev = Severity::Error;
  std::string Message; ///< One complete sentence, without the place.
  std::string Kernel;
  ThreadPlace Who;
  /// The other party of a race.
  std::optional<ThreadPlace> Other;
  /// The address that was accessed, as the program sees it.
  uint64_t Address = 0;
  uint32_t AccessBytes = 0;
  /// For global accesses: the nearest allocation and the distance from it in
  /// bytes (negative: before its start; positive: past its end).
  uint64_t NeighbourBase = 0;
  uint64_t NeighbourBytes = 0;
  int64_t NeighbourDistance = 0;
  std::string NeighbourName; ///< Of a module global; empty for allocations.
  /// What was accessed, by a name that does not depend on addresses: that of a
  /// variable, or "arg1" for what a parameter points to. Empty if it has none.
  std::string Memory;
  uint64_t Count = 1;

  /// The whole report as one line of text.
  std::string str() const;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_FINDING_H
