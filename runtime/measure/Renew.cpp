//===- Renew.cpp - Cases with other inputs --------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::measure;

namespace {

/// The marks of the last launch for the bytes of \p P; \p End gets where those
/// that it touched end, if it touched any.
bool takeMarks(Device &D, const capture::Buffer &B, capture::Piece &P,
               uint64_t &End) {
  capture::Bytes Marks(P.Before.size());
  if (D.driver().gevoGpuGetMarks(B.Address + P.Offset, Marks.size(),
                                 Marks.data()))
    return false;
  auto Last = std::find_if(Marks.rbegin(), Marks.rend(),
                           [](uint8_t M) { return M != 0; });
  if (Last != Marks.rend())
    End = P.Offset + uint64_t(Marks.rend() - Last);
  bool Any = std::any_of(Marks.begin(), Marks.end(), capture::isWritten);
  P.Marks.clear();
  P.After.clear();
  P.Late = nullptr;
  if (Any)
    P.Marks = std::move(Marks);
  return true;
}

/// Did the last launch touch bytes of \p B that are in none of its pieces?
/// Nothing, if the device does not tell.
std::optional<bool> touchedGaps(Device &D, const capture::Buffer &B) {
  uint64_t At = 0;
  bool Told = true;
  auto touched = [&](uint64_t End) {
    capture::Bytes Marks(End - At);
    Told &= D.driver().gevoGpuGetMarks(B.Address + At, Marks.size(),
                                       Marks.data()) == 0;
    return std::any_of(Marks.begin(), Marks.end(),
                       [](uint8_t M) { return M != 0; });
  };
  bool Any = false;
  for (const capture::Piece &P : B.Pieces) {
    Any |= touched(P.Offset);
    At = P.end();
  }
  Any |= touched(B.Size);
  return Told ? std::optional<bool>(Any) : std::nullopt;
}

/// Takes marks and contents of a buffer from the last run; \p End as in
/// takeMarks. Returns what is wrong, or nothing.
std::string renewBuffer(Device &D, const capture::Bytes &All,
                        capture::Buffer &B, uint64_t &End) {
  const char *NotTold = "the embedded GPU does not tell what the launch wrote";
  std::optional<bool> Gaps = touchedGaps(D, B);
  if (!Gaps)
    return NotTold;
  if (*Gaps)
    return "with these inputs the kernel touches memory that was not captured";
  size_t At = 0;
  for (capture::Piece &P : B.Pieces) {
    if (!takeMarks(D, B, P, End))
      return NotTold;
    if (!P.Marks.empty())
      P.After.assign(All.begin() + std::ptrdiff_t(At),
                     All.begin() + std::ptrdiff_t(At + P.Before.size()));
    At += P.Before.size();
  }
  return "";
}

} // namespace

bool measure::renewExpected(Device &D, capture::Case &C, const std::string &Ptx,
                            const ReplayOptions &O, std::string &Error,
                            std::vector<uint64_t> *Ends, uint64_t *Steps) {
  if (!D.isEmbedded()) {
    Error = "only the embedded GPU knows what a launch writes";
    return false;
  }
  if (Ends)
    Ends->clear();
  if (Steps)
    *Steps = 0;
  if (C.usesHeap()) {
    Error = "the launch uses memory of malloc in device code";
    return false;
  }
  // Nothing is expected yet, so nothing is poisoned or compared.
  capture::Case Plain = C;
  for (capture::Buffer &B : Plain.Buffers)
    for (capture::Piece &P : B.Pieces) {
      P.After.clear();
      P.Marks.clear();
    }
  Plain.Printed.reset();
  Replay R(D, Plain);
  D.makeCurrent();
  D.driver().gevoGpuWatchWrites(2);
  ReplayResult Result = R.run(Ptx, O);
  if (Steps)
    *Steps = Result.steps();
  bool Ok = Result.passed() || Result.Result == Outcome::InputChanged;
  Error = Ok ? "" : Result.Reason;
  for (size_t K = 0; Ok && K < C.Buffers.size(); ++K) {
    uint64_t End = 0;
    Error = renewBuffer(D, R.outputOf(K), C.Buffers[K], End);
    Ok = Error.empty();
    if (Ends)
      Ends->push_back(End);
  }
  D.driver().gevoGpuWatchWrites(1);
  if (Ok) {
    C.WarpInstructions = Result.WarpInstructions;
    C.Cycles = Result.Cycles;
    C.Microseconds = Result.Microseconds;
    C.Printed = D.printed();
  }
  return Ok;
}
