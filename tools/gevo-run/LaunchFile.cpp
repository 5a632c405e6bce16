//===- LaunchFile.cpp - What launch.json says -----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/LaunchFile.h"
#include "tools/gevo-run/Fill.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <set>

using namespace gevo;
using namespace gevo::run;
using nlohmann::ordered_json;

namespace {

/// Walks a JSON text once to learn where it is malformed and whether an object
/// has a key twice, both of which a finished document no longer tells.
class SyntaxCheck : public nlohmann::json_sax<ordered_json> {
public:
  bool Failed = false;
  size_t Position = 0;
  std::string Message;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override {
    Keys.emplace_back();
    return true;
  }
  bool key(string_t &Key) override {
    if (Keys.back().insert(Key).second)
      return true;
    Failed = true;
    Message = "key '" + Key + "' appears twice in one object";
    return false;
  }
  bool end_object() override {
    Keys.pop_back();
    return true;
  }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t At, const std::string &,
                   const nlohmann::detail::exception &) override {
    Failed = true;
    Position = At;
    Message = "malformed JSON";
    return false;
  }

private:
  std::vector<std::set<std::string>> Keys;
};

/// "3:14" for the byte before \p Position, counted from 1.
std::string lineAndColumn(const std::string &Text, size_t Position) {
  size_t End = std::min(Position ? Position - 1 : 0, Text.size());
  size_t Line =
      1 + size_t(std::count(Text.begin(), Text.begin() + long(End), '\n'));
  size_t LastBreak = End ? Text.rfind('\n', End - 1) : std::string::npos;
  size_t Column = LastBreak == std::string::npos ? End + 1 : End - LastBreak;
  return std::to_string(Line) + ":" + std::to_string(Column);
}

/// Turns a document into a LaunchFile. The first problem is kept in Error, with
/// the path to it ("launches[0].args[2]").
class Reader {
public:
  Reader(std::string Folder) : Folder(std::move(Folder)) {}
  std::string Error;

  bool read(const ordered_json &J, LaunchFile &File) {
    if (!checkObject(J, "", {"buffers", "launches", "dump"}))
      return false;
    if (J.contains("buffers")) {
      if (!J["buffers"].is_object())
        return fail("buffers", "must be an object");
      for (auto &[Name, B] : J["buffers"].items())
        if (!readBuffer(B, Name, File))
          return false;
    }
    if (!J.contains("launches") || !J["launches"].is_array())
      return fail("launches", "must be there and be an array");
    for (size_t I = 0; I < J["launches"].size(); ++I)
      if (!readLaunch(J["launches"][I], "launches[" + std::to_string(I) + "]",
                      File))
        return false;
    return !J.contains("dump") || readDumps(J["dump"], File);
  }

private:
  std::string Folder; ///< Where relative file names start.

  bool fail(const std::string &Path, const std::string &What) {
    Error = (Path.empty() ? "" : Path + ": ") + What;
    return false;
  }

  bool checkObject(const ordered_json &J, const std::string &Path,
                   std::initializer_list<const char *> Known) {
    return checkKeys(J, Path, Known, Error);
  }

  bool readCount(const ordered_json &J, const std::string &Path, uint64_t Max,
                 uint64_t &Value) {
    if (!J.is_number_unsigned() || J.get<uint64_t>() > Max)
      return fail(Path,
                  "must be a whole number from 0 to " + std::to_string(Max));
    Value = J.get<uint64_t>();
    return true;
  }

  bool readBuffer(const ordered_json &J, const std::string &Name,
                  LaunchFile &File) {
    std::string Path = "buffers." + Name;
    if (!checkObject(J, Path, {"count", "type", "fill"}))
      return false;
    BufferSpec B;
    B.Name = Name;
    if (Name.empty() || Name.find_first_of("+:/") != std::string::npos)
      return fail(Path, "a buffer's name must not be empty or hold + : or /");
    if (!J.contains("type") || !J["type"].is_string())
      return fail(Path + ".type", "must be one of " + typeNames());
    B.Type = findType(J["type"].get<std::string>());
    if (!B.Type)
      return fail(Path + ".type", "unknown type '" +
                                      J["type"].get<std::string>() +
                                      "'; known are " + typeNames());
    constexpr uint64_t MaxBytes = uint64_t(1) << 36;
    if (!J.contains("count"))
      return fail(Path + ".count", "is missing");
    if (!readCount(J["count"], Path + ".count", MaxBytes / B.Type->Bytes,
                   B.Count))
      return false;
    try {
      B.Contents.resize(size_t(B.Count) * B.Type->Bytes);
    } catch (const std::bad_alloc &) {
      return fail(Path + ".count",
                  "is more than this machine has memory for: " +
                      std::to_string(B.Count * B.Type->Bytes) + " bytes");
    }
    if (J.contains("fill") &&
        !fillBuffer(J["fill"], Folder, Path + ".fill", B, Error))
      return false;
    File.Buffers.push_back(std::move(B));
    return true;
  }

  bool readDim(const ordered_json &J, const std::string &Path, gpu::Dim3 &Dim) {
    uint32_t *Parts[] = {&Dim.X, &Dim.Y, &Dim.Z};
    if (!J.is_array() || J.empty() || J.size() > 3)
      return fail(Path, "must be an array of one to three whole numbers");
    for (size_t I = 0; I < J.size(); ++I) {
      uint64_t Value;
      if (!readCount(J[I], Path + "[" + std::to_string(I) + "]", UINT32_MAX,
                     Value))
        return false;
      *Parts[I] = uint32_t(Value);
    }
    return true;
  }

  bool readLaunch(const ordered_json &J, const std::string &Path,
                  LaunchFile &File) {
    if (!checkObject(
            J, Path,
            {"kernel", "grid", "block", "shmem", "args", "cooperative"}))
      return false;
    LaunchSpec L;
    if (!J.contains("kernel") || !J["kernel"].is_string())
      return fail(Path + ".kernel", "must be there and be a string");
    L.Kernel = J["kernel"].get<std::string>();
    if (J.contains("grid") && !readDim(J["grid"], Path + ".grid", L.Grid))
      return false;
    if (J.contains("block") && !readDim(J["block"], Path + ".block", L.Block))
      return false;
    uint64_t Shared = 0;
    if (J.contains("shmem") &&
        !readCount(J["shmem"], Path + ".shmem", UINT32_MAX, Shared))
      return false;
    L.SharedBytes = uint32_t(Shared);
    if (J.contains("cooperative")) {
      if (!J["cooperative"].is_boolean())
        return fail(Path + ".cooperative", "must be true or false");
      L.Cooperative = J["cooperative"].get<bool>();
    }
    if (J.contains("args")) {
      if (!J["args"].is_array())
        return fail(Path + ".args", "must be an array");
      for (size_t I = 0; I < J["args"].size(); ++I)
        if (!readArgument(J["args"][I],
                          Path + ".args[" + std::to_string(I) + "]", File, L))
          return false;
    }
    File.Launches.push_back(std::move(L));
    return true;
  }

  bool readArgument(const ordered_json &J, const std::string &Path,
                    const LaunchFile &File, LaunchSpec &L) {
    if (!J.is_string())
      return fail(Path, "must be a string such as \"i32:7\" or \"buf:x\"");
    ArgumentSpec A;
    A.Text = J.get<std::string>();
    size_t Colon = A.Text.find(':');
    if (Colon == std::string::npos)
      return fail(Path, "'" + A.Text + "' has no type; write i32:7 or buf:x");
    std::string Type = A.Text.substr(0, Colon);
    std::string Value = A.Text.substr(Colon + 1);
    bool Ok = Type == "buf"   ? readBufferArgument(Value, Path, File, A)
              : Type == "hex" ? readHexArgument(Value, Path, A)
                              : readValueArgument(Type, Value, Path, A);
    if (Ok)
      L.Arguments.push_back(std::move(A));
    return Ok;
  }

  bool readBufferArgument(const std::string &Value, const std::string &Path,
                          const LaunchFile &File, ArgumentSpec &A) {
    size_t Plus = Value.find('+');
    A.Buffer = Value.substr(0, Plus);
    const BufferSpec *B = File.findBuffer(A.Buffer);
    if (!B)
      return fail(Path, "there is no buffer '" + A.Buffer + "'");
    if (Plus == std::string::npos)
      return true;
    std::optional<uint64_t> Offset =
        parseValue(*findType("u64"), Value.substr(Plus + 1));
    if (!Offset || *Offset > B->Contents.size())
      return fail(Path, "'" + Value.substr(Plus + 1) +
                            "' is no offset in bytes into buffer '" + A.Buffer +
                            "'");
    A.Offset = *Offset;
    return true;
  }

  bool readHexArgument(const std::string &Value, const std::string &Path,
                       ArgumentSpec &A) {
    if (Value.size() % 2 ||
        Value.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      return fail(Path, "hex: wants two hexadecimal digits for each byte");
    for (size_t I = 0; I < Value.size(); I += 2)
      A.Bytes.push_back(char(std::stoi(Value.substr(I, 2), nullptr, 16)));
    return true;
  }

  bool readValueArgument(const std::string &Type, const std::string &Value,
                         const std::string &Path, ArgumentSpec &A) {
    const ElementType *T = findType(Type);
    if (!T)
      return fail(Path, "unknown type '" + Type + "'; known are buf, hex, " +
                            typeNames());
    std::optional<uint64_t> Bits = parseValue(*T, Value);
    if (!Bits)
      return fail(Path, "'" + Value + "' is no value of type " + Type);
    A.Bytes.resize(T->Bytes);
    std::memcpy(A.Bytes.data(), &*Bits, T->Bytes);
    return true;
  }

  bool readDumps(const ordered_json &J, LaunchFile &File) {
    if (!J.is_array())
      return fail("dump", "must be an array of buffer names");
    for (const ordered_json &Name : J) {
      if (!Name.is_string() || !File.findBuffer(Name.get<std::string>()))
        return fail("dump", "there is no buffer " + Name.dump());
      File.Dumps.push_back(Name.get<std::string>());
    }
    return true;
  }
};

} // namespace

const BufferSpec *LaunchFile::findBuffer(const std::string &Name) const {
  for (const BufferSpec &B : Buffers)
    if (B.Name == Name)
      return &B;
  return nullptr;
}

std::optional<std::string> gevo::run::readFile(const std::string &Name,
                                               std::string &Error) {
  // C's functions, because C++ streams throw when they read a folder.
  std::FILE *In = std::fopen(Name.c_str(), "rb");
  std::string Bytes;
  bool Ok = In != nullptr;
  while (Ok) {
    char Piece[65536];
    size_t Count = std::fread(Piece, 1, sizeof(Piece), In);
    Bytes.append(Piece, Count);
    Ok = !std::ferror(In);
    if (Count < sizeof(Piece))
      break;
  }
  if (!Ok)
    Error = "cannot read '" + Name + "': " + std::strerror(errno);
  if (In)
    std::fclose(In);
  return Ok ? std::optional<std::string>(std::move(Bytes)) : std::nullopt;
}

std::optional<LaunchFile> gevo::run::readLaunchFile(const std::string &Name,
                                                    std::string &Error) {
  std::optional<std::string> Text = readFile(Name, Error);
  if (!Text)
    return std::nullopt;
  SyntaxCheck Check;
  ordered_json::sax_parse(*Text, &Check);
  if (Check.Failed) {
    if (Check.Position > Text->size())
      Check.Message = "the JSON ends too early";
    std::string Where =
        Check.Position ? ":" + lineAndColumn(*Text, Check.Position) : "";
    Error = Name + Where + ": " + Check.Message;
    return std::nullopt;
  }
  ordered_json J = ordered_json::parse(*Text, nullptr, false);
  size_t Slash = Name.rfind('/');
  Reader R(Slash == std::string::npos ? "" : Name.substr(0, Slash + 1));
  LaunchFile File;
  if (!R.read(J, File)) {
    Error = Name + ": " + R.Error;
    return std::nullopt;
  }
  return File;
}
