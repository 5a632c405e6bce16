//===- CommandLine.cpp - How gevo-run refuses a command line --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/CommandLine.h"

#include "runtime/gpu/capture/Blob.h"
#include "runtime/gpu/ptx/Parser.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace gevo;
using namespace gevo::run;

namespace {

size_t editDistance(const std::string &A, const std::string &B) {
  std::vector<size_t> Row(B.size() + 1);
  for (size_t J = 0; J <= B.size(); ++J)
    Row[J] = J;
  for (size_t I = 1; I <= A.size(); ++I) {
    size_t Diagonal = Row[0];
    Row[0] = I;
    for (size_t J = 1; J <= B.size(); ++J) {
      size_t Above = Row[J];
      Row[J] = std::min(
          {Above + 1, Row[J - 1] + 1, Diagonal + (A[I - 1] != B[J - 1])});
      Diagonal = Above;
    }
  }
  return Row[B.size()];
}

} // namespace

void gevo::run::fail(const std::string &Message) {
  std::fprintf(stderr, "gevo-run: error: %s\n", Message.c_str());
  std::exit(1);
}

uint64_t gevo::run::number(const std::string &Option, const std::string &Text,
                           uint64_t Least) {
  char *End;
  unsigned long long V = std::strtoull(Text.c_str(), &End, 10);
  if (Text.empty() || *End || Text[0] == '-')
    fail("'" + Text + "' is no number for '" + Option + "'");
  if (V < Least)
    fail("'" + Text + "' is too small for '" + Option + "'; the least is " +
         std::to_string(Least));
  return V;
}

std::string gevo::run::substitutePtx(const std::string &Name) {
  std::string Error;
  std::optional<std::string> Ptx = capture::readWhole(Name, Error);
  if (!Ptx)
    fail(Error);
  auto Parsed = gpu::ptx::parseModule(*Ptx);
  if (!Parsed)
    fail("cannot load '" + Name + "', which is to be substituted: PTX " +
         Parsed.error().str());
  return std::move(*Ptx);
}

void gevo::run::failNoSubstitute() {
  fail("option '--original' is about the '--substitute' before it, and there "
       "is none");
}

void gevo::run::failUnknown(const std::string &Option,
                            const std::vector<std::string> &Known) {
  std::string Nearest;
  size_t Best = 4;
  for (const std::string &Name : Known)
    if (size_t D = editDistance(Option, Name); D < Best) {
      Best = D;
      Nearest = Name;
    }
  fail(
      "unknown option '" + Option + "'" +
      (Nearest.empty() ? "; see --help" : "; did you mean '" + Nearest + "'?"));
}

bool gevo::run::writeReport(const std::string &File,
                            const nlohmann::ordered_json &Report,
                            std::string &Error) {
  std::string Text =
      Report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
      "\n";
  if (File != "-")
    return capture::writeAtomically(File, Text, Error);
  if (std::fputs(Text.c_str(), stdout) >= 0 && !std::fflush(stdout))
    return true;
  Error = std::string("cannot write the report to standard output: ") +
          std::strerror(errno);
  return false;
}
