//===- Index.cpp - The index of a capture ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/Index.h"
#include "runtime/gpu/capture/Blob.h"
#include "runtime/gpu/capture/HeapBlocks.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <map>

using namespace gevo::capture;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char *FormatName = "gevo-capture";
constexpr int FormatVersion = 4, OldestVersion = 1;

/// Thrown inside this file only; readIndex turns it into a message.
struct Damage {
  std::string What;
};

std::string hex(const Bytes &Data) {
  static const char Digits[] = "0123456789abcdef";
  std::string Text;
  for (uint8_t B : Data) {
    Text += Digits[B >> 4];
    Text += Digits[B & 15];
  }
  return Text;
}

Bytes fromHex(const std::string &Text) {
  auto digit = [](char C) {
    if (C >= '0' && C <= '9')
      return unsigned(C - '0');
    if (C >= 'a' && C <= 'f')
      return unsigned(C - 'a' + 10);
    throw Damage{"a parameter is not hexadecimal"};
  };
  Bytes Data(Text.size() / 2);
  for (size_t K = 0; K < Data.size(); ++K)
    Data[K] = uint8_t(digit(Text[2 * K]) << 4 | digit(Text[2 * K + 1]));
  return Data;
}

Json blobJson(const BlobRef &Ref) {
  if (!Ref.Size)
    return nullptr;
  Json J = {{"hash", Ref.Hash}, {"bytes", Ref.Size}};
  if (Ref.Skip)
    J["skip"] = *Ref.Skip;
  return J;
}

BlobRef blobFrom(const Json &J) {
  if (J.is_null())
    return {};
  BlobRef Ref{J.at("hash"), J.at("bytes")};
  if (J.contains("skip"))
    Ref.Skip = J.at("skip").get<uint32_t>();
  if (Ref.Hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw Damage{"a blob has a wrong name"};
  return Ref;
}

Json launchJson(const Launch &L) {
  Json J = {{"kernel", L.Kernel},
            {"grid", {L.Grid.X, L.Grid.Y, L.Grid.Z}},
            {"block", {L.Block.X, L.Block.Y, L.Block.Z}},
            {"shared_bytes", L.SharedBytes},
            {"cooperative", L.Cooperative},
            {"params", hex(L.Params)},
            {"offsets", L.Offsets}};
  if (L.GridNumber)
    J["grid_number"] = L.GridNumber;
  return J;
}

Extent extentFrom(const Json &J) { return {J.at(0), J.at(1), J.at(2)}; }

Launch launchFrom(const Json &J) {
  Launch L = {J.at("kernel"),
              extentFrom(J.at("grid")),
              extentFrom(J.at("block")),
              J.at("shared_bytes"),
              J.at("cooperative"),
              fromHex(J.at("params")),
              J.at("offsets"),
              J.value("grid_number", uint64_t(0))};
  if (!L.Offsets.empty() &&
      (L.Offsets[0] || L.Offsets.back() >= L.Params.size() ||
       !std::is_sorted(L.Offsets.begin(), L.Offsets.end())))
    throw Damage{"the parameters of a launch are out of order"};
  return L;
}

void addMemory(Json &J, const IndexMemory &M) {
  J["before"] = blobJson(M.Before);
  J["after"] = blobJson(M.After);
  J["marks"] = blobJson(M.Marks);
}

Json bufferJson(const IndexBuffer &B) {
  Json Pieces = Json::array();
  for (const IndexPiece &P : B.Pieces)
    Pieces.push_back({P.Offset, P.Size, P.Written});
  Json J = {{"address", B.Header.Address}, {"bytes", B.Header.Size}};
  if (!B.Header.Variable.empty()) {
    J["variable"] = B.Header.Variable;
    J["constant"] = B.Header.IsConst;
  }
  J["pieces"] = std::move(Pieces);
  addMemory(J, B.Memory);
  return J;
}

/// Null if the case has nothing to do with the heap.
Json heapJson(const IndexCase &C) {
  if (!C.HeapCalls.Size && !C.Header.HeapChange && !C.HeapBlocks.Size)
    return nullptr;
  Json J = {{"calls", blobJson(C.HeapCalls)},
            {"change", C.Header.HeapChange},
            {"blocks", blobJson(C.HeapBlocks)}};
  addMemory(J, C.Heap);
  return J;
}

Json caseJson(const IndexCase &C) {
  Json Launches = Json::array(), Buffers = Json::array();
  for (const Launch &L : C.Header.Launches)
    Launches.push_back(launchJson(L));
  for (const IndexBuffer &B : C.Buffers)
    Buffers.push_back(bufferJson(B));
  Json J = {{"launches", std::move(Launches)},
            {"module", C.Header.Module},
            {"index", C.Header.Index},
            {"weight", C.Header.Weight},
            {"warp_instructions", C.Header.WarpInstructions},
            {"cycles", C.Header.Cycles},
            {"time_us", C.Header.Microseconds},
            {"heap", heapJson(C)},
            {"buffers", std::move(Buffers)}};
  if (C.Printed)
    J["printed"] = blobJson(*C.Printed);
  return J;
}

/// Reads blobs, each once, and checks that they are what their names say.
class BlobReader {
public:
  BlobReader(const std::string &Folder, std::vector<UncheckedBlob> *Later)
      : Folder(Folder), Later(Later) {}

  const Bytes &read(const BlobRef &Ref) {
    Bytes &Content = Known[Ref.Hash];
    if (!Ref.Size || Content.size() == Ref.Size)
      return Content;
    std::string Error, Path = blobPath(Folder, Ref);
    std::optional<Bytes> Plain;
    if (Ref.Skip)
      Plain = mapBytes({Path, *Ref.Skip, Ref.Size}, Error);
    else if (MappedFile Packed(Path, Error); Error.empty())
      Plain = decompress(Packed.content(), Ref.Size);
    if (!Error.empty())
      throw Damage{Error};
    bool Trusted = Plain && Ref.Skip && Later;
    if (Trusted)
      Later->push_back({{Path, *Ref.Skip, Ref.Size}, Ref.Hash});
    else if (!Plain || contentHash(view(*Plain)) != Ref.Hash)
      throw Damage{"'" + Path + "' is truncated or damaged"};
    return Content = std::move(*Plain);
  }

  /// The blob itself. Whoever wants it again has it read again, which is no
  /// more work than a copy.
  Bytes take(const BlobRef &Ref) {
    read(Ref);
    return std::move(Known.extract(Ref.Hash).mapped());
  }

  static std::string_view view(const Bytes &B) {
    return {reinterpret_cast<const char *>(B.data()), B.size()};
  }

private:
  const std::string &Folder;
  std::vector<UncheckedBlob> *Later;
  std::map<std::string, Bytes> Known;
};

Bytes take(const Bytes &From, uint64_t &At, uint64_t Count) {
  if (Count > From.size() - At)
    throw Damage{"a piece is longer than its blob"};
  Bytes Data(From.begin() + std::ptrdiff_t(At),
             From.begin() + std::ptrdiff_t(At + Count));
  At += Count;
  return Data;
}

void overlay(Piece &P, const Bytes &Written, uint64_t &At) {
  P.After = P.Before;
  for (size_t K = 0, Next; K < P.Marks.size(); K = Next) {
    Next = endOfRun(P.Marks, K);
    if (unsigned(typeOf(P.Marks[K])) >= gevo::gpu::NumElementTypes)
      throw Damage{"a mark has an unknown type"};
    if (!isWritten(P.Marks[K]))
      continue;
    if (Written.size() - At < Next - K)
      throw Damage{"there are fewer written bytes than marks"};
    std::memcpy(&P.After[K], &Written[At], Next - K);
    At += Next - K;
  }
}

/// Takes pieces of buffers out of blobs. No other blob may be taken meanwhile.
class MemoryReader {
public:
  /// \p All: the pieces of the only buffer, or null.
  MemoryReader(const Json &J, BlobReader &Blobs,
               const std::vector<IndexPiece> *All)
      : Blobs(Blobs), BeforeRef(blobFrom(J.at("before"))) {
    BlobRef AfterRef = blobFrom(J.at("after"));
    BlobRef MarksRef = blobFrom(J.at("marks"));
    // Of large buffers most are one piece, and need not be copied out of a blob
    // that serves as nothing else.
    Whole = All && BeforeRef.Size && All->size() == 1 &&
            (*All)[0].Size == BeforeRef.Size &&
            BeforeRef.Hash != AfterRef.Hash && BeforeRef.Hash != MarksRef.Hash;
    After = &Blobs.read(AfterRef);
    Marks = &Blobs.read(MarksRef);
    Before = &Blobs.read(Whole ? BlobRef() : BeforeRef);
  }

  void addPieces(const std::vector<IndexPiece> &Pieces, Buffer &B) {
    uint64_t End = 0;
    for (const IndexPiece &One : Pieces) {
      Piece P;
      P.Offset = One.Offset;
      if (P.Offset < End || P.Offset > B.Size || One.Size > B.Size - P.Offset)
        throw Damage{"a piece lies outside of its buffer"};
      P.Before =
          Whole ? Blobs.take(BeforeRef) : take(*Before, AtBefore, One.Size);
      if (One.Written) {
        P.Marks = take(*Marks, AtMarks, One.Size);
        overlay(P, *After, AtAfter);
      }
      End = P.end();
      B.Pieces.push_back(std::move(P));
    }
  }

  void finish() const {
    if (AtBefore != Before->size() || AtAfter != After->size() ||
        AtMarks != Marks->size())
      throw Damage{"a blob is longer than its pieces"};
  }

private:
  BlobReader &Blobs;
  const BlobRef BeforeRef;
  bool Whole = false;
  const Bytes *Before, *After, *Marks;
  uint64_t AtBefore = 0, AtAfter = 0, AtMarks = 0;
};

Buffer headerFrom(const Json &J) {
  Buffer B;
  B.Address = J.at("address");
  B.Size = J.at("bytes");
  if (J.contains("variable")) {
    B.Variable = J.at("variable");
    B.IsConst = J.at("constant");
  }
  return B;
}

std::vector<IndexPiece> piecesFrom(const Json &J) {
  std::vector<IndexPiece> Pieces;
  for (const Json &One : J)
    Pieces.push_back({One.at(0), One.at(1), One.at(2)});
  return Pieces;
}

/// Adds the blocks of the heap to \p C, and the calls of malloc.
void addHeap(const Json &J, BlobReader &Blobs, Case &C) {
  if (!J.contains("blocks"))
    throw Damage{"it has a device heap of version 3 of the format, which this "
                 "program does not read; capture again"};
  const Bytes Table = Blobs.read(blobFrom(J.at("blocks")));
  MemoryReader Reader(J, Blobs, nullptr);
  if (!forBlocks(BlobReader::view(Table),
                 [&](Buffer &&B, const std::vector<IndexPiece> &Pieces) {
                   Reader.addPieces(Pieces, B);
                   C.Buffers.push_back(std::move(B));
                 }))
    throw Damage{"the table of the heap's blocks is damaged"};
  Reader.finish();
  std::sort(
      C.Buffers.begin(), C.Buffers.end(),
      [](const Buffer &X, const Buffer &Y) { return X.Address < Y.Address; });
  const Bytes &Calls = Blobs.read(blobFrom(J.at("calls")));
  if (Calls.size() % sizeof(HeapCall))
    throw Damage{"the calls of malloc are truncated"};
  C.HeapCalls.resize(Calls.size() / sizeof(HeapCall));
  if (!Calls.empty())
    std::memcpy(C.HeapCalls.data(), Calls.data(), Calls.size());
}

Case caseFrom(const Json &J, BlobReader &Blobs, bool Memory) {
  Case C;
  for (const Json &L : J.at("launches"))
    C.Launches.push_back(launchFrom(L));
  C.Module = J.at("module");
  C.Index = J.at("index");
  C.Weight = J.at("weight");
  C.WarpInstructions = J.at("warp_instructions");
  C.Cycles = J.at("cycles");
  C.Microseconds = J.at("time_us");
  for (const Json &One : J.at("buffers")) {
    Buffer B = headerFrom(One);
    if (Memory) {
      std::vector<IndexPiece> Pieces = piecesFrom(One.at("pieces"));
      MemoryReader Reader(One, Blobs, &Pieces);
      Reader.addPieces(Pieces, B);
      Reader.finish();
    }
    C.Buffers.push_back(std::move(B));
  }
  if (Memory && J.contains("printed"))
    C.Printed =
        std::string(BlobReader::view(Blobs.read(blobFrom(J.at("printed")))));
  if (!J.contains("heap") || J.at("heap").is_null())
    return C;
  C.HeapChange = J.at("heap").at("change");
  if (Memory)
    addHeap(J.at("heap"), Blobs, C);
  return C;
}

/// The number of a module in \p All; processes of a program have the same ones.
uint32_t addModule(std::string_view Text, Capture &All) {
  auto Known = std::find(All.Modules.begin(), All.Modules.end(), Text);
  if (Known == All.Modules.end())
    Known = All.Modules.emplace(Known, Text);
  return uint32_t(Known - All.Modules.begin());
}

void addAll(const Json &J, BlobReader &Blobs, uint64_t Launches, Capture &All,
            bool Memory) {
  All.Program = J.at("program");
  All.Gpu = J.at("gpu");
  uint64_t Counted = J.value("launches", Launches);
  All.Uncounted += Launches - std::min(Launches, Counted);
  std::vector<uint32_t> Modules;
  for (const Json &M : J.at("modules"))
    Modules.push_back(
        addModule(BlobReader::view(Blobs.read(blobFrom(M))), All));
  for (const Json &One : J.at("cases")) {
    Case C = caseFrom(One, Blobs, Memory);
    if (C.Launches.empty() || C.Module >= Modules.size())
      throw Damage{"a case has no launch or no module"};
    C.Module = Modules[C.Module];
    All.Cases.push_back(std::move(C));
  }
}

} // namespace

std::string gevo::capture::blobPath(const std::string &Folder,
                                    const BlobRef &Ref) {
  return Folder + "/blobs/" + Ref.Hash +
         (Ref.Skip ? "-" + std::to_string(*Ref.Skip) + ".raw" : ".zst");
}

std::string gevo::capture::indexText(const Index &I) {
  Json Modules = Json::array(), Cases = Json::array();
  for (const BlobRef &M : I.Modules)
    Modules.push_back(blobJson(M));
  for (const IndexCase &C : I.Cases)
    Cases.push_back(caseJson(C));
  Json Body = {{"program", I.Program},
               {"gpu", I.Gpu},
               {"launches", I.Launches},
               {"modules", std::move(Modules)},
               {"cases", std::move(Cases)}};
  Json File = {{"format", FormatName},
               {"version", FormatVersion},
               {"checksum", contentHash(Body.dump())},
               {"capture", std::move(Body)}};
  return File.dump(1) + "\n";
}

bool gevo::capture::readIndex(const std::string &Folder,
                              const std::string &Path, uint64_t Launches,
                              Capture &All, bool Memory,
                              std::vector<UncheckedBlob> *Later,
                              std::string &Error) {
  std::optional<std::string> Text = readWhole(Path, Error);
  if (!Text)
    return false;
  try {
    Json File = Json::parse(*Text, nullptr, /*allow_exceptions=*/false);
    if (File.is_discarded())
      throw Damage{"'" + Path + "' is truncated or is no JSON"};
    if (!File.is_object() || File.value("format", "") != FormatName)
      throw Damage{"'" + Path + "' is not the index of a capture"};
    int Version = File.value("version", 0);
    if (Version < OldestVersion || Version > FormatVersion)
      throw Damage{"'" + Path + "' has version " +
                   File.value("version", Json(0)).dump() +
                   " of the format, but this program reads version " +
                   std::to_string(OldestVersion) + " to " +
                   std::to_string(FormatVersion) + "; capture again"};
    if (File.value("checksum", "") != contentHash(File.at("capture").dump()))
      throw Damage{"'" + Path + "' is damaged: its checksum is wrong"};
    BlobReader Blobs(Folder, Later);
    addAll(File.at("capture"), Blobs, Launches, All, Memory);
    return true;
  } catch (const Damage &D) {
    Error = D.What;
  } catch (const std::exception &E) {
    Error = "'" + Path + "' is damaged: " + E.what();
  }
  return false;
}

bool gevo::capture::checkBlob(const UncheckedBlob &Blob, std::string &Error) {
  std::optional<Bytes> Content = mapBytes(Blob.File, Error);
  if (Content && contentHash(BlobReader::view(*Content)) == Blob.Hash)
    return true;
  if (Error.empty())
    Error = "'" + Blob.File.Path + "' is truncated or damaged";
  return false;
}
