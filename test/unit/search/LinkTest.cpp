//===- LinkTest.cpp - Messages between ranks ------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One process, which sends to itself. MPI lets a program have functions of its
// own in the place of MPI's: so a message of a certain size never is whole, as
// one whose sender died, one of another fails, and those of further sizes are
// other ranks'.
//
//===----------------------------------------------------------------------===//

#include "search/mpi/Link.h"
#include "gtest/gtest.h"
#include <chrono>
#include <mpi.h>
#include <string>
#include <thread>

namespace {

constexpr int TornSize = 100000, OtherSize = 70000, OtherRank = 7;
constexpr int FailingSize = 80000, NextSize = 80001, FailingRank = 8;

struct {
  MPI_Request Torn = MPI_REQUEST_NULL, Failing = MPI_REQUEST_NULL;
  bool Holds = false;
  unsigned Waits = 0;
} Fake;

} // namespace

extern "C" {

int MPI_Improbe(int From, int Tag, MPI_Comm Comm, int *There,
                MPI_Message *Message, MPI_Status *Status) {
  int Failed = PMPI_Improbe(From, Tag, Comm, There, Message, Status), Size = 0;
  if (Failed || !*There || PMPI_Get_count(Status, MPI_CHAR, &Size))
    return Failed;
  if (Size == OtherSize)
    Status->MPI_SOURCE = OtherRank;
  if (Size == FailingSize || Size == NextSize)
    Status->MPI_SOURCE = FailingRank;
  return Failed;
}

int MPI_Imrecv(void *Data, int Count, MPI_Datatype Type, MPI_Message *Message,
               MPI_Request *Request) {
  int Failed = PMPI_Imrecv(Data, Count, Type, Message, Request);
  if (Count == TornSize)
    Fake.Torn = *Request;
  if (Count == FailingSize)
    Fake.Failing = *Request;
  return Failed;
}

int MPI_Test(MPI_Request *Request, int *Done, MPI_Status *Status) {
  *Done = 0;
  if (Fake.Holds && *Request == Fake.Torn)
    return MPI_SUCCESS;
  bool Fails = *Request != MPI_REQUEST_NULL && *Request == Fake.Failing;
  int Failed = PMPI_Test(Request, Done, Status);
  if (!Fails || !*Done)
    return Failed;
  // Another one may get its number.
  Fake.Failing = MPI_REQUEST_NULL;
  return MPI_ERR_OTHER;
}

int MPI_Recv(void *Data, int Count, MPI_Datatype Type, int From, int Tag,
             MPI_Comm Comm, MPI_Status *Status) {
  ++Fake.Waits;
  return PMPI_Recv(Data, Count, Type, From, Tag, Comm, Status);
}

int MPI_Wait(MPI_Request *Request, MPI_Status *Status) {
  ++Fake.Waits;
  return PMPI_Wait(Request, Status);
}
}

namespace {

class Link : public testing::Test {
protected:
  static void SetUpTestSuite() {
    int Rank = -1, Size = 0;
    ASSERT_EQ(gevoMpiLink()->Begin(&Rank, &Size), 0);
    ASSERT_EQ(Rank, 0);
  }
  static void TearDownTestSuite() { gevoMpiLink()->End(); }

  void send(const std::string &Text) {
    ASSERT_EQ(gevoMpiLink()->Send(0, Text.data(), Text.size()), 0);
  }
  /// Asks for a while; empty if nothing came.
  std::string receive(int &From) {
    for (unsigned Try = 0; Try < 200; ++Try) {
      if (long Size = gevoMpiLink()->Peek(&From); Size >= 0) {
        std::string Text(Size, 0);
        EXPECT_EQ(gevoMpiLink()->Take(From, Text.data(), Text.size()), 0);
        return Text;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return "";
  }
};

} // namespace

TEST_F(Link, KeepsTheOrderOfMessages) {
  std::string Long(500000, 'x');
  send("first");
  send(Long);
  send("last");
  int From = -1;
  EXPECT_EQ(receive(From), "first");
  EXPECT_EQ(From, 0);
  EXPECT_EQ(receive(From), Long);
  EXPECT_EQ(receive(From), "last");
  EXPECT_EQ(receive(From), "");
}

TEST_F(Link, DoesNotWaitForWhatNeverComesToAnEnd) {
  Fake.Holds = true;
  std::string Torn(TornSize, 't'), Other(OtherSize, 'o');
  send(Torn);
  send("behind it");
  send(Other);
  // Another sender's is not held up, one of the same sender is.
  int From = -1;
  EXPECT_EQ(receive(From), Other);
  EXPECT_EQ(From, OtherRank);
  EXPECT_EQ(receive(From), "");
  EXPECT_EQ(gevoMpiLink()->Take(0, Torn.data(), Torn.size()), 1);
  // It was only slow.
  Fake.Holds = false;
  EXPECT_EQ(receive(From), Torn);
  EXPECT_EQ(From, 0);
  EXPECT_EQ(receive(From), "behind it");
  EXPECT_EQ(Fake.Waits, 0u);
}

TEST_F(Link, HandsNothingOnAfterWhatFailed) {
  std::string Other(OtherSize, 'o');
  send(std::string(FailingSize, 'f'));
  send(std::string(NextSize, 'n'));
  send(Other);
  send("mine");
  int From = -1;
  EXPECT_EQ(receive(From), Other);
  EXPECT_EQ(From, OtherRank);
  EXPECT_EQ(receive(From), "mine");
  EXPECT_EQ(receive(From), "");
}
