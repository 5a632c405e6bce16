//===- RecordTest.cpp - Records of device modules -------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries of a section come back as they were packed, with whatever padding a
// linker puts between them, and damage is named.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Record.h"
#include "test/unit/ir/Modules.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

static RecordedModule record(const char *Text, LLVMContext &C) {
  std::unique_ptr<Module> M = parseModule(Text, C);
  return recordModule(*M, {2, false});
}

static std::string messageOf(StringRef Content) {
  Expected<std::vector<RecordedModule>> All = unpackRecords(Content);
  return All ? "" : toString(All.takeError());
}

TEST(Record, ComesBackAsItWasPacked) {
  LLVMContext C;
  std::string Section;
  for (const char *Text : allModules()) {
    std::string Entry = packRecord(record(Text, C));
    EXPECT_EQ(Entry.size() % 8, 0u);
    Section += Entry + std::string(8, '\0');
  }
  Expected<std::vector<RecordedModule>> All = unpackRecords(Section);
  ASSERT_TRUE(bool(All)) << toString(All.takeError());
  ASSERT_EQ(All->size(), allModules().size());
  for (size_t I = 0; I < All->size(); ++I) {
    const RecordedModule &R = (*All)[I];
    EXPECT_EQ(R.Source, "kernel.cu");
    EXPECT_EQ(R.Architecture, "sm_70");
    EXPECT_EQ(R.Options.OptLevel, 2u);
    EXPECT_FALSE(R.Options.Fuse);
    // Contexts of their own: types of one name get a number otherwise.
    LLVMContext Mine, Theirs;
    Expected<std::unique_ptr<Module>> M =
        parseBitcodeFile(MemoryBufferRef(R.Bitcode, "kernel.cu"), Mine);
    ASSERT_TRUE(bool(M)) << toString(M.takeError());
    std::unique_ptr<Module> Original = parseModule(allModules()[I], Theirs);
    Original->setModuleIdentifier((*M)->getModuleIdentifier());
    EXPECT_EQ(printModule(**M), printModule(*Original));
  }
  EXPECT_TRUE(unpackRecords("")->empty());
}

TEST(Record, DamageIsNamed) {
  LLVMContext C;
  std::string Entry = packRecord(record(LoopModule, C));
  EXPECT_EQ(messageOf("rubbish"), "the section .gevo.module is damaged: no "
                                  "entry where one must be");
  EXPECT_EQ(messageOf(StringRef(Entry).drop_back(100)),
            "the section .gevo.module is damaged: an entry is longer than the "
            "section");
  std::string Huge = Entry;
  for (size_t I = 8; I < 24; ++I)
    Huge[I] = '\xff';
  EXPECT_EQ(messageOf(Huge), "the section .gevo.module is damaged: an entry is "
                             "longer than the section");
  std::string Header = Entry;
  Header.replace(Header.find("\"arch\""), 6, "\"arhc\"");
  EXPECT_EQ(messageOf(Header), "the section .gevo.module is damaged: an "
                               "entry's header lacks a field");
  Header[Header.find('{')] = '[';
  EXPECT_NE(messageOf(Header), "");
}

TEST(Record, AFileThatIsNoObjectIsNamed) {
  Expected<std::vector<RecordedModule>> All = readRecords("/dev/null");
  ASSERT_FALSE(bool(All));
  EXPECT_NE(toString(All.takeError()).find("cannot read '/dev/null': "),
            std::string::npos);
}
