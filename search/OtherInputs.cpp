//===- OtherInputs.cpp - Inputs like those that were captured -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values, then what else differs, then both; inputs whose launches the original
// does not get along with are for the caller to leave out.
//
//===----------------------------------------------------------------------===//

#include "search/OtherInputs.h"
#include "search/LargerBlocks.h"
#include "search/LargerSizes.h"
#include "search/OtherPointers.h"
#include "search/OtherSizes.h"
#include "search/OtherValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <map>
#include <set>

using namespace llvm;
using namespace gevo;
using capture::Case;

static StringRef nameOf(Draw How) {
  switch (How) {
  case Draw::Like:
    return "other values";
  case Draw::Beyond:
    return "values beyond those seen";
  case Draw::Order:
    return "the same values in another order";
  case Draw::Counts:
    return "small numbers for zeros";
  case Draw::Parts:
    return "fractions for zeros";
  case Draw::Equal:
    return "values that are equal";
  case Draw::Signed:
    return "values that are equal and zeros of both signs";
  case Draw::Ties:
    return "values that are equal, zeros of both signs and denormal numbers";
  case Draw::Specials:
    return "infinities, NaN and values that are equal";
  }
  llvm_unreachable("a draw without a name");
}

namespace {
/// An input with other values, and the buffers that have them: none if nothing
/// could be drawn.
struct Drawn {
  OtherInput Input;
  std::vector<size_t> Buffers;
};
} // namespace

// Gives \p To the buffers \p Which of \p From: all or, where a kernel needs
// some of them as they are, such as the rows of a sparse matrix, as many as the
// original gets along with. Says which.
static std::vector<size_t> takeBuffers(const Case &From,
                                       const std::vector<size_t> &Which,
                                       Case &To,
                                       function_ref<bool(Case &)> GetsAlong) {
  std::vector<size_t> Taken;
  if (Which.empty())
    return Taken;
  Case Whole = To;
  for (size_t I : Which)
    Whole.Buffers[I] = From.Buffers[I];
  if (GetsAlong(Whole)) {
    To = std::move(Whole);
    return Which;
  }
  for (size_t I : Which) {
    Case More = To;
    More.Buffers[I] = From.Buffers[I];
    if (!GetsAlong(More))
      continue;
    To = std::move(More);
    Taken.push_back(I);
  }
  return Taken;
}

static Drawn drawBuffers(const Case &C, bool Doubles, Draw How, Random &Dice,
                         function_ref<bool(Case &)> GetsAlong) {
  Drawn D{{C, nameOf(How).str(), std::nullopt}, {}};
  Case Whole = C;
  std::vector<size_t> All;
  for (size_t I = 0; I < C.Buffers.size(); ++I)
    if (drawValues(Whole.Buffers[I], C, Doubles, How, Dice))
      All.push_back(I);
  D.Buffers = takeBuffers(Whole, All, D.Input.Changed, GetsAlong);
  if (D.Buffers.size() < All.size())
    D.Input.What += " in " + std::to_string(D.Buffers.size()) + " of " +
                    std::to_string(All.size()) + " buffers";
  return D;
}

// Draws the floats that parameter \p I, of \p Size bytes at \p At, has; false
// if it has none. That a zero is a float, only its declaration tells or, in a
// structure, what loads it.
static bool drawParameter(capture::Bytes &Params, size_t I, size_t At,
                          size_t Size, const KernelTraits &Traits,
                          const Case &C, Random &Dice) {
  std::vector<FloatWord> Known;
  if (Traits.isFloat(I))
    Known.push_back({unsigned(I), 0, Traits.FloatBytes[I]});
  for (const FloatWord &F : Traits.FloatWords)
    if (F.Parameter == I)
      Known.push_back(F);
  std::set<size_t> Done;
  bool Any = false;
  for (const FloatWord &F : Known) {
    if (F.Offset + F.Bytes > Size || !Done.insert(F.Offset).second)
      continue;
    uint8_t *Of = &Params[At + F.Offset];
    Any |= drawForZero(Of, F.Bytes, Dice) || drawNear(Of, F.Bytes, Dice);
    if (F.Bytes == 8)
      Done.insert(F.Offset + 4);
  }
  if (Traits.Doubles && Size == 8 && Done.empty() &&
      drawNear(&Params[At], 8, Dice))
    return true;
  for (size_t Word = 0; Word + 4 <= Size; Word += 4)
    if (!Done.count(Word) && !isOfAddress(Params, At + Word, C))
      Any |= drawNear(&Params[At + Word], 4, Dice);
  return Any;
}

// Numbers among the parameters, such as the factor of a sum: it may be 1 in
// every run that was seen.
static void addParameters(const Case &C, const KernelTraits &Traits,
                          Random &Dice, std::vector<OtherInput> &To) {
  OtherInput O{C, "other numbers in its parameters", std::nullopt};
  capture::Launch &L = O.Changed.Launches[0];
  bool Any = false;
  for (size_t I = 0; I < L.Offsets.size(); ++I) {
    size_t At = L.Offsets[I],
           End = I + 1 < L.Offsets.size() ? L.Offsets[I + 1] : L.Params.size();
    Any |= drawParameter(L.Params, I, At, End - At, Traits, C, Dice);
  }
  if (Any)
    To.push_back(std::move(O));
}

// No and yes, or the first and the second of something: a kernel that is asked
// for one alone must not forget the other. Not in eight bytes, where a zero is
// no address.
static void addFlags(const Case &C, const KernelTraits &Traits,
                     std::vector<OtherInput> &To) {
  const capture::Launch &L = C.Launches[0];
  for (size_t I = 0; I < L.Offsets.size(); ++I) {
    size_t At = L.Offsets[I],
           End = I + 1 < L.Offsets.size() ? L.Offsets[I + 1] : L.Params.size();
    ArrayRef<uint8_t> Bytes = ArrayRef(L.Params).slice(At, End - At);
    if (Traits.isFloat(I) || Bytes.empty() || Bytes.size() > 4 ||
        Bytes[0] > 1 || any_of(Bytes.drop_front(), [](uint8_t B) { return B; }))
      continue;
    OtherInput O{C,
                 std::to_string(1 - Bytes[0]) + " for " +
                     std::to_string(Bytes[0]) + " in parameter " +
                     std::to_string(I),
                 std::nullopt};
    O.Changed.Launches[0].Params[At] ^= 1;
    To.push_back(std::move(O));
  }
}

// The captured values but for zeros.
static Drawn fillZeros(const Drawn &Parts, const Drawn &Counts,
                       function_ref<bool(Case &)> GetsAlong) {
  Drawn Filled = Parts;
  Filled.Input.What = "numbers for zeros";
  std::vector<size_t> Left;
  for (size_t I : Counts.Buffers)
    if (!is_contained(Parts.Buffers, I))
      Left.push_back(I);
  append_range(Filled.Buffers, takeBuffers(Counts.Input.Changed, Left,
                                           Filled.Input.Changed, GetsAlong));
  return Filled;
}

// Each of \p Sizes with the first of \p Values that the original gets along
// with there, else with those of the capture.
static void addSizes(std::vector<OtherInput> Sizes,
                     ArrayRef<const Drawn *> Values,
                     function_ref<bool(Case &)> GetsAlong,
                     std::vector<OtherInput> &To) {
  for (OtherInput &O : Sizes) {
    for (const Drawn *D : Values) {
      if (D->Buffers.empty())
        continue;
      Case Both = D->Input.Changed;
      Both.Launches = O.Changed.Launches;
      if (!GetsAlong(Both))
        continue;
      O.Changed = std::move(Both);
      O.What += " and " + D->Input.What;
      break;
    }
    To.push_back(std::move(O));
  }
}

std::vector<OtherInput>
gevo::drawOtherInputs(const Case &C, const KernelTraits &Traits, Random &Dice,
                      function_ref<bool(Case &)> Works) {
  // A root of what was always positive is one of nothing: no input at all.
  auto StaysFinite = [&](Case &Now) {
    return Works(Now) && staysFinite(C, Now);
  };
  auto Values = [&](Draw How) {
    if (How == Draw::Like || How == Draw::Order)
      return drawBuffers(C, Traits.Doubles, How, Dice, Works);
    return drawBuffers(C, Traits.Doubles, How, Dice, StaysFinite);
  };
  std::vector<OtherInput> All;
  auto Add = [&](Drawn D) {
    if (!D.Buffers.empty())
      All.push_back(std::move(D.Input));
  };
  Drawn Like = Values(Draw::Like), Beyond = Values(Draw::Beyond);
  Add(Like);
  Add(Beyond.Buffers.empty() ? Values(Draw::Like) : std::move(Beyond));
  Add(Values(Draw::Order));
  Drawn Counts = Values(Draw::Counts), Parts = Values(Draw::Parts);
  Add(Counts);
  Add(Parts);
  Drawn Ties = Values(Traits.Inexact ? Draw::Signed : Draw::Ties);
  Add(Ties.Buffers.empty() ? Values(Draw::Equal) : std::move(Ties));
  Add(drawBuffers(C, Traits.Doubles, Draw::Specials, Dice, Works));
  if (C.Launches.size() != 1)
    return All;
  addParameters(C, Traits, Dice, All);
  addFlags(C, Traits, All);
  Drawn Filled = fillZeros(Parts, Counts, StaysFinite), Other = Filled;
  Other.Input.What = nameOf(Draw::Like);
  Other.Buffers = takeBuffers(Like.Input.Changed, Like.Buffers,
                              Other.Input.Changed, StaysFinite);
  addSizes(drawCounts(C, Dice), {&Other, &Filled}, StaysFinite, All);
  addSizes(drawBlocks(C, Traits.AnyBlock), {&Filled}, StaysFinite, All);
  // Zeros that are added to would hide whose memory they are in.
  append_range(All,
               drawPointers(Filled.Buffers.empty() ? C : Filled.Input.Changed,
                            Traits.Pairs, Works));
  return All;
}

// Repeated values would hide an index that runs past what repeats.
std::vector<OtherInput> gevo::drawLargerInputs(const Case &C,
                                               ArrayRef<uint64_t> Ends,
                                               const KernelTraits &Traits,
                                               Random &Dice, RunOriginal Run) {
  if (C.Launches.size() != 1)
    return {};
  std::vector<OtherInput> All = drawLarger(C, Ends, Run);
  std::vector<OtherInput> Blocks = drawLargerBlocks(C, All, Traits, Run),
                          Many = drawManyForOne(C, Ends, Traits, Run),
                          Longer = drawLonger(C, All, Run);
  for (std::vector<OtherInput> *More : {&Blocks, &Many, &Longer})
    append_range(All, std::move(*More));
  for (OtherInput &O : All) {
    const Case Plain = O.Changed;
    std::vector<uint64_t> Touched;
    auto GetsAlong = [&](Case &Now) {
      return Run(Now, Touched) && staysFinite(Plain, Now);
    };
    auto Values = [&](Draw How) {
      return drawBuffers(Plain, Traits.Doubles, How, Dice, GetsAlong);
    };
    Drawn Counts = Values(Draw::Counts), Parts = Values(Draw::Parts);
    Drawn Other = fillZeros(Parts, Counts, GetsAlong);
    Drawn Like = Values(Draw::Like);
    append_range(Other.Buffers, takeBuffers(Like.Input.Changed, Like.Buffers,
                                            Other.Input.Changed, GetsAlong));
    if (Other.Buffers.empty() || !GetsAlong(Other.Input.Changed))
      continue;
    O.Changed = std::move(Other.Input.Changed);
    O.What += " and " + nameOf(Draw::Like).str();
  }
  return All;
}

// Of ".maxntid 16, 16, 1" and the like.
static uint64_t threadsIn(StringRef Bounds) {
  uint64_t Threads = 1, Number = 0;
  do {
    Bounds = Bounds.ltrim(", ");
    if (Bounds.consumeInteger(10, Number))
      break;
    Threads *= Number;
  } while (Bounds.starts_with(","));
  return Threads;
}

// Of "ld.param.v2.f32 {%f1, %f2}, [k_param_0+8];" and the like, where
// "mov.b64 %rd1, k_param_0;" gives a parameter another name.
static void addFloatWords(StringRef Body, std::map<StringRef, unsigned> Names,
                          std::vector<FloatWord> &To) {
  SmallVector<StringRef, 0> Lines;
  Body.split(Lines, ';');
  for (StringRef Line : Lines) {
    StringRef One = Line.rtrim().rsplit('\n').second.trim();
    auto [Code, Operands] = One.split('\t');
    Code = Code.rtrim();
    if (Code == "mov.b64" || Code == "mov.u64") {
      auto [To, From] = Operands.split(", ");
      if (auto Of = Names.find(From); Of != Names.end())
        Names[To] = Of->second;
    }
    if (!Code.consume_front("ld.param."))
      continue;
    unsigned Count = Code.consume_front("v2.")   ? 2
                     : Code.consume_front("v4.") ? 4
                                                 : 1;
    unsigned Bytes = Code == "f32" ? 4 : Code == "f64" ? 8 : 0, First = 0;
    auto [Name, Offset] =
        Operands.split('[').second.split(']').first.split('+');
    auto Of = Names.find(Name);
    if (!Bytes || Of == Names.end() ||
        (!Offset.empty() && Offset.getAsInteger(10, First)))
      continue;
    for (unsigned I = 0; I < Count; ++I)
      To.push_back({Of->second, First + I * Bytes, Bytes});
  }
}

KernelTraits gevo::traitsOf(StringRef Ptx, StringRef Kernel) {
  StringRef Text =
      Ptx.substr(Ptx.find((Twine(".entry ") + Kernel + "(").str()));
  Text = Text.substr(0, Text.find("\n}"));
  KernelTraits Traits{Ptx.contains(".f64"), Text.contains("%ntid"), {}};
  Traits.AsksThreads = {Text.contains("%ntid.x"), Text.contains("%ntid.y"),
                        Text.contains("%ntid.z")};
  for (StringRef Bounds : {".maxntid", ".reqntid"})
    if (size_t At = Text.find(Bounds); At != StringRef::npos)
      Traits.MostThreads = threadsIn(Text.substr(At + Bounds.size()));
  auto [Parameters, Body] = Text.split(')');
  SmallVector<StringRef, 16> Each;
  Parameters.split('(').second.split(Each, ',');
  std::map<StringRef, unsigned> Names;
  unsigned Number = 0;
  for (StringRef One : Each) {
    Traits.FloatBytes.push_back(One.contains(".param .f32")   ? 4
                                : One.contains(".param .f64") ? 8
                                                              : 0);
    Traits.IsNarrow.push_back(any_of(
        ArrayRef<StringRef>{".u8 ", ".s8 ", ".b8 ", ".u16 ", ".s16 ", ".b16 "},
        [&](StringRef Type) {
          return !One.contains('[') && One.contains(Type);
        }));
    Names[One.split('[').first.rtrim().rsplit(' ').second] = Number++;
  }
  addFloatWords(Body, Names, Traits.FloatWords);
  return Traits;
}
