//===- RankLink.cpp - The link that mpirun makes --------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether there are other ranks, the environment says; libGevoMPI.so, beside
// our other libraries, knows how to talk to them.
//
//===----------------------------------------------------------------------===//

#include "search/Ranks.h"
#include "search/mpi/Link.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;
using namespace gevo;

namespace {

class MpiRanks : public RankLink {
public:
  explicit MpiRanks(const GevoMpiLink &Table) : Table(Table) {}
  bool begin() { return Table.Begin(&Rank, &Size) == 0; }

  int rank() const override { return Rank; }
  int size() const override { return Size; }
  bool send(int To, StringRef Message) override {
    std::lock_guard<std::mutex> Hold(Lock);
    return Table.Send(To, Message.data(), Message.size()) == 0;
  }
  std::optional<Received> receive() override {
    std::lock_guard<std::mutex> Hold(Lock);
    int From;
    long Length = Table.Peek(&From);
    if (Length < 0)
      return std::nullopt;
    std::string Message(Length, 0);
    if (Table.Take(From, Message.data(), Message.size()))
      return std::nullopt;
    return Received{From, std::move(Message)};
  }
  void end() override { Table.End(); }

private:
  const GevoMpiLink &Table;
  /// MPI is called by one thread at a time.
  std::mutex Lock;
  int Rank = 0, Size = 1;
};

} // namespace

// What mpirun of Open MPI, or Slurm with PMI, says of the number of ranks.
static unsigned ranksAround() {
  for (const char *Name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char *Text = std::getenv(Name)) {
      unsigned Count = 0;
      StringRef(Text).getAsInteger(10, Count);
      return Count;
    }
  return 0;
}

Expected<std::unique_ptr<RankLink>> gevo::openRanks() {
  if (ranksAround() < 2)
    return nullptr;
  auto Fail = [](const Twine &What) {
    return createStringError(inconvertibleErrorCode(),
                             "this process is one of several ranks, but " +
                                 What);
  };
  std::string Self =
      sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(openRanks));
  void *Library = nullptr;
  for (StringRef Place : {"/../" GEVO_LIBDIR, "/../lib"})
    if (!Library)
      Library = dlopen((sys::path::parent_path(Self) + Place + "/libGevoMPI.so")
                           .str()
                           .c_str(),
                       RTLD_NOW | RTLD_GLOBAL);
  if (!Library)
    return Fail(Twine("libGevoMPI.so cannot be opened: ") + dlerror() +
                "; build with Open MPI installed (libopenmpi-dev)");
  auto Make =
      reinterpret_cast<decltype(&gevoMpiLink)>(dlsym(Library, "gevoMpiLink"));
  if (!Make)
    return Fail("libGevoMPI.so is none of ours");
  auto Link = std::make_unique<MpiRanks>(*Make());
  if (!Link->begin())
    return Fail("MPI_Init failed");
  return Link;
}
