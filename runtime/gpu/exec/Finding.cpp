//===- Finding.cpp - Names and text of findings
//-----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, severities and the one-line text of findings, from FindingKinds.def.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Finding.h"

using namespace gevo::gpu;

namespace {
struct KindRow {
  const char *Text;
  Severity Sev;
  CheckFamily Family;
};
const KindRow Rows[] = {
#define FINDING(Name, Text, Sev, Family)                                       \
  {Text, Severity::Sev, CheckFamily::Family},
#include "runtime/gpu/exec/FindingKinds.def"
};

std::string dim(const Dim3 &D) {
  return "(" + std::to_string(D.X) + "," + std::to_string(D.Y) + "," +
         std::to_string(D.Z) + ")";
}

std::string where(const ThreadPlace &T) {
  std::string S = "thread " + dim(T.Thread) + " of block " + dim(T.Block);
  if (!T.Place.Function.empty())
    S += " in " + T.Place.Function;
  if (T.Place.PtxLine)
    S += ", PTX line " + std::to_string(T.Place.PtxLine);
  if (!T.Place.SourceFile.empty())
    S += " (" + T.Place.SourceFile + ":" + std::to_string(T.Place.SourceLine) +
         ":" + std::to_string(T.Place.SourceColumn) +
         (T.Place.CallerFile.empty()
              ? ")"
              : ", called near " + T.Place.CallerFile + ":" +
                    std::to_string(T.Place.CallerLine) + ")");
  return S;
}
} // namespace

const char *gevo::gpu::findingName(FindingKind K) {
  return Rows[unsigned(K)].Text;
}
Severity gevo::gpu::findingSeverity(FindingKind K) {
  return Rows[unsigned(K)].Sev;
}
CheckFamily gevo::gpu::findingFamily(FindingKind K) {
  return Rows[unsigned(K)].Family;
}

std::optional<CheckFamily>
gevo::gpu::checkFamilyByName(const std::string &Name) {
  static const struct {
    const char *Name;
    CheckFamily Family;
  } Families[] = {
      {"bounds", CheckFamily::Bounds},   {"align", CheckFamily::Align},
      {"race", CheckFamily::Race},       {"uninit", CheckFamily::Uninit},
      {"barrier", CheckFamily::Barrier}, {"shuffle", CheckFamily::Shuffle},
      {"atomic", CheckFamily::Atomic}};
  for (const auto &F : Families)
    if (Name == F.Name)
      return F.Family;
  return std::nullopt;
}

std::string Finding::str() const {
  std::string S = Sev == Severity::Error ? "error: " : "warning: ";
  S += findingName(Kind);
  S += ": " + Message + " [kernel " + Kernel + ", " + where(Who) + "]";
  if (Other)
    S += " [other: " + where(*Other) + "]";
  if (Count > 1)
    S += " [" + std::to_string(Count) + " times]";
  return S;
}
