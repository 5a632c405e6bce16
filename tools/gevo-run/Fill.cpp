//===- Fill.cpp - What a buffer holds at the start ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/Fill.h"

#include <algorithm>
#include <cstring>

using namespace gevo;
using namespace gevo::run;
using nlohmann::ordered_json;

namespace {

/// Fills one buffer. The first problem is kept in Error.
class Filler {
public:
  Filler(const std::string &Folder, std::string &Error)
      : Folder(Folder), Error(Error) {}

  static void setElement(BufferSpec &B, uint64_t Index, uint64_t Bits) {
    std::memcpy(&B.Contents[size_t(Index) * B.Type->Bytes], &Bits,
                B.Type->Bytes);
  }

  bool fill(const ordered_json &J, const std::string &Path, BufferSpec &B) {
    if (J == "zero")
      return true;
    if (J == "iota") {
      for (uint64_t I = 0; I < B.Count; ++I)
        setElement(B, I,
                   B.Type->Kind == ElementKind::Float
                       ? encodeFloat(*B.Type, double(I))
                       : I);
      return true;
    }
    if (J.is_object() && J.contains("const"))
      return fillConst(J, Path, B);
    if (J.is_object() && J.contains("rand"))
      return fillRandom(J, Path, B);
    if (J.is_object() && J.contains("file"))
      return fillFile(J, Path, B);
    return fail(Path, "must be \"zero\", \"iota\", {\"const\": v}, "
                      "{\"rand\": seed, \"lo\": a, \"hi\": b} or "
                      "{\"file\": name}");
  }

  bool fillConst(const ordered_json &J, const std::string &Path,
                 BufferSpec &B) {
    if (!checkObject(J, Path, {"const"}))
      return false;
    std::optional<uint64_t> Bits = parseValue(*B.Type, J["const"]);
    if (!Bits)
      return fail(Path + ".const",
                  std::string("is no value of type ") + B.Type->Name);
    for (uint64_t I = 0; I < B.Count; ++I)
      setElement(B, I, *Bits);
    return true;
  }

  bool fillRandom(const ordered_json &J, const std::string &Path,
                  BufferSpec &B) {
    uint64_t Seed;
    if (!checkObject(J, Path, {"rand", "lo", "hi"}))
      return false;
    if (!J["rand"].is_number_unsigned())
      return fail(Path + ".rand", "must be a whole number, the seed");
    Seed = J["rand"].get<uint64_t>();
    if (B.Type->Kind == ElementKind::Float)
      return fillRandomFloats(J, Path, Seed, B);
    return fillRandomIntegers(J, Path, Seed, B);
  }

  bool fillRandomFloats(const ordered_json &J, const std::string &Path,
                        uint64_t Seed, BufferSpec &B) {
    double Low = 0, High = 1;
    for (auto &[Key, Into] : {std::make_pair("lo", &Low), {"hi", &High}}) {
      if (!J.contains(Key))
        continue;
      if (!J[Key].is_number())
        return fail(Path + "." + Key, "must be a number");
      *Into = J[Key].get<double>();
    }
    if (!(Low <= High))
      return fail(Path, "lo is greater than hi");
    for (uint64_t I = 0; I < B.Count; ++I) {
      double Unit = double(randomBits(Seed, I) >> 11) * 0x1p-53;
      setElement(B, I, encodeFloat(*B.Type, Low + (High - Low) * Unit));
    }
    return true;
  }

  bool fillRandomIntegers(const ordered_json &J, const std::string &Path,
                          uint64_t Seed, BufferSpec &B) {
    bool HasRange = J.contains("lo") || J.contains("hi");
    if (HasRange && (!J.contains("lo") || !J.contains("hi")))
      return fail(Path, "needs both lo and hi, or neither");
    uint64_t Low = 0, Span = 0;
    if (HasRange) {
      std::optional<uint64_t> From = parseValue(*B.Type, J["lo"]);
      // The end of the range is excluded, so it may be one past the type.
      static const ElementType Wide = {"i64", 8, ElementKind::Signed};
      std::optional<uint64_t> To = parseValue(*B.Type, J["hi"]);
      if (!To)
        To = parseValue(Wide, J["hi"]);
      if (!From || !To)
        return fail(Path, std::string("lo and hi must be values of type ") +
                              B.Type->Name);
      Low = *From;
      Span = *To - *From;
      bool Ordered = B.Type->Kind == ElementKind::Signed
                         ? int64_t(*From) < int64_t(*To)
                         : *From < *To;
      if (!Ordered)
        return fail(Path, "lo must be less than hi, which is excluded");
    }
    for (uint64_t I = 0; I < B.Count; ++I) {
      uint64_t Bits = randomBits(Seed, I);
      if (HasRange)
        Bits = Low + uint64_t((unsigned __int128)Bits * Span >> 64);
      setElement(B, I, Bits);
    }
    return true;
  }

  bool fillFile(const ordered_json &J, const std::string &Path, BufferSpec &B) {
    if (!checkObject(J, Path, {"file"}))
      return false;
    if (!J["file"].is_string())
      return fail(Path + ".file", "must be a file name");
    std::string Name = J["file"].get<std::string>(), Why;
    // Beside launch.json first, then as the caller sees it.
    std::optional<std::string> Bytes;
    if (!Name.empty() && Name[0] != '/')
      Bytes = readFile(Folder + Name, Why);
    if (!Bytes)
      Bytes = readFile(Name, Why);
    if (!Bytes)
      return fail(Path + ".file", Why);
    if (Bytes->size() != B.Contents.size())
      return fail(Path + ".file", "'" + Name + "' has " +
                                      std::to_string(Bytes->size()) +
                                      " bytes, but the buffer has " +
                                      std::to_string(B.Contents.size()));
    B.Contents.assign(Bytes->begin(), Bytes->end());
    return true;
  }

private:
  const std::string &Folder; ///< Where relative file names start.
  std::string &Error;

  bool fail(const std::string &Path, const std::string &What) {
    Error = Path + ": " + What;
    return false;
  }

  bool checkObject(const ordered_json &J, const std::string &Path,
                   std::initializer_list<const char *> Known) {
    return checkKeys(J, Path, Known, Error);
  }
};

} // namespace

bool gevo::run::checkKeys(const ordered_json &J, const std::string &Path,
                          std::initializer_list<const char *> Known,
                          std::string &Error) {
  std::string Start = Path.empty() ? "" : Path + ": ";
  if (!J.is_object()) {
    Error = Start + "must be an object";
    return false;
  }
  for (auto It = J.begin(); It != J.end(); ++It) {
    const std::string &Key = It.key();
    bool IsKnown = std::any_of(Known.begin(), Known.end(),
                               [&](const char *K) { return Key == K; });
    if (IsKnown)
      continue;
    std::string Names;
    for (const char *K : Known)
      Names += (Names.empty() ? "" : ", ") + std::string(K);
    Error = Start + "unknown key '" + Key + "'; known are " + Names;
    return false;
  }
  return true;
}

bool gevo::run::fillBuffer(const ordered_json &J, const std::string &Folder,
                           const std::string &Path, BufferSpec &B,
                           std::string &Error) {
  return Filler(Folder, Error).fill(J, Path, B);
}
