//===- CaptureFile.cpp - Captures on disk ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/CaptureFile.h"
#include "runtime/gpu/capture/Blob.h"
#include "runtime/gpu/capture/HeapBlocks.h"
#include "runtime/gpu/capture/Index.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gevo::capture;

namespace {

constexpr unsigned MaxProcesses = 10000;
/// Large memory of which compression would save less than this share stays as
/// it is: a replay maps it where the launch had it, and copies nothing.
constexpr size_t PlainShare = 32;
constexpr size_t LeastPlain = size_t(256) << 10;
constexpr uint64_t PageBytes = 4096;

std::string claimPath(const std::string &Folder, unsigned N) {
  return Folder + "/process-" + std::to_string(N) + ".claim";
}
std::string indexPath(const std::string &Folder, unsigned N) {
  return Folder + "/process-" + std::to_string(N) + ".json";
}

bool endsWith(const std::string &Text, const char *End) {
  size_t N = std::strlen(End);
  return Text.size() >= N && Text.compare(Text.size() - N, N, End) == 0;
}

/// Joins what \p Pick picks of the pieces of \p B.
std::string joined(const Buffer &B, Bytes Piece::*Part) {
  std::string All;
  for (const Piece &P : B.Pieces)
    if (!P.Marks.empty() || Part == &Piece::Before)
      All.append(reinterpret_cast<const char *>((P.*Part).data()),
                 (P.*Part).size());
  return All;
}

/// The bytes that were written, one after the other.
std::string writtenBytes(const Buffer &B) {
  std::string All;
  for (const Piece &P : B.Pieces)
    for (size_t K = 0, Next; K < P.Marks.size(); K = Next) {
      Next = endOfRun(P.Marks, K);
      if (isWritten(P.Marks[K]))
        All.append(reinterpret_cast<const char *>(&P.After[K]), Next - K);
    }
  return All;
}

/// Names in \p Folder, nothing if it cannot be read.
std::optional<std::vector<std::string>> namesIn(const std::string &Folder) {
  DIR *D = opendir(Folder.c_str());
  if (!D)
    return std::nullopt;
  std::vector<std::string> Names;
  while (const dirent *E = readdir(D))
    if (std::strcmp(E->d_name, ".") != 0 && std::strcmp(E->d_name, "..") != 0)
      Names.push_back(E->d_name);
  closedir(D);
  return Names;
}

bool isOurs(const std::string &Name) {
  return Name == "blobs" ||
         (Name.rfind("process-", 0) == 0 &&
          (endsWith(Name, ".json") || endsWith(Name, ".claim") ||
           endsWith(Name, ".part")));
}

} // namespace

struct CaptureWriter::Impl {
  struct Entry {
    IndexCase Row;
    bool Live = true;
  };
  struct Stored {
    BlobRef Ref;
    uint64_t Packed = 0;
    unsigned Uses = 0;
  };

  ~Impl() {
    if (Counter)
      munmap(Counter, sizeof(*Counter));
  }
  bool open();
  void mapCounter(int File);
  std::optional<BlobRef> addBlob(std::string_view Content,
                                 uint64_t Address = 0);
  bool addMemory(const Buffer &B, IndexMemory &Out);
  bool addBuffer(const Buffer &B, IndexCase &Row);
  void dropBlob(const BlobRef &Ref);

  std::string Folder, Path, Error;
  Index All;
  std::vector<Entry> Entries;
  std::map<std::string, Stored> Blobs;
  uint64_t Written = 0;
  uint64_t *Counter = nullptr; ///< In the claim; null: not there.
};

bool CaptureWriter::Impl::open() {
  for (const std::string &Name : {Folder, Folder + "/blobs"})
    if (mkdir(Name.c_str(), 0777) != 0 && errno != EEXIST) {
      Error = "cannot make the folder '" + Name + "': " + std::strerror(errno);
      return false;
    }
  for (unsigned N = 0; N < MaxProcesses; ++N) {
    int File = ::open(claimPath(Folder, N).c_str(),
                      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (File >= 0) {
      mapCounter(File);
      close(File);
      Path = indexPath(Folder, N);
      return true;
    }
    if (errno != EEXIST)
      break;
  }
  Error = "cannot write to '" + Folder + "': " + std::strerror(errno);
  return false;
}

/// A claim holds the number of launches, in memory that outlives the process.
/// Without room on the disk for it, nothing is said about missing launches.
void CaptureWriter::Impl::mapCounter(int File) {
  if (posix_fallocate(File, 0, sizeof(*Counter)))
    return;
  void *At = mmap(nullptr, sizeof(*Counter), PROT_READ | PROT_WRITE, MAP_SHARED,
                  File, 0);
  Counter = At == MAP_FAILED ? nullptr : static_cast<uint64_t *>(At);
}

void CaptureWriter::countLaunch() {
  ++P->All.Launches;
  if (P->Counter)
    *P->Counter = P->All.Launches;
}

/// \p Address is where the bytes are in memory.
std::optional<BlobRef> CaptureWriter::Impl::addBlob(std::string_view Content,
                                                    uint64_t Address) {
  if (Content.empty())
    return BlobRef();
  BlobRef Ref{contentHash(Content), Content.size()};
  Stored &S = Blobs[Ref.Hash];
  if (!S.Uses) {
    std::string Packed = compress(Content);
    if (Content.size() >= LeastPlain &&
        Packed.size() + Content.size() / PlainShare > Content.size()) {
      Ref.Skip = uint32_t(Address % PageBytes);
      Packed.assign(*Ref.Skip, 0);
      Packed += Content;
    }
    if (!writeAtomically(blobPath(Folder, Ref), Packed, Error))
      return std::nullopt;
    S.Ref = Ref;
    S.Packed = Packed.size();
    Written += S.Packed;
  }
  ++S.Uses;
  return S.Ref;
}

bool CaptureWriter::Impl::addMemory(const Buffer &B, IndexMemory &Out) {
  uint64_t First = B.Pieces.empty() ? 0 : B.Pieces[0].Offset;
  std::optional<BlobRef> Before = addBlob(joined(B, &Piece::Before),
                                          B.Address + First),
                         After, Marks;
  if (Before)
    After = addBlob(writtenBytes(B));
  if (After)
    Marks = addBlob(joined(B, &Piece::Marks));
  if (!Marks)
    return false;
  Out = {*Before, *After, *Marks};
  return true;
}

bool CaptureWriter::Impl::addBuffer(const Buffer &B, IndexCase &Row) {
  IndexBuffer Out;
  Out.Header.Address = B.Address;
  Out.Header.Size = B.Size;
  Out.Header.Variable = B.Variable;
  Out.Header.IsConst = B.IsConst;
  Out.Header.Heap = B.Heap;
  for (const Piece &Part : B.Pieces)
    Out.Pieces.push_back(
        {Part.Offset, Part.Before.size(), !Part.Marks.empty()});
  std::optional<BlobRef> Blocks = addBlob(blocksText(B.Blocks));
  if (!Blocks || !addMemory(B, Out.Memory))
    return false;
  Out.Blocks = *Blocks;
  Row.Buffers.push_back(std::move(Out));
  return true;
}

void CaptureWriter::Impl::dropBlob(const BlobRef &Ref) {
  auto It = Blobs.find(Ref.Hash);
  if (It == Blobs.end() || --It->second.Uses)
    return;
  // Another process of the program may use it too, so that it stays if there is
  // one; a blob that nothing mentions does no harm.
  if (Path == indexPath(Folder, 0) &&
      access(claimPath(Folder, 1).c_str(), F_OK) &&
      access(indexPath(Folder, 1).c_str(), F_OK))
    unlink(blobPath(Folder, Ref).c_str());
  Written -= It->second.Packed;
  Blobs.erase(It);
}

CaptureWriter::CaptureWriter(const std::string &Folder, std::string Program,
                             std::string Gpu)
    : P(std::make_unique<Impl>()) {
  P->Folder = Folder;
  P->All.Program = std::move(Program);
  P->All.Gpu = std::move(Gpu);
  P->open();
}

CaptureWriter::~CaptureWriter() = default;

const std::string &CaptureWriter::error() const { return P->Error; }
uint64_t CaptureWriter::bytesWritten() const { return P->Written; }

std::optional<uint32_t> CaptureWriter::addModule(std::string_view Text) {
  if (!P->Error.empty())
    return std::nullopt;
  std::optional<BlobRef> Ref = P->addBlob(Text);
  if (!Ref)
    return std::nullopt;
  P->All.Modules.push_back(*Ref);
  return uint32_t(P->All.Modules.size() - 1);
}

std::optional<size_t> CaptureWriter::addCase(const Case &C) {
  if (!P->Error.empty())
    return std::nullopt;
  IndexCase Row;
  Row.Header.Launches = C.Launches;
  Row.Header.Module = C.Module;
  Row.Header.Index = C.Index;
  Row.Header.Weight = C.Weight;
  Row.Header.WarpInstructions = C.WarpInstructions;
  Row.Header.Cycles = C.Cycles;
  Row.Header.Microseconds = C.Microseconds;
  Row.Header.HeapChange = C.HeapChange;
  for (const Buffer &B : C.Buffers)
    if (!P->addBuffer(B, Row))
      return std::nullopt;
  if (C.Printed)
    if (!(Row.Printed = P->addBlob(*C.Printed)))
      return std::nullopt;
  std::optional<BlobRef> Calls = P->addBlob(callsText(C.HeapCalls));
  if (!Calls)
    return std::nullopt;
  Row.HeapCalls = *Calls;
  P->Entries.push_back({std::move(Row), true});
  return P->Entries.size() - 1;
}

void CaptureWriter::setWeight(size_t Number, uint64_t Weight) {
  P->Entries[Number].Row.Header.Weight = Weight;
}

void CaptureWriter::dropCase(size_t Number) {
  Impl::Entry &E = P->Entries[Number];
  if (!E.Live)
    return;
  E.Live = false;
  // The index on disk must never mention what is not there.
  if (!writeIndex())
    return;
  std::vector<BlobRef> Gone = {E.Row.HeapCalls,
                               E.Row.Printed.value_or(BlobRef())};
  for (const IndexBuffer &B : E.Row.Buffers)
    Gone.insert(Gone.end(),
                {B.Memory.Before, B.Memory.After, B.Memory.Marks, B.Blocks});
  for (const BlobRef &Ref : Gone)
    if (Ref.Size)
      P->dropBlob(Ref);
}

bool CaptureWriter::writeIndex() {
  if (!P->Error.empty())
    return false;
  P->All.Cases.clear();
  for (const Impl::Entry &E : P->Entries)
    if (E.Live)
      P->All.Cases.push_back(E.Row);
  return writeAtomically(P->Path, indexText(P->All), P->Error);
}

bool gevo::capture::writeCapture(const std::string &Folder, const Capture &C,
                                 std::string &Error) {
  CaptureWriter Writer(Folder, C.Program, C.Gpu);
  bool Ok = Writer.error().empty();
  for (const std::string &Text : C.Modules)
    Ok = Ok && Writer.addModule(Text);
  for (const Case &One : C.Cases)
    Ok = Ok && Writer.addCase(One);
  Ok = Ok && Writer.writeIndex();
  Error = Writer.error();
  return Ok;
}

/// What the claim says of a process; 0 if nothing.
static uint64_t launchesIn(const std::string &Folder, unsigned N) {
  std::string Error;
  std::optional<std::string> Claim = readWhole(claimPath(Folder, N), Error);
  uint64_t Launches = 0;
  if (Claim && Claim->size() == sizeof(Launches))
    std::memcpy(&Launches, Claim->data(), sizeof(Launches));
  return Launches;
}

static std::optional<Capture> readAll(const std::string &Folder, bool Memory,
                                      LateBlobs *Later, std::string &Error) {
  std::optional<std::vector<std::string>> Names = namesIn(Folder);
  if (!Names) {
    Error = "cannot read the folder '" + Folder + "': " + std::strerror(errno);
    return std::nullopt;
  }
  Capture All;
  bool Any = false;
  for (unsigned N = 0; N < MaxProcesses; ++N) {
    // Claims are contiguous; a process that kept nothing left no index.
    if (access(claimPath(Folder, N).c_str(), F_OK) != 0)
      break;
    if (access(indexPath(Folder, N).c_str(), F_OK) != 0)
      continue;
    if (!readIndex(Folder, indexPath(Folder, N), launchesIn(Folder, N), All,
                   Memory, Later, Error))
      return std::nullopt;
    Any = true;
  }
  if (Any)
    return All;
  Error = "'" + Folder +
          "' holds no capture: no kernel was captured, or the program was "
          "killed before the first one was complete";
  return std::nullopt;
}

std::optional<Capture> gevo::capture::readCapture(const std::string &Folder,
                                                  std::string &Error,
                                                  bool Memory) {
  return readAll(Folder, Memory, nullptr, Error);
}

std::optional<Capture> gevo::capture::readCapture(const std::string &Folder,
                                                  UncheckedMemory &Later,
                                                  std::string &Error) {
  return readAll(Folder, /*Memory=*/true, &Later.Blobs, Error);
}

bool UncheckedMemory::check(std::string &Error) const {
  return std::all_of(
      Blobs.begin(), Blobs.end(),
      [&](const std::shared_ptr<LateBlob> &B) { return B->check(Error); });
}

bool gevo::capture::removeCapture(const std::string &Folder,
                                  std::string &Error) {
  std::optional<std::vector<std::string>> Names = namesIn(Folder);
  if (!Names && errno == ENOENT)
    return true;
  if (!Names) {
    Error = "cannot read the folder '" + Folder + "': " + std::strerror(errno);
    return false;
  }
  for (const std::string &Name : *Names)
    if (!isOurs(Name)) {
      Error = "the folder '" + Folder + "' holds '" + Name +
              "', which is no part of a capture; name a new folder";
      return false;
    }
  // Indices first: without them the rest is nothing.
  for (const std::string &Name : *Names)
    if (Name != "blobs")
      unlink((Folder + "/" + Name).c_str());
  for (const std::string &Name :
       namesIn(Folder + "/blobs").value_or(std::vector<std::string>()))
    unlink((Folder + "/blobs/" + Name).c_str());
  return true;
}
