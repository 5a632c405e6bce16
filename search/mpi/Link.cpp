//===- Link.cpp - Messages between ranks ----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is sent and received without waiting: a search has better things
// to do than to spin in MPI. A large message comes in parts, and who sends them
// may die in between: then it never is whole, and nobody must wait for it.
//
//===----------------------------------------------------------------------===//

#include "search/mpi/Link.h"
#include <list>
#include <mpi.h>
#include <set>
#include <string>

namespace {

constexpr int Tag = 1;

struct Sending {
  std::string Data;
  MPI_Request Request;
};

struct Arriving {
  int From = 0;
  std::string Data;
  MPI_Request Request = MPI_REQUEST_NULL;
  bool Whole = false;
  /// It stays, so that none of the same sender is handed on after it.
  bool Failed = false;
};

std::list<Sending> &sendings() {
  static std::list<Sending> All;
  return All;
}

std::list<Arriving> &arrivings() {
  static std::list<Arriving> All;
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

void startReceiving() {
  while (true) {
    int There = 0, Size = 0;
    MPI_Message Message;
    MPI_Status Status;
    if (MPI_Improbe(MPI_ANY_SOURCE, Tag, MPI_COMM_WORLD, &There, &Message,
                    &Status) ||
        !There)
      return;
    Arriving &A = arrivings().emplace_back();
    A.From = Status.MPI_SOURCE;
    A.Failed = MPI_Get_count(&Status, MPI_CHAR, &Size);
    A.Data.resize(Size);
    if (!A.Failed)
      A.Failed =
          MPI_Imrecv(A.Data.data(), Size, MPI_CHAR, &Message, &A.Request);
  }
}

// The first that is whole, of those that none of the same sender is before.
std::list<Arriving>::iterator firstWhole() {
  std::set<int> Behind;
  for (auto I = arrivings().begin(); I != arrivings().end(); ++I) {
    int Whole = I->Whole;
    if (!Whole && !I->Failed)
      I->Failed = MPI_Test(&I->Request, &Whole, MPI_STATUS_IGNORE);
    I->Whole = Whole && !I->Failed;
    if (I->Whole && !Behind.count(I->From))
      return I;
    Behind.insert(I->From);
  }
  return arrivings().end();
}

long peek(int *From) {
  dropSent();
  startReceiving();
  auto First = firstWhole();
  if (First == arrivings().end())
    return -1;
  *From = First->From;
  return long(First->Data.size());
}

int take(int From, char *Data, size_t Size) {
  for (auto I = arrivings().begin(); I != arrivings().end(); ++I)
    if (I->From == From) {
      bool Told = I->Whole && I->Data.size() == Size;
      if (Told) {
        I->Data.copy(Data, Size);
        arrivings().erase(I);
      }
      return !Told;
    }
  return 1;
}

void end() { MPI_Finalize(); }

} // namespace

extern "C" __attribute__((visibility("default"))) const GevoMpiLink *
gevoMpiLink() {
  static const GevoMpiLink Table = {begin, sendTo, peek, take, end};
  return &Table;
}
