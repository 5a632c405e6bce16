//===- Sass.cpp - Reading machine code ------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

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

/// Appends the registers in \p Text to \p List; those of 64 bits are two.
void addRegisters(std::string_view Text, std::vector<uint16_t> &List,
                  unsigned Width = 1) {
  for (size_t At = 0; At < Text.size();) {
    size_t Begin = At;
    while (
        At < Text.size() &&
        (std::isalnum(static_cast<unsigned char>(Text[At])) || Text[At] == '_'))
      ++At;
    std::string_view Word = Text.substr(Begin, At - Begin);
    if (Word.empty()) {
      ++At;
      continue;
    }
    bool Uniform = Word[0] == 'U' && Word.size() > 1;
    if (Uniform)
      Word.remove_prefix(1);
    bool General = Word[0] == 'R', Predicate = Word[0] == 'P';
    if ((!General && !Predicate) || Word.size() < 2 ||
        !std::isdigit(static_cast<unsigned char>(Word[1])))
      continue;
    unsigned Number = unsigned(
        std::strtoul(std::string(Word.substr(1)).c_str(), nullptr, 10));
    unsigned Count = General && Text.substr(At, 3) == ".64" ? 2 : 1;
    if (General)
      Count = std::max(Count, Width);
    // General registers, predicates, uniform predicates, uniform registers.
    unsigned First = General ? Uniform ? 280 : 0 : Uniform ? 268 : 260;
    for (unsigned K = 0; K < Count; ++K)
      if (First + Number + K < FirstSassCounter)
        List.push_back(uint16_t(First + Number + K));
  }
}

bool startsWith(std::string_view Text, std::string_view Prefix) {
  return Text.substr(0, Prefix.size()) == Prefix;
}

/// Registers per operand of data.
unsigned widthOf(std::string_view Opcode) {
  if (startsWith(Opcode, "HMMA") || startsWith(Opcode, "IMMA") ||
      Opcode.find(".128") != std::string_view::npos)
    return 4;
  bool Double = startsWith(Opcode, "DADD") || startsWith(Opcode, "DMUL") ||
                startsWith(Opcode, "DFMA") || startsWith(Opcode, "DSETP") ||
                Opcode.find(".WIDE") != std::string_view::npos ||
                Opcode.find(".64") != std::string_view::npos ||
                Opcode == "CS2R";
  return Double ? 2 : 1;
}

/// Registers of the result or the source of a conversion: the types of both
/// are modifiers, the result's first, and those of 32 bits are left out.
unsigned conversionWidth(std::string_view Opcode, bool Result) {
  size_t First = std::string_view::npos, Last = First;
  for (const char *Type : {".F64", ".S64", ".U64"}) {
    First = std::min(First, Opcode.find(Type));
    if (size_t At = Opcode.rfind(Type); At != std::string_view::npos)
      Last = Last == std::string_view::npos ? At : std::max(Last, At);
  }
  if (First == std::string_view::npos)
    return 1;
  // One type of 64 bits: F2I.F64 reads it, F2I.S64 writes it; of F2F.F64.F32
  // and F2F.F32.F64 its place tells; I2F is the other way round.
  bool Both = First != Last || startsWith(Opcode, "FRND");
  bool Float = Opcode[First + 1] == 'F';
  bool Writes = startsWith(Opcode, "F2F")   ? First == 3
                : startsWith(Opcode, "F2I") ? !Float
                                            : Float;
  return Both || Writes == Result ? 2 : 1;
}

/// Gives \p Call, of the assembler's own function \p Helper, the registers that
/// this reads before it writes them, and those that it writes.
void takeRegisters(const SassListing &Helper, SassInstruction &Call) {
  std::set<uint16_t> Sources, Results;
  for (const SassInstruction &I : Helper.Code) {
    for (uint16_t R : I.Sources)
      if (!Results.count(R))
        Sources.insert(R);
    Results.insert(I.Results.begin(), I.Results.end());
  }
  Call.Helper = true;
  Call.Sources.insert(Call.Sources.end(), Sources.begin(), Sources.end());
  Call.Results.assign(Results.begin(), Results.end());
}

/// Reads one listing line by line.
class ListingReader {
public:
  void line(std::string_view Line);
  void finishSection();
  SassModule Module;

private:
  void section(std::string_view Name);
  void innerFunction(std::string_view Name);
  void instruction(std::string_view Line);
  std::string Kernel;             ///< Of the section.
  SassListing *Whole = nullptr;   ///< Its machine code.
  SassListing *Current = nullptr; ///< Of the function in it.
  SassListing Ignored;
  std::map<std::string, SassListing> Helpers; ///< Of the section, by name.
  struct Call {
    SassListing *From;
    size_t Index;
    std::string To;
  };
  std::vector<Call> Calls; ///< Of the section.
  uint32_t PtxLine = 0;
  bool Label = false; ///< The next instruction has one.
};

void ListingReader::finishSection() {
  for (const Call &C : Calls)
    if (auto It = Helpers.find(C.To); It != Helpers.end())
      takeRegisters(It->second, C.From->Code[C.Index]);
  Calls.clear();
  Helpers.clear();
}

void ListingReader::section(std::string_view Name) {
  finishSection();
  Kernel = Name.substr(0, Name.find(','));
  Whole = Current = &Module[Kernel];
  PtxLine = 0;
}

/// Behind a kernel stand the functions that it calls: those of the PTX, as
/// "$kernel$function", and the slow paths of divisions and roots, as
/// "$__internal_0_$name", which have no lines: what they do is their caller's.
void ListingReader::innerFunction(std::string_view Name) {
  // Names may begin with such a sign, and have others in them.
  if (Name == Kernel)
    return;
  std::string Before = "$" + Kernel + "$";
  bool OfPtx = startsWith(Name, Before) && Name.size() > Before.size();
  Current = OfPtx ? &Module[std::string(Name.substr(Before.size()))]
                  : &Helpers[std::string(Name)];
  // Each kernel that calls a function has a copy of it.
  if (!Current->Code.empty())
    Current = &Ignored;
  PtxLine = 0;
}

void ListingReader::line(std::string_view Line) {
  std::string_view Body = trim(Line);
  constexpr std::string_view Section = ".section\t.text.";
  if (startsWith(Body, Section))
    return section(Body.substr(Section.size()));
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
  if (!Body.empty() && Body[0] == '$' && Body.back() == ':')
    return innerFunction(Body.substr(0, Body.size() - 1));
  if (!Body.empty() && Body[0] == '.' && Body.back() == ':')
    Label = true;
  if (Body.substr(0, 2) == "/*")
    instruction(Body);
}

void ListingReader::instruction(std::string_view Line) {
  std::optional<uint64_t> Word = encodingOf(Line);
  if (Word)
    Whole->Hash = mixHash(Whole->Hash, *Word);
  if (Line.substr(0, 4) == "/* 0") {
    // The second half of the encoding has the stall count in bits 41 to 44, the
    // counter of its results in 46 to 48 and those it waits for in 52 to 57.
    if (Word && !Current->Code.empty()) {
      SassInstruction &Last = Current->Code.back();
      Last.Stall = uint8_t(*Word >> 41 & 15);
      Last.Counter = uint8_t(*Word >> 46 & 7);
      Last.Awaits = uint8_t(*Word >> 52 & 63);
    }
    return;
  }
  std::string_view Rest = trim(Line.substr(Line.find("*/") + 2));
  SassInstruction I;
  std::string_view Guard;
  if (!Rest.empty() && Rest[0] == '@') {
    Guard = Rest.substr(1, Rest.find(' ') - 1);
    Rest = trim(Rest.substr(Rest.find(' ')));
  }
  size_t End = Rest.find_first_of(" ;");
  // What no thread executes, such as a shuffle before all else on sm_70, is not
  // issued either.
  I.Opcode = Guard == "!PT" ? "NOP" : Rest.substr(0, End);
  I.Line = PtxLine;
  I.Label = Label;
  I.Guarded = !Guard.empty();
  I.ReadsLane = Rest.find("SR_LANEID") != std::string_view::npos;
  Label = false;
  Rest = Rest.substr(std::min(End, Rest.size()));
  findRegisters(I, Rest.substr(0, Rest.find(';')));
  addRegisters(Guard, I.Sources);
  if (size_t At = Rest.find("`(");
      startsWith(I.Opcode, "CALL") && At != std::string_view::npos)
    Calls.push_back(
        {Current, Current->Code.size(),
         std::string(Rest.substr(At + 2, Rest.find(')', At) - At - 2))});
  Current->Code.push_back(std::move(I));
}

} // namespace

void gevo::gpu::timing::findRegisters(SassInstruction &I,
                                      std::string_view Text) {
  static const char *const NoResult[] = {
      "ST",  "STG",  "STS",  "STSM",     "STL",       "RED",  "REDG",
      "BRA", "BRX",  "EXIT", "BAR",      "MEMBAR",    "BSSY", "BSYNC",
      "RET", "CALL", "NOP",  "WARPSYNC", "NANOSLEEP", "SUST", "SURED"};
  std::string_view Name =
      std::string_view(I.Opcode).substr(0, I.Opcode.find('.'));
  bool Writes = true;
  for (const char *Other : NoResult)
    Writes &= Name != Other;
  unsigned Width = widthOf(I.Opcode);
  bool Compares = I.Opcode.find("SETP") != std::string::npos ||
                  I.Opcode.find("PLOP") != std::string::npos ||
                  Name == "FCHK" || Name == "R2P";
  // A wide product has factors of 32 bits and an addend of 64.
  bool WideProduct = I.Opcode.find(".WIDE") != std::string::npos;
  bool Converts =
      Name == "F2F" || Name == "F2I" || Name == "I2F" || Name == "FRND";
  bool FirstPredicate = false;
  for (unsigned K = 0; !Text.empty(); ++K) {
    size_t End = std::min(Text.find(','), Text.size());
    std::string_view Operand = trim(Text.substr(0, End));
    Text.remove_prefix(std::min(End + 1, Text.size()));
    bool Predicate = startsWith(Operand, "P") || startsWith(Operand, "UP");
    if (K == 0)
      FirstPredicate = Predicate;
    // Comparisons have two predicates or one, additions a carry, shuffles and
    // atomic operations a predicate before the value.
    bool Second = K == 1 && (Predicate || (FirstPredicate && !Compares));
    bool Address = Operand.find('[') != std::string_view::npos;
    bool Result = Writes && !Address && (K == 0 || Second);
    bool Factor = WideProduct && !Result && !Text.empty();
    unsigned Own = Converts ? conversionWidth(I.Opcode, Result) : Width;
    addRegisters(Operand, Result ? I.Results : I.Sources,
                 Address || Factor ? 1 : Own);
  }
}

Result<SassModule> gevo::gpu::timing::parseListing(std::string_view Text) {
  ListingReader R;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    R.line(Text.substr(0, End));
    Text.remove_prefix(End == std::string_view::npos ? Text.size() : End + 1);
  }
  R.finishSection();
  for (const auto &[Name, Listing] : R.Module)
    if (!Listing.Code.empty())
      return std::move(R.Module);
  return Diagnostic{"the listing of machine code has no instructions"};
}
