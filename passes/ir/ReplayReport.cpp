//===- ReplayReport.cpp - What became of an edit set ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report as numbers and as JSON.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/JsonText.h"
#include "passes/ir/Replay.h"

using namespace llvm;
using namespace gevo;

StringRef gevo::name(ReplayStatus Status) {
  switch (Status) {
  case ReplayStatus::Applied:
    return "applied";
  case ReplayStatus::Stale:
    return "stale";
  case ReplayStatus::Refused:
    return "refused";
  }
  llvm_unreachable("a status without a name");
}

size_t ReplayReport::applied() const {
  size_t Count = 0;
  for (const FunctionReplay &F : Functions)
    if (F.Status == ReplayStatus::Applied)
      Count += F.Edits->Edits.size();
  return Count;
}

size_t ReplayReport::total() const {
  size_t Count = 0;
  for (const FunctionReplay &F : Functions)
    Count += F.Edits->Edits.size();
  return Count;
}

static void printOutcome(json::OStream &J, const FunctionReplay &R) {
  J.object([&] {
    J.attribute("name", jsonText(R.Edits->Name));
    J.attribute("status", name(R.Status));
    J.attribute("edits", R.Edits->Edits.size());
    J.attribute("fingerprint", R.Fingerprint);
    if (R.Status != ReplayStatus::Applied) {
      if (R.Why.Edit)
        J.attribute("edit", *R.Why.Edit + 1);
      J.attribute("reason", jsonText(R.Why.Reason));
    }
    if (!R.Remapped.empty())
      J.attributeArray("remapped", [&] {
        for (const RemappedAnchor &A : R.Remapped)
          J.object([&] {
            J.attribute("from", A.From);
            J.attribute("to", A.To);
            J.attribute("sure", A.Sureness);
          });
      });
  });
}

void gevo::printReport(const ReplayReport &Report, const EditSet &Set,
                       raw_ostream &OS) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("source", jsonText(Report.Source));
    J.attribute("arch", Report.Architecture);
    J.attribute("edits_file", jsonText(Set.Path));
    J.attribute("applied", Report.applied());
    J.attribute("total", Report.total());
    if (!Report.Elsewhere.empty())
      J.attribute("elsewhere", Report.Elsewhere);
    J.attributeArray("functions", [&] {
      for (const FunctionReplay &R : Report.Functions)
        printOutcome(J, R);
    });
  });
  OS << '\n';
}
