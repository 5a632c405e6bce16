//===- Profile.cpp - Reading GPU profiles ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Profile.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Where a field's value goes, and what it may be.
struct Field {
  std::string_view Key;
  uint64_t Min, Max;
  uint64_t *Value;
};

/// The fields of \p P, those of pipes as key_interval and key_latency.
std::vector<Field> fieldsOf(Profile &P) {
  std::vector<Field> Fields;
#define FIELD(Name, Key, Min, Max) Fields.push_back({Key, Min, Max, &P.Name});
#define PIPE(Name, Key)                                                        \
  Fields.push_back(                                                            \
      {Key "_interval", 1, 1024, &P.Pipes[unsigned(Unit::Name)].Interval});    \
  Fields.push_back(                                                            \
      {Key "_latency", 1, 4096, &P.Pipes[unsigned(Unit::Name)].Latency});
#include "runtime/gpu/timing/ProfileFields.def"
  return Fields;
}

std::string_view trim(std::string_view S) {
  size_t Begin = S.find_first_not_of(" \t\r");
  if (Begin == std::string_view::npos)
    return {};
  return S.substr(Begin, S.find_last_not_of(" \t\r") - Begin + 1);
}

std::optional<uint64_t> parseNumber(std::string_view S) {
  uint64_t V = 0;
  for (char C : S) {
    if (C < '0' || C > '9' || V > (UINT64_MAX - 9) / 10)
      return std::nullopt;
    V = V * 10 + uint64_t(C - '0');
  }
  return S.empty() ? std::nullopt : std::optional<uint64_t>(V);
}

std::string quoted(std::string_view S) { return "'" + std::string(S) + "'"; }

/// One line at a time; remembers which keys were there.
class Reader {
public:
  std::optional<Diagnostic> line(std::string_view Line, unsigned Number);
  std::optional<Diagnostic> finish();
  Profile P;

private:
  std::vector<Field> Fields = fieldsOf(P);
  std::set<std::string, std::less<>> Seen;
};

std::optional<Diagnostic> Reader::line(std::string_view Line, unsigned Number) {
  auto Fail = [&](std::string Message) {
    return Diagnostic{std::move(Message), Number, 1};
  };
  std::string_view Body = trim(Line.substr(0, Line.find('#')));
  if (Body.empty())
    return std::nullopt;
  size_t Equals = Body.find('=');
  if (Equals == std::string_view::npos)
    return Fail("expected 'key = value'");
  std::string_view Key = trim(Body.substr(0, Equals));
  std::string_view Value = trim(Body.substr(Equals + 1));
  if (!Seen.emplace(Key).second)
    return Fail("field " + quoted(Key) + " is given twice");
  if (Value.empty())
    return Fail("field " + quoted(Key) + " has no value");
  if (Key == "name" || Key == "full_name") {
    (Key == "name" ? P.Name : P.FullName) = Value;
    return std::nullopt;
  }
  for (const Field &F : Fields) {
    if (F.Key != Key)
      continue;
    std::optional<uint64_t> Number = parseNumber(Value);
    if (!Number)
      return Fail("field " + quoted(Key) + ": " + quoted(Value) +
                  " is not a whole number");
    if (*Number < F.Min || *Number > F.Max)
      return Fail("field " + quoted(Key) + ": " + std::string(Value) +
                  " is not between " + std::to_string(F.Min) + " and " +
                  std::to_string(F.Max));
    *F.Value = *Number;
    return std::nullopt;
  }
  return Fail("unknown field " + quoted(Key));
}

std::optional<Diagnostic> Reader::finish() {
  auto Missing = [&](std::string_view Key) {
    return Diagnostic{"field " + quoted(Key) + " is missing"};
  };
  for (std::string_view Key : {"name", "full_name"})
    if (!Seen.count(Key))
      return Missing(Key);
  for (const Field &F : Fields)
    if (!Seen.count(F.Key))
      return Missing(F.Key);
  // Relations that the model relies on.
  if (P.L2Latency <= P.L1Latency)
    return Diagnostic{"field 'l2_latency' must be above 'l1_latency'"};
  if (P.DramLatency <= P.L2Latency)
    return Diagnostic{"field 'dram_latency' must be above 'l2_latency'"};
  if (P.AtomicLatency < P.L2Latency)
    return Diagnostic{"field 'atomic_latency' must not be below 'l2_latency'"};
  if (P.MaxWarps % P.Schedulers != 0)
    return Diagnostic{"field 'max_warps' must be a multiple of 'schedulers'"};
  if (P.MaxWarps / P.Schedulers > 64)
    return Diagnostic{"field 'max_warps' must not be above 64 x 'schedulers'"};
  return std::nullopt;
}

} // namespace

const char *gevo::gpu::timing::unitName(Unit U) {
  static const char *const Names[] = {
#define PIPE(Name, Key) Key,
#include "runtime/gpu/timing/ProfileFields.def"
      "none"};
  return Names[unsigned(U)];
}

Result<Profile> gevo::gpu::timing::parseProfile(std::string_view Text) {
  Reader R;
  unsigned Number = 0;
  while (!Text.empty()) {
    size_t End = Text.find('\n');
    if (std::optional<Diagnostic> D = R.line(Text.substr(0, End), ++Number))
      return *D;
    Text.remove_prefix(End == std::string_view::npos ? Text.size() : End + 1);
  }
  if (std::optional<Diagnostic> D = R.finish())
    return *D;
  return R.P;
}

Result<Profile> gevo::gpu::timing::readProfile(const std::string &File) {
  std::error_code Ignored;
  if (std::filesystem::is_directory(File, Ignored))
    return Diagnostic{File + ": is a folder, not a profile of a GPU"};
  std::ifstream In(File, std::ios::binary);
  std::ostringstream Text;
  // Not with an iterator, which throws where reading fails.
  if (In.peek() != EOF)
    Text << In.rdbuf();
  if (!In.is_open() || In.bad() || !Text)
    return Diagnostic{File + ": cannot be read"};
  Result<Profile> P = parseProfile(Text.str());
  if (P)
    return P;
  // What is missing has no line.
  return Diagnostic{File + (P.error().Line ? ":" : ": ") + P.error().str()};
}
