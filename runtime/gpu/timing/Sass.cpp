//===- Sass.cpp - Pricing PTX lines by their machine code -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"
#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/timing/Rules.h"

#include <algorithm>
#include <cstdlib>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// What an opcode of machine code occupies.
enum class SassClass : uint8_t { Nothing, Memory, Control, Pipe };
struct SassPipe {
  SassClass Class;
  Unit Pipe;
};

struct SassRow {
  const char *Prefix;
  SassPipe Pipe;
};

/// The first row whose prefix matches decides.
const SassRow Rows[] = {
#define SASS(Prefix, Class, UnitName)                                          \
  {Prefix, {SassClass::Class, Unit::UnitName}},
#include "runtime/gpu/timing/SassOpcodes.def"
};

SassPipe classify(std::string_view Opcode) {
  for (const SassRow &R : Rows)
    if (Opcode.substr(0, std::string_view(R.Prefix).size()) == R.Prefix)
      return R.Pipe;
  return {SassClass::Pipe, Unit::Int};
}

std::string_view trim(std::string_view S) {
  size_t Begin = S.find_first_not_of(" \t\r");
  if (Begin == std::string_view::npos)
    return {};
  return S.substr(Begin, S.find_last_not_of(" \t\r") - Begin + 1);
}

uint64_t mixHash(uint64_t Hash, uint64_t Word) {
  Hash = (Hash ^ Word) * 0x100000001b3ull;
  return Hash ^ Hash >> 32;
}

/// The number behind the last "0x" of \p Line, or nothing.
std::optional<uint64_t> encodingOf(std::string_view Line) {
  size_t At = Line.rfind("/* 0x");
  if (At == std::string_view::npos)
    return std::nullopt;
  return std::strtoull(std::string(Line.substr(At + 3)).c_str(), nullptr, 16);
}

/// Reads one listing line by line.
class ListingReader {
public:
  void line(std::string_view Line);
  SassModule Module;

private:
  void instruction(std::string_view Line);
  SassListing *Current = nullptr;
  uint32_t PtxLine = 0;
};

void ListingReader::line(std::string_view Line) {
  std::string_view Body = trim(Line);
  constexpr std::string_view Section = ".section\t.text.";
  if (Body.substr(0, Section.size()) == Section) {
    std::string_view Name = Body.substr(Section.size());
    Current = &Module[std::string(Name.substr(0, Name.find(',')))];
    PtxLine = 0;
    return;
  }
  if (!Current)
    return;
  if (size_t At = Body.find("SHI_REGISTERS="); At != std::string_view::npos)
    Current->Registers = uint32_t(
        std::strtoul(std::string(Body.substr(At + 14)).c_str(), nullptr, 10));
  if (Body.substr(0, 4) == "//##") {
    size_t At = Body.rfind("line ");
    if (At != std::string_view::npos)
      PtxLine = uint32_t(
          std::strtoul(std::string(Body.substr(At + 5)).c_str(), nullptr, 10));
    return;
  }
  if (Body.substr(0, 2) == "/*")
    instruction(Body);
}

void ListingReader::instruction(std::string_view Line) {
  std::optional<uint64_t> Word = encodingOf(Line);
  if (Word)
    Current->Hash = mixHash(Current->Hash, *Word);
  if (Line.substr(0, 4) == "/* 0") {
    // The second half of the encoding has the stall count in bits 41 to 44.
    if (Word && !Current->Code.empty())
      Current->Code.back().Stall = uint8_t(*Word >> 41 & 15);
    return;
  }
  std::string_view Rest = trim(Line.substr(Line.find("*/") + 2));
  if (!Rest.empty() && Rest[0] == '@')
    Rest = trim(Rest.substr(Rest.find(' ')));
  SassInstruction I;
  I.Opcode = Rest.substr(0, Rest.find_first_of(" ;"));
  I.Line = PtxLine;
  Current->Code.push_back(std::move(I));
}

bool isMemory(const ptx::Instruction &I) {
  return ptx::opcodeInfo(I.Op).Fam == ptx::Family::Memory;
}

/// What one line became: instructions by pipe, in all copies.
struct LineCode {
  unsigned Memory = 0, Plain = 0;
  unsigned PerPipe[NumUnits] = {};
  uint32_t Place = NoIndex;
};

/// How often an unrolled block is there: the median over the lines that would
/// be one instruction each. Some have more in any case (a comparison that needs
/// two), so the most frequent one would make the others look removed. Memory
/// and float lines decide if there are any: of a loop's own counting the
/// assembler leaves one copy.
unsigned copiesOf(const Profile &P, const ptx::Function &F,
                  const ptx::BasicBlock &B,
                  const std::map<uint32_t, LineCode> &Lines) {
  std::vector<unsigned> Work, All;
  for (uint32_t K = B.Begin; K < B.End; ++K) {
    auto L = Lines.find(F.Code[K].Line);
    if (L == Lines.end())
      continue;
    std::vector<Step> Rule = arithmeticSteps(P, F, F.Code[K]);
    bool Simple = Rule.size() == 1 && Rule[0].Count == 1;
    unsigned Count = isMemory(F.Code[K]) ? L->second.Memory
                     : Simple ? L->second.PerPipe[unsigned(Rule[0].Pipe)]
                              : 0;
    if (!Count)
      continue;
    All.push_back(Count);
    if (isMemory(F.Code[K]) || Rule[0].Pipe != Unit::Int)
      Work.push_back(Count);
  }
  std::vector<unsigned> &Counts = Work.empty() ? All : Work;
  if (Counts.empty())
    return 1;
  auto Middle = Counts.begin() + std::ptrdiff_t(Counts.size() / 2);
  std::nth_element(Counts.begin(), Middle, Counts.end());
  return *Middle;
}

} // namespace

Result<SassModule> gevo::gpu::timing::parseListing(std::string_view Text) {
  ListingReader R;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    R.line(Text.substr(0, End));
    Text.remove_prefix(End == std::string_view::npos ? Text.size() : End + 1);
  }
  for (const auto &[Name, Listing] : R.Module)
    if (!Listing.Code.empty())
      return std::move(R.Module);
  return Diagnostic{"the listing of machine code has no instructions"};
}

SassFunction gevo::gpu::timing::costsFromSass(const Profile &P,
                                              const ptx::Function &F,
                                              const SassListing &Listing) {
  std::map<uint32_t, LineCode> Lines;
  for (uint32_t K = 0; K < Listing.Code.size(); ++K) {
    const SassInstruction &I = Listing.Code[K];
    SassPipe C = classify(I.Opcode);
    if (C.Class == SassClass::Nothing)
      continue;
    LineCode &L = Lines[I.Line];
    L.Place = std::min(L.Place, K);
    L.Memory += C.Class == SassClass::Memory;
    if (C.Class == SassClass::Pipe) {
      ++L.Plain;
      ++L.PerPipe[unsigned(C.Pipe)];
    }
  }
  SassFunction Costs(F.Code.size());
  ptx::Cfg Graph = ptx::Cfg::build(F);
  for (const ptx::BasicBlock &B : Graph.Blocks) {
    unsigned Copies = copiesOf(P, F, B, Lines);
    for (uint32_t K = B.Begin; K < B.End; ++K) {
      SassCost &C = Costs[K];
      std::vector<Step> Rule = arithmeticSteps(P, F, F.Code[K]);
      auto L = Lines.find(F.Code[K].Line);
      if (L == Lines.end())
        continue;
      C.Place = L->second.Place;
      C.Memory = L->second.Memory != 0;
      // Long expansions have slow paths that seldom run; the rules count the
      // fast ones.
      unsigned RuleCount = 0;
      for (const Step &S : Rule)
        RuleCount += S.Count;
      if (RuleCount > 4) {
        C.Steps = Rule;
        continue;
      }
      for (unsigned U = 0; U < NumUnits; ++U) {
        unsigned Count = (2 * L->second.PerPipe[U] + Copies) / (2 * Copies);
        if (Count)
          C.Steps.push_back({Unit(U), Count});
      }
    }
  }
  return Costs;
}
