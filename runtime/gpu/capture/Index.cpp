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
#include <memory>

using namespace gevo::capture;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char *FormatName = "gevo-capture";
constexpr int FormatVersion = 6, OldestVersion = 1;

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

Json bufferJson(const IndexBuffer &B) {
  Json Pieces = Json::array();
  for (const IndexPiece &P : B.Pieces)
    Pieces.push_back({P.Offset, P.Size, P.Written});
  Json J = {{"address", B.Header.Address}, {"bytes", B.Header.Size}};
  if (!B.Header.Variable.empty()) {
    J["variable"] = B.Header.Variable;
    J["constant"] = B.Header.IsConst;
  }
  if (B.Header.Heap != HeapUse::None)
    J["heap"] = unsigned(B.Header.Heap);
  if (B.Blocks.Size)
    J["blocks"] = blobJson(B.Blocks);
  J["pieces"] = std::move(Pieces);
  J["before"] = blobJson(B.Memory.Before);
  J["after"] = blobJson(B.Memory.After);
  J["marks"] = blobJson(B.Memory.Marks);
  return J;
}

/// Null if the case neither calls malloc nor frees anything.
Json heapJson(const IndexCase &C) {
  if (!C.HeapCalls.Size && !C.Header.HeapChange)
    return nullptr;
  return {{"calls", blobJson(C.HeapCalls)}, {"change", C.Header.HeapChange}};
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

Bytes take(const Bytes &From, uint64_t &At, uint64_t Count) {
  if (Count > From.size() - At)
    throw Damage{"a piece is longer than its blob"};
  Bytes Data(From.begin() + std::ptrdiff_t(At),
             From.begin() + std::ptrdiff_t(At + Count));
  At += Count;
  return Data;
}

/// What is known of \p P before and of its written bytes, from \p At on, is
/// what it held afterwards.
Bytes overlay(const Piece &P, const Bytes &Written, uint64_t At) {
  Bytes After = P.Before;
  for (size_t K = 0, Next; K < P.Marks.size(); K = Next) {
    Next = endOfRun(P.Marks, K);
    if (!isWritten(P.Marks[K]))
      continue;
    std::memcpy(&After[K], &Written[At], Next - K);
    At += Next - K;
  }
  return After;
}

/// How many bytes of \p P the blob of \p Size written bytes has from \p At on.
uint64_t writtenBytes(const Piece &P, uint64_t Size, uint64_t At) {
  MarkCounts Counts = countMarks(P.Marks);
  if (!Counts.AllKnown)
    throw Damage{"a mark has an unknown type"};
  if (Counts.Written > Size - At)
    throw Damage{"there are fewer written bytes than marks"};
  return Counts.Written;
}

std::vector<IndexPiece> piecesFrom(const Json &J) {
  std::vector<IndexPiece> Pieces;
  for (const Json &One : J)
    Pieces.push_back({One.at(0), One.at(1), One.at(2)});
  return Pieces;
}

/// Adds the memory of \p B, whose row is \p J.
void addPieces(const Json &J, BlobReader &Blobs, Buffer &B) {
  std::vector<IndexPiece> Pieces = piecesFrom(J.at("pieces"));
  BlobRef BeforeRef = blobFrom(J.at("before"));
  BlobRef AfterRef = blobFrom(J.at("after"));
  BlobRef MarksRef = blobFrom(J.at("marks"));
  // Most large buffers are one piece, and need not be copied out of blobs that
  // serve as nothing else.
  auto isWhole = [&](const BlobRef &Ref) {
    return Ref.Size && Pieces.size() == 1 && Pieces[0].Size == Ref.Size &&
           Ref.Hash != AfterRef.Hash && BeforeRef.Hash != MarksRef.Hash;
  };
  bool Whole = isWhole(BeforeRef), WholeMarks = isWhole(MarksRef);
  std::shared_ptr<LateBlob> Late = Blobs.leave(AfterRef);
  Bytes After = Late ? Bytes() : Blobs.take(AfterRef);
  const Bytes &Marks = Blobs.read(WholeMarks ? BlobRef() : MarksRef);
  const Bytes &Before = Blobs.read(Whole ? BlobRef() : BeforeRef);
  uint64_t End = 0, AtBefore = 0, AtAfter = 0, AtMarks = 0;
  for (const IndexPiece &One : Pieces) {
    Piece P;
    P.Offset = One.Offset;
    if (P.Offset < End || P.Offset > B.Size || One.Size > B.Size - P.Offset)
      throw Damage{"a piece lies outside of its buffer"};
    P.Before = Whole ? Blobs.take(BeforeRef) : take(Before, AtBefore, One.Size);
    if (One.Written) {
      P.Marks =
          WholeMarks ? Blobs.take(MarksRef) : take(Marks, AtMarks, One.Size);
      uint64_t Written = writtenBytes(P, AfterRef.Size, AtAfter);
      if (Late)
        P.Late = [Late, At = AtAfter](const Piece &Of) {
          return overlay(Of, Late->read(), At);
        };
      else if (Written == One.Size && Written == AfterRef.Size)
        P.After = std::move(After); // Most outputs are written from end to end.
      else
        P.After = overlay(P, After, AtAfter);
      AtAfter += Written;
    }
    End = P.end();
    B.Pieces.push_back(std::move(P));
  }
  if (AtBefore != Before.size() || AtAfter != AfterRef.Size ||
      AtMarks != Marks.size())
    throw Damage{"a blob is longer than its pieces"};
}

Buffer headerFrom(const Json &J) {
  Buffer B;
  B.Address = J.at("address");
  B.Size = J.at("bytes");
  if (J.contains("variable")) {
    B.Variable = J.at("variable");
    B.IsConst = J.at("constant");
  }
  unsigned Use = J.value("heap", 0u);
  if (Use > unsigned(HeapUse::Freed))
    throw Damage{"a block of the heap has an unknown use"};
  B.Heap = HeapUse(Use);
  return B;
}

Buffer bufferFrom(const Json &J, BlobReader &Blobs) {
  Buffer B = headerFrom(J);
  if (J.contains("blocks") &&
      (!blocksFrom(BlobReader::view(Blobs.read(blobFrom(J.at("blocks")))),
                   B.Blocks) ||
       !isInOrder(B)))
    throw Damage{"the table of the heap's blocks is damaged"};
  addPieces(J, Blobs, B);
  // The memory of blocks is what there is of them.
  if (!B.Blocks.empty() &&
      (B.Pieces.size() != 1 || B.Pieces[0].Before.size() != B.Size))
    throw Damage{"the memory of the heap's blocks is not theirs"};
  return B;
}

void addCalls(const Json &J, BlobReader &Blobs, Case &C) {
  C.HeapChange = J.at("change");
  if (!callsFrom(BlobReader::view(Blobs.read(blobFrom(J.at("calls")))),
                 C.HeapCalls))
    throw Damage{"the calls of malloc are truncated"};
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
  for (const Json &One : J.at("buffers"))
    C.Buffers.push_back(Memory ? bufferFrom(One, Blobs) : headerFrom(One));
  if (Memory && J.contains("printed"))
    C.Printed =
        std::string(BlobReader::view(Blobs.read(blobFrom(J.at("printed")))));
  if (J.contains("heap") && !J.at("heap").is_null())
    addCalls(J.at("heap"), Blobs, C);
  return C;
}

bool hasHeapTable(const Json &C) {
  const Json &Buffers = C.at("buffers");
  return (C.contains("heap") && !C.at("heap").is_null()) ||
         std::any_of(Buffers.begin(), Buffers.end(),
                     [](const Json &B) { return B.contains("blocks"); });
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

std::string gevo::capture::indexText(const Index &I) {
  Json Modules = Json::array(), Cases = Json::array();
  for (const BlobRef &M : I.Modules)
    Modules.push_back(blobJson(M));
  for (const IndexCase &C : I.Cases)
    Cases.push_back(caseJson(C));
  // The name of a program need not be UTF-8.
  auto Text = [](const Json &J, int Indent) {
    return J.dump(Indent, ' ', false, Json::error_handler_t::replace);
  };
  Json Body = {{"program", I.Program},
               {"gpu", I.Gpu},
               {"launches", I.Launches},
               {"modules", std::move(Modules)},
               {"cases", std::move(Cases)}};
  Json File = {{"format", FormatName},
               {"version", FormatVersion},
               {"checksum", contentHash(Text(Body, -1))},
               {"capture", std::move(Body)}};
  return Text(File, 1) + "\n";
}

bool gevo::capture::readIndex(const std::string &Folder,
                              const std::string &Path, uint64_t Launches,
                              Capture &All, bool Memory, LateBlobs *Later,
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
    // Tables of the device heap were others then.
    if (Version < FormatVersion)
      for (const Json &C : File.at("capture").at("cases"))
        if (hasHeapTable(C))
          throw Damage{"'" + Path + "' has a device heap of version " +
                       std::to_string(Version) +
                       " of the format, which this program does not read; "
                       "capture again"};
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
