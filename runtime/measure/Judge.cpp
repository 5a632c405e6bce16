//===- Judge.cpp - Does memory hold what it should? -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/HeapBlocks.h"
#include "runtime/measure/FloatBytes.h"
#include "runtime/measure/MemoryImage.h"
#include "runtime/measure/RunOutputs.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace gevo;
using namespace gevo::measure;
using capture::Bytes;

namespace {

std::string hex(uint64_t V) {
  char Text[24];
  std::snprintf(Text, sizeof(Text), "0x%llx", (unsigned long long)V);
  return Text;
}

/// The first failure in the order of Outcomes.def is the result.
void fail(ReplayResult &R, Outcome What, const std::string &Reason) {
  if (R.Result != Outcome::Passed && R.Result <= What)
    return;
  R.Result = What;
  R.Reason = Reason;
}

/// The blocks of the heap are one output.
void addOutput(ReplayResult &R, OutputResult Out, bool OfHeap) {
  auto Known = std::find_if(
      R.Outputs.begin(), R.Outputs.end(),
      [&](const OutputResult &O) { return OfHeap && O.Name == Out.Name; });
  if (Known == R.Outputs.end()) {
    R.Outputs.push_back(std::move(Out));
    return;
  }
  Known->Diff.add(Out.Diff, 0);
  Known->Bytes += Out.Bytes;
  if (Known->Type != Out.Type)
    Known->Type = ElementType::None;
}

} // namespace

const char *measure::outcomeName(Outcome O) {
  static const char *const Names[] = {
#define OUTCOME(Name, Text, Meaning) Text,
#include "runtime/measure/Outcomes.def"
  };
  return Names[unsigned(O)];
}

ElementType measure::comparedAs(ElementType Stored) {
  switch (Stored) {
  case ElementType::U8:
    return ElementType::S8;
  case ElementType::U16:
    return ElementType::S16;
  case ElementType::U32:
    return ElementType::S32;
  case ElementType::U64:
    return ElementType::S64;
  default:
    return Stored;
  }
}

const std::vector<MemoryImage::Run> &MemoryImage::runsOf(Part &P) {
  const Bytes &Marks = P.Known->Marks;
  if (!P.Runs.empty())
    return P.Runs;
  for (size_t K = 0, Next; K < Marks.size(); K = Next) {
    Next = capture::endOfRun(Marks, K);
    ElementType T = capture::typeOf(Marks[K]);
    bool Poisoned = capture::isPoisoned(Marks[K]);
    if (P.Runs.empty() || P.Runs.back().Type != T ||
        P.Runs.back().Poisoned != Poisoned)
      P.Runs.push_back({K, 0, T, Poisoned});
    P.Runs.back().Bytes += Next - K;
  }
  return P.Runs;
}

/// What the elements of \p Stretch are compared as; bytes, if it has parts of
/// elements.
ElementType MemoryImage::typeOf(const Part &P, const Run &Stretch,
                                ElementType Override) {
  if (Stretch.Type == ElementType::None)
    return ElementType::None;
  ElementType T =
      Override != ElementType::None ? Override : comparedAs(Stretch.Type);
  uint64_t Size = gpu::elementBytes(T);
  bool Parts = Stretch.Bytes % Size || (P.Address + Stretch.Offset) % Size;
  return Parts ? ElementType::U8 : T;
}

/// Buffers of one output have one number.
size_t MemoryImage::outputOf(size_t Buffer) const {
  return C.Buffers[Buffer].ofHeap() ? C.Buffers.size() : Buffer;
}

template <typename Fn> void MemoryImage::forRuns(size_t Buffer, Fn Do) {
  for (Part &P : Parts)
    if (outputOf(P.Buffer) == outputOf(Buffer))
      for (const Run &R : runsOf(P))
        Do(P, R);
}

/// The largest magnitude of an output's elements of type \p T, for the floor of
/// relative errors. What else is in its structures says nothing about them: a
/// hash beside a float would hide all its errors.
double MemoryImage::magnitudeOf(size_t Buffer, ElementType T,
                                ElementType Override) {
  auto [It, New] =
      Magnitudes.emplace(std::make_tuple(outputOf(Buffer), T, Override), 0);
  double &Most = It->second;
  if (New)
    forRuns(Buffer, [&](Part &P, const Run &R) {
      if (typeOf(P, R, Override) == T)
        Most = std::max(Most, largestMagnitude(T, &P.expected()[R.Offset],
                                               R.Bytes / gpu::elementBytes(T)));
    });
  return Most;
}

/// The floats that whole numbers stored as \p Stored may be the bits of.
const std::vector<ElementType> &MemoryImage::floatsIn(size_t Buffer,
                                                      ElementType Stored) {
  auto [It, New] = Floats.emplace(std::make_pair(outputOf(Buffer), Stored),
                                  std::vector<ElementType>());
  std::vector<ElementType> &Types = It->second;
  if (!New)
    return Types;
  std::string All;
  forRuns(Buffer, [&](Part &P, const Run &R) {
    if (R.Type == Stored)
      All += viewOf(P.expected(), R);
  });
  // Without a sign of what they are, some of the words may still be floats.
  auto orElse = [](std::vector<ElementType> Found, ElementType Other) {
    return Found.empty() ? std::vector<ElementType>{Other} : Found;
  };
  if (Stored == ElementType::U16)
    Types = orElse(halfTypesOf(All), ElementType::F16);
  else if (Stored == ElementType::U32)
    Types = orElse(halfTypesOf(All), ElementType::F32);
  else if (Stored == ElementType::U64)
    Types = orElse(floatTypesOf(All), ElementType::F64);
  return Types;
}

MemoryImage::Place MemoryImage::placeOf(const Part &P, uint64_t Offset) const {
  const capture::Buffer &B = C.Buffers[P.Buffer];
  Place Found{Replay::bufferName(C, P.Buffer), P.Known->Offset + Offset,
              P.Address + Offset};
  uint64_t Block = B.Address;
  if (isPacked(P)) {
    capture::HeapBlock One = capture::blockAt(B, Offset);
    Block = One.Address;
    Found.Offset = Offset - One.Offset;
    Found.Address = Block + Found.Offset;
  }
  if (B.ofHeap())
    Found.Name += " block " + hex(Block);
  return Found;
}

/// Did bytes change that the original does not write?
bool MemoryImage::changedOutside(Part &P, ReplayResult &R) {
  const Bytes &Want = P.Known->Before, &Got = P.actual();
  auto changed = [&](uint64_t Offset, uint64_t Size) {
    if (std::memcmp(&Got[Offset], &Want[Offset], Size) == 0)
      return false;
    auto First = std::mismatch(Got.begin() + std::ptrdiff_t(Offset), Got.end(),
                               Want.begin() + std::ptrdiff_t(Offset));
    Place Where = placeOf(P, uint64_t(First.first - Got.begin()));
    fail(R, Outcome::InputChanged,
         "byte " + std::to_string(Where.Offset) + " of " + Where.Name + " (" +
             hex(Where.Address) +
             ") changed, which the original leaves as it is");
    return true;
  };
  if (!P.isOutput())
    return changed(0, Want.size());
  for (const Run &Stretch : runsOf(P))
    if (Stretch.Type == ElementType::None &&
        changed(Stretch.Offset, Stretch.Bytes))
      return true;
  return false;
}

/// Compares a stretch as what it is. If that is not sure, what passes least.
MemoryImage::Compared MemoryImage::compareRun(Part &P, const Run &Stretch,
                                              const OutputRule &Rule) {
  bool Chosen = Rule.Type != ElementType::None;
  ElementType T = typeOf(P, Stretch, Rule.Type);
  // A tolerance is for numbers, and not for parts of them.
  bool Whole = T == (Chosen ? Rule.Type : comparedAs(Stretch.Type));
  Tolerance Limits = Whole ? Rule.Limits : Tolerance();
  std::string_view Want = viewOf(P.expected(), Stretch),
                   Got = viewOf(P.current(), Stretch);
  bool Same = Want == Got, Exact = Limits.Mode == CompareMode::Exact;
  bool Relative = Limits.Mode == CompareMode::Relative;
  Compared Worst{
      T, compare(T, Want.data(), Got.data(),
                 Stretch.Bytes / gpu::elementBytes(T), Limits,
                 Relative && !Same ? magnitudeOf(P.Buffer, T, Rule.Type) : 0)};
  if (Same || Exact || Chosen)
    return Worst;
  for (ElementType F : floatsIn(P.Buffer, Stretch.Type)) {
    Difference Diff = compareStoredBits(F, Want, Got, Limits);
    if (Worst.Diff.passed() &&
        (!Diff.passed() || Diff.MaxError > Worst.Diff.MaxError))
      Worst = {F, Diff, /*ByLooks=*/true};
  }
  return Worst;
}

void MemoryImage::judgeRun(Part &P, const Run &Stretch, const OutputRule &Rule,
                           OutputResult &Out, ReplayResult &R) {
  auto [T, Diff, ByLooks] = compareRun(P, Stretch, Rule);
  uint64_t Size = gpu::elementBytes(T), Count = Stretch.Bytes / Size;
  const uint8_t *Want = &P.expected()[Stretch.Offset];
  const uint8_t *Got = &P.current()[Stretch.Offset];
  const uint8_t *First = &P.start()[Stretch.Offset];
  uint64_t Base = (P.Known->Offset + Stretch.Offset) / Size;
  Out.Diff.add(Diff, Base);
  if (Out.Bytes == 0)
    Out.Type = T;
  else if (Out.Type != T)
    Out.Type = ElementType::None;
  Out.Bytes += Stretch.Bytes;
  if (Diff.Differing == 0 && Diff.passed())
    return;
  auto element = [&](uint64_t K) {
    Place Where = placeOf(P, Stretch.Offset + K * Size);
    return "element " + std::to_string(Where.Offset / Size) + " of " +
           Where.Name;
  };
  for (uint64_t K = 0; Stretch.Poisoned && K < Count; ++K)
    if (std::memcmp(Got + K * Size, First + K * Size, Size) == 0 &&
        std::memcmp(Got + K * Size, Want + K * Size, Size) != 0) {
      if (R.Unwritten.empty())
        R.Unwritten = element(K) + " was not written";
      fail(R, Outcome::Unwritten, R.Unwritten);
      break;
    }
  if (!Diff.passed())
    fail(R, Outcome::WrongOutput,
         element(Diff.FirstFailing) + " is " + Diff.Actual + ", expected " +
             Diff.Expected + " (" + gpu::elementName(T) +
             (ByLooks ? std::string(", which its bits look like; type:T in its "
                                    "rule says what they are, as in "
                                    "rel:1e-3,type:") +
                            gpu::elementName(Stretch.Type)
                      : "") +
             ")");
}

void MemoryImage::judgePart(Part &P, const OutputRule &Rule, OutputResult &Out,
                            ReplayResult &R) {
  for (const Run &Stretch : runsOf(P))
    if (Stretch.Type != ElementType::None)
      judgeRun(P, Stretch, Rule, Out, R);
  if (P.Dirty)
    changedOutside(P, R);
}

void MemoryImage::judge(const ReplayOptions &O, ReplayResult &R) {
  for (size_t B = 0, Next = 0; B < C.Buffers.size(); ++B) {
    OutputResult Out;
    Out.Name = Replay::bufferName(C, B);
    const OutputRule &Rule = O.Rules.of(Out.Name);
    for (; Next < Parts.size() && Parts[Next].Buffer == B; ++Next)
      judgePart(Parts[Next], Rule, Out, R);
    if (!Out.Bytes)
      continue;
    R.Error = std::max(R.Error, Out.Diff.MaxError);
    addOutput(R, std::move(Out), C.Buffers[B].ofHeap());
  }
  if (StrayAddress)
    fail(R, Outcome::InputChanged,
         "memory at " + hex(StrayAddress) +
             " was written, which the original does not touch");
}

void measure::judgePrinted(const std::string &Expected,
                           const std::string &Actual, const ReplayOptions &O,
                           ReplayResult &R) {
  if (Expected.empty() && Actual.empty())
    return;
  OutputSpec Spec;
  Spec.What = OutputSpec::Kind::File;
  Spec.File = Replay::PrintfName;
  Spec.Rule = O.Rules.of(Replay::PrintfName);
  // A type is meant for arrays, and this is text.
  Spec.Rule.Type = ElementType::None;
  RunDifference D =
      Expected.empty()
          ? RunDifference::failed("it prints, which the original does not do")
          : compareOutput(Spec, {&Expected}, &Actual);
  OutputResult Out;
  Out.Name = Replay::PrintfName;
  Out.Bytes = Expected.size();
  Out.Diff = D.Diff;
  R.Error = std::max(R.Error, Out.Diff.MaxError);
  R.Outputs.push_back(std::move(Out));
  if (!D.Passed)
    fail(R, Outcome::WrongOutput, D.Reason);
}

std::string Replay::bufferName(const capture::Case &C, size_t Buffer) {
  const capture::Buffer &B = C.Buffers[Buffer];
  if (!B.Variable.empty())
    return B.Variable;
  if (B.ofHeap())
    return "heap";
  const capture::Launch &L = C.Launches[0];
  // Types of parameters are not known; a pointer is an aligned word.
  for (size_t K = 0; K + 8 <= L.Params.size(); K += 8) {
    uint64_t Word;
    std::memcpy(&Word, &L.Params[K], 8);
    if (Word < B.Address || Word - B.Address >= B.Size)
      continue;
    size_t Number = K / 8, Inside = 0;
    if (!L.Offsets.empty()) {
      auto After = std::upper_bound(L.Offsets.begin(), L.Offsets.end(), K);
      Number = size_t(After - L.Offsets.begin()) - 1;
      Inside = K - *std::prev(After);
    }
    return "arg" + std::to_string(Number) +
           (Inside ? "+" + std::to_string(Inside) : "");
  }
  char Text[24];
  std::snprintf(Text, sizeof(Text), "0x%llx", (unsigned long long)B.Address);
  return Text;
}

std::set<std::string> Replay::outputNames(const capture::Case &C) {
  std::set<std::string> Names;
  for (size_t B = 0; B < C.Buffers.size(); ++B)
    for (const capture::Piece &P : C.Buffers[B].Pieces)
      if (std::any_of(P.Marks.begin(), P.Marks.end(), capture::isWritten)) {
        Names.insert(bufferName(C, B));
        break;
      }
  if (C.Printed && !C.Printed->empty())
    Names.insert(PrintfName);
  return Names;
}
