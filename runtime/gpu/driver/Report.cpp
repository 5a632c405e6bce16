//===- Report.cpp - Findings for people and programs ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Report.h"
#include "runtime/gpu/driver/FindingJson.h"

#include <cstdio>

using namespace gevo;
using namespace gevo::driver;

/// What makes two findings the same to a reader: kind and places in the code.
std::string gevo::driver::findingKey(const gpu::Finding &F) {
  std::string Key = std::string(gpu::findingName(F.Kind)) + '@' + F.Kernel +
                    ':' + F.Who.Place.Function + ':' +
                    std::to_string(F.Who.Place.PtxLine);
  if (F.Other)
    Key += '/' + F.Other->Place.Function + ':' +
           std::to_string(F.Other->Place.PtxLine);
  return Key;
}

void gevo::driver::keepFindings(Context &Ctx,
                                const std::vector<gpu::Finding> &Found) {
  for (const gpu::Finding &F : Found) {
    auto [It, New] =
        Ctx.FindingIndex.try_emplace(findingKey(F), Ctx.Findings.size());
    if (New)
      Ctx.Findings.push_back(F);
    else
      Ctx.Findings[It->second].Count += F.Count;
  }
}

void gevo::driver::reportLaunch(Context &Ctx, const LaunchSettings &Settings,
                                const std::string &Kernel,
                                const gpu::LaunchResult &Result) {
  if (Settings.FindingsTo == "none")
    return;
  std::string Text;
  bool ToFile = Settings.FindingsTo != "stderr";
  for (const gpu::Finding &F : Result.Findings) {
    {
      std::lock_guard<std::mutex> Guard(Ctx.Lock);
      if (!Ctx.Printed.insert(findingKey(F)).second)
        continue;
    }
    if (ToFile)
      Text += gpu::findingJson(F).dump() + '\n';
    else
      Text += "gevo-gpu: " + F.str() + '\n';
  }
  // A launch can fail without a finding when its checks are off.
  if (Result.Findings.empty() && !Result.Message.empty() && !ToFile)
    Text = "gevo-gpu: error: kernel " + Kernel + ": " + Result.Message + '\n';
  if (Text.empty())
    return;
  std::FILE *To =
      ToFile ? std::fopen(Settings.FindingsTo.c_str(), "a") : stderr;
  if (!To)
    To = stderr;
  std::fwrite(Text.data(), 1, Text.size(), To);
  if (To != stderr)
    std::fclose(To);
}
