//===- LaunchScenario.cpp - Which launches are replayed -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a capture holds of the code that is edited, and what tells it from
// others.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/SameCode.h"
#include "search/LaunchRunner.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace llvm;
using namespace gevo;

// A byte that is poisoned before a replay, or that has another value after it.
static bool mustBeWritten(const capture::Piece &P) {
  for (size_t I = 0; I < P.Marks.size(); ++I)
    if (capture::isWritten(P.Marks[I]) &&
        (!(P.Marks[I] & capture::ReadFirst) || P.Before[I] != P.After[I]))
      return true;
  return false;
}

std::set<std::string> LaunchScenario::writers() const {
  std::set<std::string> Kernels;
  for (const capture::Case &C : Captured.Cases) {
    const std::string &Kernel = C.Launches[0].Kernel;
    bool Alone = all_of(C.Launches, [&](const capture::Launch &L) {
      return L.Kernel == Kernel;
    });
    if (Alone && any_of(C.Buffers, [](const capture::Buffer &B) {
          return any_of(B.Pieces, mustBeWritten);
        }))
      Kernels.insert(Kernel);
  }
  return Kernels;
}

// Where a word of parameters points: "2+16" is byte 16 of the third buffer.
// Addresses may differ from one capture to the next.
static std::optional<std::string> placeOf(const capture::Case &C,
                                          uint64_t Address) {
  for (size_t I = 0; I < C.Buffers.size(); ++I)
    if (const capture::Buffer &B = C.Buffers[I];
        B.Variable.empty() && Address - B.Address < B.Size)
      return std::to_string(I) + "+" + std::to_string(Address - B.Address);
  return std::nullopt;
}

static std::string paramsOf(const capture::Case &C, const capture::Launch &L) {
  std::string Text;
  ArrayRef<uint8_t> Rest = L.Params;
  while (!Rest.empty()) {
    ArrayRef<uint8_t> Word = Rest.take_front(sizeof(uint64_t));
    uint64_t Value = 0;
    std::memcpy(&Value, Word.data(), Word.size());
    Text += " " + placeOf(C, Value).value_or(utohexstr(Value));
    Rest = Rest.drop_front(Word.size());
  }
  return Text;
}

static std::string hashOf(ArrayRef<uint8_t> Bytes) {
  return " " + utohexstr(xxh3_64bits(Bytes));
}

static std::string identityOf(const capture::Case &C) {
  std::string All = "\n" + std::to_string(C.Weight);
  for (const capture::Launch &L : C.Launches) {
    All += "\n" + L.Kernel + paramsOf(C, L);
    for (uint32_t Size : {L.Grid.X, L.Grid.Y, L.Grid.Z, L.Block.X, L.Block.Y,
                          L.Block.Z, L.SharedBytes, uint32_t(L.Cooperative)})
      All += " " + std::to_string(Size);
  }
  for (const capture::Buffer &B : C.Buffers) {
    All += "\n" + B.Variable + " " + std::to_string(B.Size);
    for (const capture::Piece &P : B.Pieces)
      All += " " + std::to_string(P.Offset) + hashOf(P.Before) +
             hashOf(P.After) + hashOf(P.Marks);
  }
  return All;
}

std::string LaunchScenario::identity() const {
  std::string All = join(Rules.texts(), " ") + " " + std::to_string(TimeBound);
  for (const capture::Case &C : Captured.Cases)
    All += identityOf(C);
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}

// A name may stand in several modules, for other code in each. The text tells
// whose launches these are, or the name, of a program that was built in another
// way.
static std::optional<unsigned> moduleOf(const Payload &Code, StringRef Text) {
  for (unsigned I = 0; I < Code.Modules.size(); ++I)
    if (gpu::ptx::isSameCode(Code.Modules[I], Text))
      return I;
  return std::nullopt;
}

static std::optional<unsigned> moduleWith(const Payload &Code,
                                          const std::string &Kernel) {
  for (unsigned I = 0; I < Code.Modules.size(); ++I)
    if (StringRef(Code.Modules[I]).contains(".entry " + Kernel + "("))
      return I;
  return std::nullopt;
}

Expected<LaunchScenario> gevo::readLaunches(const std::string &Folder,
                                            const Payload &Code) {
  std::string Message;
  std::optional<capture::Capture> Read = capture::readCapture(Folder, Message);
  if (!Read)
    return createStringError(inconvertibleErrorCode(), Message);
  LaunchScenario S;
  std::vector<capture::Case> All = std::move(Read->Cases);
  S.Captured = std::move(*Read);
  S.Captured.Cases.clear();
  std::vector<std::optional<unsigned>> ByText;
  for (const std::string &Text : S.Captured.Modules)
    ByText.push_back(moduleOf(Code, Text));
  for (capture::Case &C : All) {
    // A case may hold several launches; all must be of one module of ours.
    std::optional<unsigned> Module = ByText[C.Module];
    if (!Module)
      for (const capture::Launch &L : C.Launches) {
        Module = moduleWith(Code, L.Kernel);
        if (!Module)
          break;
      }
    if (!Module)
      continue;
    S.ModuleOf.push_back(*Module);
    S.Captured.Cases.push_back(std::move(C));
  }
  if (S.Captured.Cases.empty())
    return createStringError(inconvertibleErrorCode(),
                             "no launch of a kernel that can be edited was "
                             "captured");
  return S;
}
