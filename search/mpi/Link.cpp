//===- Link.cpp - Messages between ranks ----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is sent without waiting, and received only when it is there: a
// search has better things to do than to spin in MPI.
//
//===----------------------------------------------------------------------===//

#include "search/mpi/Link.h"
#include <list>
#include <mpi.h>
#include <string>

namespace {

constexpr int Tag = 1;

struct Sending {
  std::string Data;
  MPI_Request Request;
};

std::list<Sending> &sendings() {
  static std::list<Sending> All;
  return All;
}

void dropSent() {
  sendings().remove_if([](Sending &S) {
    int Done = 0;
    return MPI_Test(&S.Request, &Done, MPI_STATUS_IGNORE) || Done;
  });
}

int begin(int *Rank, int *Size) {
  int Threads = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &Threads) ||
      Threads < MPI_THREAD_SERIALIZED)
    return 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return MPI_Comm_rank(MPI_COMM_WORLD, Rank) ||
         MPI_Comm_size(MPI_COMM_WORLD, Size);
}

int sendTo(int To, const char *Data, size_t Size) {
  dropSent();
  Sending &S = sendings().emplace_back();
  S.Data.assign(Data, Size);
  if (!MPI_Isend(S.Data.data(), int(Size), MPI_CHAR, To, Tag, MPI_COMM_WORLD,
                 &S.Request))
    return 0;
  sendings().pop_back();
  return 1;
}

long peek(int *From) {
  dropSent();
  int There = 0, Size = 0;
  MPI_Status Status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, Tag, MPI_COMM_WORLD, &There, &Status) ||
      !There || MPI_Get_count(&Status, MPI_CHAR, &Size))
    return -1;
  *From = Status.MPI_SOURCE;
  return Size;
}

int take(int From, char *Data, size_t Size) {
  return MPI_Recv(Data, int(Size), MPI_CHAR, From, Tag, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
}

void end() { MPI_Finalize(); }

} // namespace

extern "C" __attribute__((visibility("default"))) const GevoMpiLink *
gevoMpiLink() {
  static const GevoMpiLink Table = {begin, sendTo, peek, take, end};
  return &Table;
}
