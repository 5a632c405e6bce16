//===- MachineErrorTest.cpp - What this machine lacks ---------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Disks without room, and what such a disk leaves of a result.
//
//===----------------------------------------------------------------------===//

#include "search/MachineError.h"
#include "search/Fitness.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/resource.h>

using namespace gevo;
using namespace llvm;

namespace {

class RoomTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> Made;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-room", Made));
    Folder = Made.str().str();
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  bool isEmpty() const {
    std::error_code EC;
    return sys::fs::directory_iterator(Folder, EC) ==
           sys::fs::directory_iterator();
  }

  std::string Folder;
};

} // namespace

TEST_F(RoomTest, IsThereAndStaysFree) {
  EXPECT_FALSE(bool(checkRoom({Folder}, 1000)));
  EXPECT_TRUE(isEmpty());
}

TEST_F(RoomTest, OfADiskThatIsTooSmall) {
  Error E = checkRoom({Folder}, UINT64_MAX / 2);
  ASSERT_TRUE(E.isA<MachineError>());
  std::string Message = toString(std::move(E));
  for (StringRef Part : {StringRef(Folder), StringRef("No space left"),
                         StringRef("are free there); make room")})
    EXPECT_NE(Message.find(Part), std::string::npos) << Message;
  EXPECT_TRUE(isEmpty());
}

TEST_F(RoomTest, OfTheLastOfSeveralFolders) {
  std::string Missing = Folder + "/missing";
  std::string Message = toString(checkRoom({Folder, Missing}, 1000));
  EXPECT_NE(Message.find("'" + Missing + "': No such file"), std::string::npos)
      << Message;
}

// As a quota does: the disk itself has room.
TEST_F(RoomTest, OfALimitOfTheUser) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit Before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &Before), 0);
  rlimit Small = {100, Before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Small), 0);
  Error E = checkRoom({Folder}, 1000);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Before), 0);
  EXPECT_TRUE(E.isA<MachineError>());
  consumeError(std::move(E));
}

TEST(Fitness, ThatIsNoneIsToldAsSuch) {
  for (const Fitness &F : {Fitness::notJudged("no room"),
                           Fitness::failed(Stage::Load, "no kernel")}) {
    Expected<Fitness> Read =
        json::parse<Fitness>(formatv("{0}", toJSON(F)).str());
    ASSERT_TRUE(bool(Read));
    EXPECT_FALSE(Read->valid());
    EXPECT_EQ(Read->Judged, F.Judged);
    EXPECT_EQ(Read->Reason, F.Reason);
  }
}
