//===- Record.cpp - Device modules kept beside or inside a program --------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry format: a magic word, two lengths, a JSON header, the bitcode, and
// zeros to a multiple of eight bytes.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Record.h"
#include "passes/edit/AtomicFile.h"
#include "passes/edit/JsonText.h"
#include "passes/ir/Architecture.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gevo;

static constexpr StringLiteral Magic = "GEVOMOD1";
static constexpr size_t FixedSize = 24;

RecordedModule gevo::recordModule(const Module &M,
                                  const CompileOptions &Options) {
  RecordedModule R{M.getSourceFileName(), architectureOf(M), Options, ""};
  R.Options.Names = !M.getContext().shouldDiscardValueNames();
  raw_string_ostream OS(R.Bitcode);
  // Passes walk use lists; without their order a variant of the recorded
  // module could come out differently from clang's.
  WriteBitcodeToFile(M, OS, /*ShouldPreserveUseListOrder=*/true);
  return R;
}

static std::string header(const RecordedModule &R) {
  json::Object O{{"source", jsonText(R.Source)},
                 {"arch", R.Architecture},
                 {"opt_level", R.Options.OptLevel},
                 {"fuse", R.Options.Fuse},
                 {"names", R.Options.Names}};
  if (!R.Options.Command.empty())
    O["command"] = jsonText(R.Options.Command);
  std::string Header;
  raw_string_ostream(Header) << json::Value(std::move(O));
  return Header;
}

std::string gevo::packRecord(const RecordedModule &R) {
  std::string Header = header(R);
  std::string Entry = Magic.str();
  raw_string_ostream OS(Entry);
  support::endian::write<uint64_t>(OS, Header.size(), llvm::endianness::little);
  support::endian::write<uint64_t>(OS, R.Bitcode.size(),
                                   llvm::endianness::little);
  OS << Header << R.Bitcode;
  Entry.resize(alignTo(Entry.size(), 8), '\0');
  return Entry;
}

static Error damaged(const Twine &What) {
  return createStringError(inconvertibleErrorCode(),
                           "the section " + RecordSection +
                               " is damaged: " + What);
}

static Expected<RecordedModule> parseHeader(StringRef Header) {
  Expected<json::Value> V = json::parse(Header);
  if (!V)
    return damaged(toString(V.takeError()));
  const json::Object *O = V->getAsObject();
  RecordedModule R;
  std::optional<StringRef> Source, Architecture;
  std::optional<int64_t> OptLevel;
  std::optional<bool> Fuse, Names;
  if (O) {
    Source = O->getString("source");
    Architecture = O->getString("arch");
    OptLevel = O->getInteger("opt_level");
    Fuse = O->getBoolean("fuse");
    Names = O->getBoolean("names");
  }
  if (!Source || !Architecture || !OptLevel || !Fuse || !Names)
    return damaged("an entry's header lacks a field");
  R.Source = Source->str();
  R.Architecture = Architecture->str();
  R.Options = {{static_cast<unsigned>(*OptLevel), *Fuse, *Names},
               O->getString("command").value_or("").str()};
  return R;
}

Expected<std::vector<RecordedModule>> gevo::unpackRecords(StringRef Content) {
  std::vector<RecordedModule> All;
  while (!Content.empty()) {
    // The linker may pad between the objects' parts.
    if (Content.front() == '\0') {
      Content = Content.drop_front();
      continue;
    }
    if (Content.size() < FixedSize || !Content.starts_with(Magic))
      return damaged("no entry where one must be");
    uint64_t HeaderSize = support::endian::read64le(Content.data() + 8);
    uint64_t BitcodeSize = support::endian::read64le(Content.data() + 16);
    Content = Content.drop_front(FixedSize);
    if (HeaderSize > Content.size() ||
        BitcodeSize > Content.size() - HeaderSize)
      return damaged("an entry is longer than the section");
    Expected<RecordedModule> R = parseHeader(Content.take_front(HeaderSize));
    if (!R)
      return R.takeError();
    R->Bitcode = Content.substr(HeaderSize, BitcodeSize).str();
    All.push_back(std::move(*R));
    Content = Content.drop_front(HeaderSize + BitcodeSize);
  }
  return All;
}

Expected<std::vector<RecordedModule>> gevo::readRecords(StringRef Path) {
  auto File = object::ObjectFile::createObjectFile(Path);
  if (!File)
    return createStringError(inconvertibleErrorCode(),
                             "cannot read '" + Path +
                                 "': " + toString(File.takeError()));
  std::vector<RecordedModule> All;
  for (const object::SectionRef &Section : File->getBinary()->sections()) {
    Expected<StringRef> Name = Section.getName();
    if (!Name)
      return Name.takeError();
    if (*Name != RecordSection)
      continue;
    Expected<StringRef> Content = Section.getContents();
    if (!Content)
      return Content.takeError();
    Expected<std::vector<RecordedModule>> Part = unpackRecords(*Content);
    if (!Part)
      return Part.takeError();
    std::move(Part->begin(), Part->end(), std::back_inserter(All));
  }
  return All;
}

Error gevo::recordToFolder(Module &M, StringRef Folder,
                           const CompileOptions &Options) {
  if (Error E = makeFolder(Folder))
    return E;
  SmallString<128> Path(Folder);
  sys::path::append(Path, moduleFileStem(M));
  RecordedModule R = recordModule(M, Options);
  if (Error E = writeFileAtomically((Path + ".bc").str(),
                                    [&](raw_ostream &OS) { OS << R.Bitcode; }))
    return E;
  return writeFileAtomically((Path + ".json").str(),
                             [&](raw_ostream &OS) { OS << header(R) << '\n'; });
}
