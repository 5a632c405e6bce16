//===- RecordExchange.cpp - From the device compilation to the host's -----===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang's driver runs one process per device compilation and then one for the
// host. What they share is their parent, so the exchange folder is named after
// it: its process number and start time, which no other process ever has.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/AtomicFile.h"
#include "passes/ir/Architecture.h"
#include "passes/ir/Record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <algorithm>
#include <chrono>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

// The 22nd field of /proc/<pid>/stat; the second is the program's name in
// parentheses, and may contain anything.
static std::string startTimeOf(pid_t Pid) {
  auto Stat = MemoryBuffer::getFileAsStream("/proc/" + Twine(Pid) + "/stat");
  if (!Stat)
    return "0";
  StringRef Rest = (*Stat)->getBuffer().rsplit(')').second;
  SmallVector<StringRef, 64> Fields;
  Rest.split(Fields, ' ', -1, /*KeepEmpty=*/false);
  constexpr size_t StartTime = 22 - 3;
  return Fields.size() > StartTime ? Fields[StartTime].str() : "0";
}

static std::string temporaryFolder() {
  SmallString<128> Folder;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Folder);
  return Folder.str().str();
}

static std::string folderPrefix() {
  return "gevo-record-" + std::to_string(getuid()) + "-";
}

static std::string exchangeFolder() {
  SmallString<128> Folder(temporaryFolder());
  sys::path::append(Folder, folderPrefix() + Twine(getppid()) + "-" +
                                startTimeOf(getppid()));
  return Folder.str().str();
}

static std::vector<std::string> commandLineOf(pid_t Pid) {
  std::vector<std::string> Arguments;
  auto Buffer =
      MemoryBuffer::getFileAsStream("/proc/" + Twine(Pid) + "/cmdline");
  if (Buffer)
    for (StringRef Argument : split((*Buffer)->getBuffer(), '\0'))
      Arguments.push_back(Argument.str());
  return Arguments;
}

// Whether a host compilation will take what the device one leaves. A lone job,
// such as the one of --cuda-device-only -S, runs in the driver's own process;
// several device jobs without a host job have a driver that was told so.
static bool hostFollows() {
  std::vector<std::string> Own = commandLineOf(getpid());
  if (Own.size() < 2 || !StringRef(Own[1]).starts_with("-cc1"))
    return false;
  bool Follows = true;
  for (StringRef Argument : commandLineOf(getppid())) {
    if (!Argument.consume_front("--cuda-") &&
        !Argument.consume_front("--offload-"))
      continue;
    if (Argument == "device-only")
      Follows = false;
    else if (Argument.ends_with("host-device"))
      Follows = true;
  }
  return Follows;
}

// The temporary directory is everybody's: a folder of that name that is not
// ours, or that others may write to, is not to be trusted.
static Error checkOurs(StringRef Folder) {
  struct stat Status;
  if (lstat(Folder.str().c_str(), &Status) || !S_ISDIR(Status.st_mode) ||
      Status.st_uid != getuid() || (Status.st_mode & 077))
    return createStringError(inconvertibleErrorCode(),
                             "'" + Folder +
                                 "' is not a private folder of "
                                 "this user; remove it");
  return Error::success();
}

// The device and the host compilation of a source know it by the same name.
static std::string exchangePrefix(const Module &M) {
  return utohexstr(xxh3_64bits(M.getSourceFileName()), /*LowerCase=*/true, 16) +
         "-";
}

// A compilation that fails between its device and its host side leaves its
// folder behind. Age decides, too: a clang in another container may look ended
// from here.
static void removeAbandoned() {
  constexpr std::chrono::hours Old(1);
  std::error_code EC;
  for (sys::fs::directory_iterator It(temporaryFolder(), EC), End;
       It != End && !EC; It.increment(EC)) {
    StringRef Rest = sys::path::filename(It->path());
    pid_t Pid;
    if (!Rest.consume_front(folderPrefix()) || Rest.consumeInteger(10, Pid) ||
        !Rest.consume_front("-") || Rest == startTimeOf(Pid))
      continue;
    sys::fs::file_status Status;
    if (errorToBool(checkOurs(It->path())) ||
        sys::fs::status(It->path(), Status) ||
        std::chrono::system_clock::now() - Status.getLastModificationTime() <
            Old)
      continue;
    sys::fs::remove_directories(It->path());
  }
}

Error gevo::leaveForHost(const Module &M, const CompileOptions &Options) {
  if (!hostFollows())
    return Error::success();
  removeAbandoned();
  std::string Folder = exchangeFolder();
  if (mkdir(Folder.c_str(), 0700) && errno != EEXIST) {
    std::error_code EC(errno, std::generic_category());
    return createStringError(EC, "cannot make folder '" + Folder +
                                     "': " + EC.message());
  }
  if (Error E = checkOurs(Folder))
    return E;
  SmallString<128> Path(Folder);
  sys::path::append(Path, exchangePrefix(M) + architectureOf(M));
  return writeFileAtomically(Path, [&](raw_ostream &OS) {
    OS << packRecord(recordModule(M, Options));
  });
}

static void embed(Module &M, StringRef Entry) {
  Constant *Data = ConstantDataArray::getString(M.getContext(), Entry,
                                                /*AddNull=*/false);
  auto *G =
      new GlobalVariable(M, Data->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, Data, "gevo.module");
  G->setSection(RecordSection);
  G->setAlignment(Align(8));
  // Nothing refers to it, and the linker must keep it all the same.
  appendToUsed(M, {G});
}

Expected<unsigned> gevo::takeFromDevice(Module &M) {
  std::string Folder = exchangeFolder();
  if (!sys::fs::exists(Folder))
    return 0;
  if (Error E = checkOurs(Folder))
    return E;
  std::vector<std::string> Paths;
  std::string Prefix = exchangePrefix(M);
  std::error_code EC;
  for (sys::fs::directory_iterator It(Folder, EC), End; It != End && !EC;
       It.increment(EC))
    if (sys::path::filename(It->path()).starts_with(Prefix))
      Paths.push_back(It->path());
  llvm::sort(Paths);
  for (const std::string &Path : Paths) {
    auto Buffer = MemoryBuffer::getFile(Path);
    if (!Buffer)
      return createStringError(Buffer.getError(),
                               "cannot read '" + Path +
                                   "': " + Buffer.getError().message());
    embed(M, (*Buffer)->getBuffer());
    sys::fs::remove(Path);
  }
  // Goes only when it is empty.
  rmdir(Folder.c_str());
  return Paths.size();
}
