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
  bool Optional = false; ///< The profile has its default already.
};

/// The fields of \p P, those of pipes as key_interval and key_latency.
std::vector<Field> fieldsOf(Profile &P) {
  std::vector<Field> Fields;
#define FIELD(Name, Key, Min, Max) Fields.push_back({Key, Min, Max, &P.Name});
#define LATER(Name, Key, Min, Max, Default)                                    \
  Fields.push_back({Key, Min, Max, &P.Name, true});
#define PIPE(Name, Key)                                                        \
  Fields.push_back(                                                            \
      {Key "_interval", 1, 1024, &P.Pipes[unsigned(Unit::Name)].Interval});    \
  Fields.push_back(                                                            \
      {Key "_latency", 1, 4096, &P.Pipes[unsigned(Unit::Name)].Latency});
#define LATER_PIPE(Name, Key, Like)                                            \
  PIPE(Name, Key)                                                              \
  Fields.back().Optional = (Fields.end() - 2)->Optional = true;
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

/// \p S for a message, whatever bytes a file has in its place.
std::string quoted(std::string_view S) {
  constexpr size_t Longest = 40;
  std::string Out = "'";
  for (char C : S.substr(0, Longest))
    Out += C >= ' ' && C <= '~' ? C : '?';
  return Out + (S.size() > Longest ? "...'" : "'");
}

/// What is wrong with the relations between fields that the model relies on.
std::optional<Diagnostic> unfitting(const Profile &P) {
  const struct {
    bool Holds;
    const char *Else;
  } Relations[] = {
      {P.L2Latency > P.L1Latency, "'l2_latency' must be above 'l1_latency'"},
      {P.DramLatency > P.L2Latency,
       "'dram_latency' must be above 'l2_latency'"},
      {P.AtomicLatency >= P.L2Latency,
       "'atomic_latency' must not be below 'l2_latency'"},
      {P.MaxWarps % P.Schedulers == 0,
       "'max_warps' must be a multiple of 'schedulers'"},
      {P.MaxWarps / P.Schedulers <= 64,
       "'max_warps' must not be above 64 x 'schedulers'"},
      {P.MaxThreadsPerBlock <= 32 * P.MaxWarps,
       "'max_threads_per_block' must not be above 32 x 'max_warps'"},
      {P.SharedPerBlock + P.SharedReserved <= P.SharedBytes,
       "'shared_per_block' and 'shared_reserved' must fit into "
       "'shared_bytes'"},
      {P.L1Min <= P.L1Pool, "'l1_min' must not be above 'l1_pool'"},
      {!P.L1Unified || P.SharedBytes + P.L1Min <= P.L1Pool,
       "'shared_bytes' and 'l1_min' must fit into 'l1_pool', as 'l1_unified' "
       "is 1"},
  };
  for (const auto &R : Relations)
    if (!R.Holds)
      return Diagnostic{std::string("field ") + R.Else};
  return std::nullopt;
}

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
  if (Equals == std::string_view::npos || Equals == 0)
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
    if (!Number || *Number < F.Min || *Number > F.Max)
      return Fail("field " + quoted(Key) + ": " + quoted(Value) +
                  " is not a whole number between " + std::to_string(F.Min) +
                  " and " + std::to_string(F.Max));
    *F.Value = *Number;
    return std::nullopt;
  }
  return Fail("unknown field " + quoted(Key));
}

std::optional<Diagnostic> Reader::finish() {
  std::vector<std::string_view> Missing;
  for (std::string_view Key : {"name", "full_name"})
    if (!Seen.count(Key))
      Missing.push_back(Key);
  for (const Field &F : Fields)
    if (!F.Optional && !Seen.count(F.Key))
      Missing.push_back(F.Key);
#define LATER_PIPE(Name, Key, Like)                                            \
  if (!Seen.count(Key "_interval"))                                            \
    P.Pipes[unsigned(Unit::Name)].Interval = P.pipe(Unit::Like).Interval;      \
  if (!Seen.count(Key "_latency"))                                             \
    P.Pipes[unsigned(Unit::Name)].Latency = P.pipe(Unit::Like).Latency;
#include "runtime/gpu/timing/ProfileFields.def"
  if (Missing.empty())
    return unfitting(P);
  std::string Message = "field " + quoted(Missing[0]) + " is missing";
  if (Missing.size() > 1)
    Message += ", and " + std::to_string(Missing.size() - 1) +
               " others; start from the file of a known GPU";
  return Diagnostic{Message};
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
  // Some editors begin files with a mark of the byte order.
  if (Text.substr(0, 3) == "\xEF\xBB\xBF")
    Text.remove_prefix(3);
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

std::string gevo::gpu::timing::profileText(const Profile &P) {
  Profile Copy = P;
  std::string Text = "name = " + P.Name + "\nfull_name = " + P.FullName + "\n";
  for (const Field &F : fieldsOf(Copy))
    Text += std::string(F.Key) + " = " + std::to_string(*F.Value) + "\n";
  return Text;
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
