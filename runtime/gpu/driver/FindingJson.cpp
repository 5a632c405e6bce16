//===- FindingJson.cpp - Findings and counters as JSON --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/FindingJson.h"

#include <cstdio>

using namespace gevo::gpu;
using nlohmann::ordered_json;

namespace {

std::string hex(uint64_t Value) {
  char Text[24];
  std::snprintf(Text, sizeof(Text), "0x%llx", (unsigned long long)Value);
  return Text;
}

ordered_json placeJson(const ThreadPlace &P) {
  ordered_json J;
  J["block"] = {P.Block.X, P.Block.Y, P.Block.Z};
  J["thread"] = {P.Thread.X, P.Thread.Y, P.Thread.Z};
  J["function"] = P.Place.Function;
  J["ptx_line"] = P.Place.PtxLine;
  if (!P.Place.SourceFile.empty()) {
    J["file"] = P.Place.SourceFile;
    J["line"] = P.Place.SourceLine;
    J["column"] = P.Place.SourceColumn;
  }
  if (!P.Place.CallerFile.empty()) {
    J["caller_file"] = P.Place.CallerFile;
    J["caller_line"] = P.Place.CallerLine;
  }
  return J;
}

} // namespace

ordered_json gevo::gpu::findingJson(const Finding &F) {
  ordered_json J;
  J["kind"] = findingName(F.Kind);
  J["severity"] = F.Sev == Severity::Error ? "error" : "warning";
  if (F.Sev == Severity::Doubt)
    J["variant_severity"] = "error";
  J["kernel"] = F.Kernel;
  J["message"] = F.Message;
  J["where"] = placeJson(F.Who);
  if (F.Other)
    J["other"] = placeJson(*F.Other);
  if (F.AccessBytes) {
    J["address"] = hex(F.Address);
    J["bytes"] = F.AccessBytes;
  }
  if (!F.Memory.empty())
    J["memory"] = F.Memory;
  if (F.NeighbourBytes) {
    ordered_json Near;
    Near["base"] = hex(F.NeighbourBase);
    Near["bytes"] = F.NeighbourBytes;
    Near["distance"] = F.NeighbourDistance;
    if (!F.NeighbourName.empty())
      Near["name"] = F.NeighbourName;
    J["nearest_allocation"] = Near;
  }
  J["count"] = F.Count;
  return J;
}

ordered_json gevo::gpu::countersJson(const LaunchCounters &C) {
  ordered_json J;
  J["warp_instructions"] = C.WarpInstructions;
  J["thread_instructions"] = C.ThreadInstructions;
  J["branches"] = C.Branches;
  J["divergent_branches"] = C.DivergentBranches;
  J["barriers"] = C.Barriers;
  J["global_loads"] = C.GlobalLoads;
  J["global_stores"] = C.GlobalStores;
  J["shared_loads"] = C.SharedLoads;
  J["shared_stores"] = C.SharedStores;
  J["atomics"] = C.Atomics;
  J["blocks"] = C.Blocks;
  return J;
}
