//===- MemoryLimitTest.cpp - How much memory there is to take -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/MemoryLimit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

namespace {

constexpr uint64_t MiB = 1 << 20, Physical = 4096 * MiB;

/// A root with the files of control groups.
class MemoryLimitTest : public ::testing::Test {
protected:
  void SetUp() override {
    SmallString<128> Path;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-groups", Path));
    Root = Path.str().str();
  }
  void TearDown() override { sys::fs::remove_directories(Root); }

  void write(const Twine &Name, StringRef Text) {
    std::string Path = (Root + Name).str();
    ASSERT_FALSE(sys::fs::create_directories(sys::path::parent_path(Path)));
    std::error_code EC;
    raw_fd_ostream(Path, EC) << Text;
    ASSERT_FALSE(EC);
  }
  void writeBytes(const Twine &Name, uint64_t Bytes) {
    write(Name, std::to_string(Bytes) + "\n");
  }
  MemoryLimit limit() { return memoryForAll(Physical, Root); }

  std::string Root;
};

constexpr StringLiteral Mounted2 =
    "23 1 254:0 / / rw - ext4 /dev/root rw\n"
    "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";

TEST_F(MemoryLimitTest, WithoutGroupsTheMachineHasAll) {
  EXPECT_EQ(limit().Bytes, Physical);
  EXPECT_EQ(limit().Who, "the machine");
  write("/proc/self/cgroup", "");
  write("/proc/self/mountinfo", "rubbish\n - \n");
  EXPECT_EQ(limit().Bytes, Physical);
}

TEST_F(MemoryLimitTest, Version2TakesTheLeastOfAllAbove) {
  write("/proc/self/cgroup", "0::/jobs/one/step\n");
  write("/proc/self/mountinfo", Mounted2);
  write("/sys/fs/cgroup/jobs/one/step/memory.max", "max\n");
  EXPECT_EQ(limit().Bytes, Physical);
  writeBytes("/sys/fs/cgroup/jobs/one/memory.max", 512 * MiB);
  EXPECT_EQ(limit().Bytes, 512 * MiB);
  EXPECT_EQ(limit().Who, "the control group /jobs/one");
  writeBytes("/sys/fs/cgroup/jobs/memory.max", 600 * MiB);
  EXPECT_EQ(limit().Bytes, 512 * MiB);
  writeBytes("/sys/fs/cgroup/jobs/memory.high", 300 * MiB);
  EXPECT_EQ(limit().Bytes, 300 * MiB);
  EXPECT_EQ(limit().Who, "the control group /jobs");
  writeBytes("/sys/fs/cgroup/memory.max", 200 * MiB);
  EXPECT_EQ(limit().Who, "the control group /");
  // Nobody gets more than there is, and others' limits are others'.
  writeBytes("/sys/fs/cgroup/memory.max", 2 * Physical);
  writeBytes("/sys/fs/cgroup/jobs/two/memory.max", MiB);
  EXPECT_EQ(limit().Bytes, 300 * MiB);
}

TEST_F(MemoryLimitTest, Version1HasAControllerForMemory) {
  write("/proc/self/cgroup", "7:cpu,cpuacct:/a\n4:memory,other:/a/b\n0::/\n");
  write("/proc/self/mountinfo",
        "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 / /sys/fs/cgroup/mem\\040ory rw - cgroup cgroup "
        "rw,memory,other\n"
        "36 31 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  writeBytes("/sys/fs/cgroup/cpu/a/memory.limit_in_bytes", MiB);
  writeBytes("/sys/fs/cgroup/mem ory/a/b/memory.limit_in_bytes",
             0x7FFFFFFFFFFFF000);
  EXPECT_EQ(limit().Bytes, Physical);
  writeBytes("/sys/fs/cgroup/mem ory/a/memory.limit_in_bytes", 700 * MiB);
  EXPECT_EQ(limit().Bytes, 700 * MiB);
  EXPECT_EQ(limit().Who, "the control group /a");
  writeBytes("/sys/fs/cgroup/unified/memory.max", 500 * MiB);
  EXPECT_EQ(limit().Bytes, 500 * MiB);
}

TEST_F(MemoryLimitTest, AContainerSeesItsOwnGroupAsTheRoot) {
  // The group is told as the host names it, and mounted from there.
  write("/proc/self/cgroup", "0::/docker/abc/inner\n");
  write("/proc/self/mountinfo",
        "31 23 0:28 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  writeBytes("/sys/fs/cgroup/memory.max", 256 * MiB);
  EXPECT_EQ(limit().Bytes, 256 * MiB);
  EXPECT_EQ(limit().Who, "the control group /docker/abc");
  writeBytes("/sys/fs/cgroup/inner/memory.max", 128 * MiB);
  EXPECT_EQ(limit().Bytes, 128 * MiB);
  // Or in a way that does not fit the mount.
  write("/proc/self/cgroup", "0::/../other\n");
  EXPECT_EQ(limit().Bytes, 256 * MiB);
}

// In a process of its own, which cannot get rid of its limit.
TEST(MemoryForEach, KnowsTheLimitOfAProcess) {
  EXPECT_LT(memoryForEach(2).Bytes, memoryForEach(1).Bytes);
  pid_t Pid = fork();
  if (!Pid) {
    rlimit Space = {rlim_t(10) << 30, rlim_t(10) << 30};
    if (setrlimit(RLIMIT_AS, &Space))
      _exit(2);
    Space.rlim_cur = memoryForEach(1).Bytes / 4;
    if (setrlimit(RLIMIT_AS, &Space))
      _exit(3);
    MemoryLimit Each = memoryForEach(1);
    _exit(Each.Bytes == uint64_t(0.8 * Space.rlim_cur) &&
                  StringRef(Each.Who).contains("ulimit -v")
              ? 0
              : 4);
  }
  int Status;
  ASSERT_EQ(waitpid(Pid, &Status, 0), Pid);
  EXPECT_EQ(Status, 0);
}

} // namespace
