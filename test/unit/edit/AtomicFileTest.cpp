//===- AtomicFileTest.cpp - Files that appear whole -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is there with all of its content or is as it was, and nothing else
// stays in its folder.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gevo;
using namespace llvm;

namespace {

class AtomicFile : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-atomic", Folder));
  }
  void TearDown() override {
    sys::fs::setPermissions(Folder, sys::fs::all_all);
    sys::fs::remove_directories(Folder);
  }

  std::string path(StringRef Name) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, Name);
    return Path.str().str();
  }

  static Error write(StringRef Path, StringRef Content) {
    return writeFileAtomically(Path, [&](raw_ostream &OS) { OS << Content; });
  }

  static std::string read(StringRef Path) {
    auto Buffer = MemoryBuffer::getFile(Path);
    return Buffer ? (*Buffer)->getBuffer().str() : "(none)";
  }

  unsigned files() {
    unsigned Count = 0;
    std::error_code EC;
    for (sys::fs::directory_iterator It(Folder, EC), End; It != End && !EC;
         It.increment(EC))
      ++Count;
    return Count;
  }

  SmallString<128> Folder;
};

} // namespace

TEST_F(AtomicFile, WritesAndReplaces) {
  EXPECT_FALSE(errorToBool(write(path("f"), "one")));
  EXPECT_EQ(read(path("f")), "one");
  EXPECT_FALSE(errorToBool(write(path("f"), "two")));
  EXPECT_EQ(read(path("f")), "two");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, MissingFolderIsAnErrorThatNamesThePath) {
  Error E = write(path("none/f"), "x");
  EXPECT_EQ(toString(std::move(E)),
            "cannot write '" + path("none/f") + "': No such file or directory");
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFile, AFolderInTheWayIsAnErrorAndStays) {
  ASSERT_FALSE(sys::fs::create_directory(path("f")));
  EXPECT_TRUE(errorToBool(write(path("f"), "x")));
  EXPECT_TRUE(sys::fs::is_directory(path("f")));
  EXPECT_EQ(files(), 1u);
}

// In a process of its own, which is nobody if we are root: root may write
// everywhere.
TEST_F(AtomicFile, ReadOnlyFolderKeepsTheOldFile) {
  EXPECT_FALSE(errorToBool(write(path("f"), "old")));
  sys::fs::setPermissions(Folder, sys::fs::all_read | sys::fs::all_exe);
  pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    constexpr uid_t Nobody = 65534;
    if (getuid() == 0 && setuid(Nobody))
      _exit(2);
    _exit(errorToBool(write(path("f"), "new")) ? 0 : 1);
  }
  int Status = -1;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  EXPECT_EQ(read(path("f")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, ManyWritersLeaveOneWholeFile) {
  std::vector<std::thread> Writers;
  for (char Letter = 'a'; Letter < 'i'; ++Letter)
    Writers.emplace_back([this, Letter] {
      for (unsigned I = 0; I < 20; ++I)
        EXPECT_FALSE(
            errorToBool(write(path("f"), std::string(100000, Letter))));
    });
  for (unsigned I = 0; I < 50; ++I) {
    std::string Content = read(path("f"));
    if (Content != "(none)")
      EXPECT_EQ(Content, std::string(100000, Content[0]));
  }
  for (std::thread &T : Writers)
    T.join();
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, FilesOfAFolderAreSynced) {
  EXPECT_FALSE(errorToBool(syncFilesIn(Folder)));
  EXPECT_FALSE(errorToBool(makeFolder(path("a/b"))));
  EXPECT_FALSE(errorToBool(write(path("a/b/f"), "x")));
  // What no link leads to is nothing to wait for.
  ASSERT_FALSE(sys::fs::create_link(path("none"), path("a/link")));
  EXPECT_FALSE(errorToBool(syncFilesIn(Folder)));
  EXPECT_EQ(toString(syncFilesIn(path("none"))),
            "cannot write '" + path("none") + "': No such file or directory");
}
