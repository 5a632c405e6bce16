//===- StreamTest.cpp - Streams, events and graphs ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

using namespace gevo::test;

namespace {
class StreamTest : public DriverTest {
protected:
  CUfunction Add = nullptr;
  CUdeviceptr P = 0;
  void SetUp() override {
    DriverTest::SetUp();
    Add = function(load(sampleModule()), "add");
    P = allocate(4096);
  }
  CUresult add(unsigned Value, CUstream S) {
    unsigned N = 1024;
    return launch(Add, 8, 128, {&P, &N, &Value}, S);
  }
  unsigned value() { return read<unsigned>(P, 1024)[1023]; }
};
} // namespace

TEST_F(StreamTest, Basics) {
  CUstream S = nullptr, Urgent = nullptr;
  EXPECT_EQ(A.cuStreamCreate(&S, 0x40), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(A.cuStreamCreate(&S, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(A.cuStreamCreateWithPriority(&Urgent, 0, -100), CUDA_SUCCESS);
  int Priority = 0;
  EXPECT_EQ(A.cuStreamGetPriority(Urgent, &Priority), CUDA_SUCCESS);
  EXPECT_EQ(Priority, -5) << "clamped to the range";
  unsigned Flags = 0;
  EXPECT_EQ(A.cuStreamGetFlags(S, &Flags), CUDA_SUCCESS);
  EXPECT_EQ(Flags, unsigned(CU_STREAM_NON_BLOCKING));
  CUcontext Owner = nullptr;
  EXPECT_EQ(A.cuStreamGetCtx(S, &Owner), CUDA_SUCCESS);
  EXPECT_EQ(Owner, Ctx);
  for (CUstream Any :
       {CUstream(nullptr), reinterpret_cast<CUstream>(CU_STREAM_LEGACY),
        reinterpret_cast<CUstream>(CU_STREAM_PER_THREAD), S, Urgent}) {
    EXPECT_EQ(add(1, Any), CUDA_SUCCESS);
    EXPECT_EQ(A.cuStreamQuery(Any), CUDA_SUCCESS);
    EXPECT_EQ(A.cuStreamSynchronize(Any), CUDA_SUCCESS);
  }
  EXPECT_EQ(value(), 5u);
}

TEST_F(StreamTest, CallbacksRunInOrder) {
  CUstream S;
  ASSERT_EQ(A.cuStreamCreate(&S, 0), CUDA_SUCCESS);
  std::vector<int> Order;
  ASSERT_EQ(A.cuStreamAddCallback(
                S,
                [](CUstream, CUresult Status, void *Data) {
                  EXPECT_EQ(Status, CUDA_SUCCESS);
                  static_cast<std::vector<int> *>(Data)->push_back(1);
                },
                &Order, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(A.cuLaunchHostFunc(
                S,
                [](void *Data) {
                  static_cast<std::vector<int> *>(Data)->push_back(2);
                },
                &Order),
            CUDA_SUCCESS);
  EXPECT_EQ(A.cuLaunchHostFunc(S, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuStreamSynchronize(S), CUDA_SUCCESS);
  EXPECT_EQ(Order, (std::vector<int>{1, 2}));
}

// Events are stamped on the model's clock: the same every time, and more for
// more work.
TEST_F(StreamTest, ElapsedTime) {
  CUevent Start, Stop, Untimed;
  ASSERT_EQ(A.cuEventCreate(&Start, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuEventCreate(&Stop, CU_EVENT_BLOCKING_SYNC), CUDA_SUCCESS);
  ASSERT_EQ(A.cuEventCreate(&Untimed, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  float Ms = -1;
  EXPECT_EQ(A.cuEventElapsedTime(&Ms, Start, Stop), CUDA_ERROR_INVALID_HANDLE)
      << "not recorded yet";
  auto time = [&](int Launches) {
    float Elapsed = -1;
    EXPECT_EQ(A.cuEventRecord(Start, nullptr), CUDA_SUCCESS);
    for (int I = 0; I < Launches; ++I)
      EXPECT_EQ(add(1, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(A.cuEventRecord(Stop, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(A.cuEventSynchronize(Stop), CUDA_SUCCESS);
    EXPECT_EQ(A.cuEventElapsedTime(&Elapsed, Start, Stop), CUDA_SUCCESS);
    return Elapsed;
  };
  time(1); // whatever a first launch may cost more
  float One = time(1), Ten = time(10);
  EXPECT_GT(One, 0);
  EXPECT_NEAR(Ten, 10 * One, 0.01f * Ten);
  EXPECT_EQ(A.cuEventRecord(Untimed, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(A.cuEventElapsedTime(&Ms, Start, Untimed),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(A.cuEventCreate(&Start, CU_EVENT_INTERPROCESS),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(A.cuEventCreate(&Start, 0x100), CUDA_ERROR_INVALID_VALUE);
}

// Two streams overlap on the clock unless one waits for the other.
TEST_F(StreamTest, StreamsOverlapUnlessTheyWait) {
  CUstream One, Two;
  CUevent Start, Middle, Stop;
  ASSERT_EQ(A.cuStreamCreate(&One, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(A.cuStreamCreate(&Two, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  for (CUevent *E : {&Start, &Middle, &Stop})
    ASSERT_EQ(A.cuEventCreate(E, 0), CUDA_SUCCESS);
  auto run = [&](bool Wait) {
    float Ms = -1;
    EXPECT_EQ(A.cuCtxRecordEvent(Ctx, Start), CUDA_SUCCESS);
    EXPECT_EQ(A.cuCtxWaitEvent(Ctx, Start), CUDA_SUCCESS);
    EXPECT_EQ(add(1, One), CUDA_SUCCESS);
    EXPECT_EQ(A.cuEventRecord(Middle, One), CUDA_SUCCESS);
    if (Wait)
      EXPECT_EQ(A.cuStreamWaitEvent(Two, Middle, 0), CUDA_SUCCESS);
    EXPECT_EQ(add(1, Two), CUDA_SUCCESS);
    EXPECT_EQ(A.cuEventRecord(Stop, Two), CUDA_SUCCESS);
    EXPECT_EQ(A.cuEventElapsedTime(&Ms, Start, Stop), CUDA_SUCCESS);
    return Ms;
  };
  run(false);
  float Beside = run(false), After = run(true);
  EXPECT_NEAR(After, 2 * Beside, 0.05f * After);
}

TEST_F(StreamTest, MemoryWords) {
  EXPECT_EQ(A.cuStreamWriteValue32_v2(nullptr, P, 77, 0), CUDA_SUCCESS);
  EXPECT_EQ(read<unsigned>(P, 1)[0], 77u);
  EXPECT_EQ(A.cuStreamWriteValue64_v2(nullptr, P + 8, 1ull << 40, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(read<uint64_t>(P + 8, 1)[0], 1ull << 40);
  EXPECT_EQ(A.cuStreamWaitValue32_v2(nullptr, P, 70, CU_STREAM_WAIT_VALUE_GEQ),
            CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  for (int Turn = 0; Turn < 2; ++Turn)
    EXPECT_EQ(A.cuStreamWaitValue32_v2(nullptr, P, 70, CU_STREAM_WAIT_VALUE_EQ),
              CUDA_ERROR_NOT_SUPPORTED)
        << "would wait forever";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gevo-gpu: note: a wait for a value that only later work may write "
            "is not supported by the embedded GPU\n");
  EXPECT_EQ(A.cuStreamWriteValue32_v2(nullptr, P + 1, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(A.cuStreamWriteValue32_v2(nullptr, 8, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(StreamTest, GraphOfNodes) {
  CUgraph G = nullptr;
  ASSERT_EQ(A.cuGraphCreate(&G, 0), CUDA_SUCCESS);
  CUDA_MEMSET_NODE_PARAMS Set = {P, 0, 100, 4, 1024, 1};
  CUDA_MEMSET_NODE_PARAMS Odd = {P, 0, 100, 3, 1024, 1};
  CUgraphNode First, Second, Third;
  EXPECT_EQ(A.cuGraphAddMemsetNode(&First, G, nullptr, 0, &Odd, Ctx),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(A.cuGraphAddMemsetNode(&First, G, nullptr, 0, &Set, Ctx),
            CUDA_SUCCESS);
  unsigned N = 1024, V = 5;
  void *Params[] = {&P, &N, &V};
  CUDA_KERNEL_NODE_PARAMS Kernel = {Add, 8, 1,      1,       128,     1,
                                    1,   0, Params, nullptr, nullptr, nullptr};
  ASSERT_EQ(A.cuGraphAddKernelNode_v2(&Second, G, &First, 1, &Kernel),
            CUDA_SUCCESS);
  V = 1000; // arguments are taken when the node is made
  std::vector<unsigned> Out(1024);
  CUDA_MEMCPY3D Copy = {};
  Copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  Copy.srcDevice = P;
  Copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  Copy.dstHost = Out.data();
  Copy.WidthInBytes = 4096;
  Copy.Height = Copy.Depth = 1;
  ASSERT_EQ(A.cuGraphAddMemcpyNode(&Third, G, &Second, 1, &Copy, Ctx),
            CUDA_SUCCESS);
  size_t Count = 0;
  EXPECT_EQ(A.cuGraphGetNodes(G, nullptr, &Count), CUDA_SUCCESS);
  EXPECT_EQ(Count, 3u);
  CUgraphNode Roots[3];
  Count = 3;
  EXPECT_EQ(A.cuGraphGetRootNodes(G, Roots, &Count), CUDA_SUCCESS);
  EXPECT_EQ(Count, 1u);
  EXPECT_EQ(Roots[0], First);
  CUgraphNodeType Type;
  EXPECT_EQ(A.cuGraphNodeGetType(Second, &Type), CUDA_SUCCESS);
  EXPECT_EQ(Type, CU_GRAPH_NODE_TYPE_KERNEL);
  CUgraphExec E = nullptr;
  ASSERT_EQ(A.cuGraphInstantiateWithFlags(&E, G, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuGraphDestroy(G), CUDA_SUCCESS);
  for (int Round = 0; Round < 3; ++Round) {
    ASSERT_EQ(A.cuGraphLaunch(E, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(Out, std::vector<unsigned>(1024, 105));
  }
  EXPECT_EQ(A.cuGraphExecDestroy(E), CUDA_SUCCESS);
  EXPECT_EQ(A.cuGraphLaunch(E, nullptr), CUDA_ERROR_INVALID_VALUE);
}

// Work of a captured stream, and of one that joined it by an event, is not done
// but kept.
TEST_F(StreamTest, CapturesKeepToTheirStreams) {
  CUstream One, Two;
  CUevent E, F;
  for (CUstream *S : {&One, &Two})
    ASSERT_EQ(A.cuStreamCreate(S, 0), CUDA_SUCCESS);
  for (CUevent *Event : {&E, &F})
    ASSERT_EQ(A.cuEventCreate(Event, 0), CUDA_SUCCESS);
  for (CUstream S : {One, Two})
    ASSERT_EQ(A.cuStreamBeginCapture_v2(S, CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_SUCCESS);
  EXPECT_EQ(A.cuEventRecord(E, One), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamQuery(One), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(A.cuEventQuery(E), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(A.cuEventSynchronize(E), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(A.cuStreamWaitEvent(nullptr, E, 0),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(A.cuStreamWaitEvent(Two, E, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  EXPECT_EQ(A.cuMemsetD32_v2(P, 5, 1024), CUDA_SUCCESS);
  EXPECT_EQ(value(), 5u) << "the default stream is in no capture";
  // Each of these questions spoilt a capture, as CUDA's manual has it.
  for (CUstream S : {One, Two}) {
    CUstreamCaptureStatus Status;
    EXPECT_EQ(A.cuStreamIsCapturing(S, &Status), CUDA_SUCCESS);
    EXPECT_EQ(Status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    EXPECT_EQ(add(1, S), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CUgraph G = reinterpret_cast<CUgraph>(this);
    EXPECT_EQ(A.cuStreamEndCapture(S, &G),
              CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(G, nullptr);
    EXPECT_EQ(add(1, S), CUDA_SUCCESS);
  }
  EXPECT_EQ(A.cuEventQuery(E), CUDA_SUCCESS);
}

TEST_F(StreamTest, CapturesEndJoined) {
  CUstream S, Forked;
  CUevent Fork, Join;
  for (CUstream *New : {&S, &Forked})
    ASSERT_EQ(A.cuStreamCreate(New, 0), CUDA_SUCCESS);
  for (CUevent *New : {&Fork, &Join})
    ASSERT_EQ(A.cuEventCreate(New, 0), CUDA_SUCCESS);
  auto begin = [&] {
    ASSERT_EQ(A.cuStreamBeginCapture_v2(S, CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_SUCCESS);
    EXPECT_EQ(add(1, S), CUDA_SUCCESS);
    EXPECT_EQ(A.cuEventRecord(Fork, S), CUDA_SUCCESS);
    EXPECT_EQ(A.cuStreamWaitEvent(Forked, Fork, 0), CUDA_SUCCESS);
  };
  CUgraph G = nullptr;
  begin();
  EXPECT_EQ(A.cuStreamEndCapture(S, &G), CUDA_SUCCESS)
      << "a stream that only waited has nothing to join";
  begin();
  EXPECT_EQ(add(10, Forked), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamEndCapture(S, &G), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(G, nullptr);
  CUstreamCaptureStatus Status;
  EXPECT_EQ(A.cuStreamIsCapturing(Forked, &Status), CUDA_SUCCESS);
  EXPECT_EQ(Status, CU_STREAM_CAPTURE_STATUS_NONE) << "it ended nevertheless";
  begin();
  EXPECT_EQ(add(10, Forked), CUDA_SUCCESS);
  EXPECT_EQ(A.cuEventRecord(Join, Forked), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamWaitEvent(S, Join, 0), CUDA_SUCCESS);
  EXPECT_EQ(add(10, Forked), CUDA_SUCCESS) << "after it was joined";
  EXPECT_EQ(A.cuStreamEndCapture(S, &G), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  begin();
  EXPECT_EQ(add(10, Forked), CUDA_SUCCESS);
  EXPECT_EQ(A.cuEventRecord(Join, Forked), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamWaitEvent(S, Join, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamEndCapture(S, &G), CUDA_SUCCESS);
  EXPECT_NE(G, nullptr);
  // What was before the capture cannot be waited for in it.
  EXPECT_EQ(A.cuEventRecord(Fork, Forked), CUDA_SUCCESS);
  ASSERT_EQ(A.cuStreamBeginCapture_v2(S, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamWaitEvent(S, Fork, 0),
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  EXPECT_EQ(A.cuStreamEndCapture(S, &G), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(StreamTest, GraphsWriteToNoMemoryThatIsGone) {
  CUstream S;
  CUdeviceptr Gone = 0;
  CUgraph G = nullptr;
  CUgraphExec E = nullptr;
  ASSERT_EQ(A.cuStreamCreate(&S, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuMemAlloc_v2(&Gone, 64), CUDA_SUCCESS);
  ASSERT_EQ(A.cuStreamBeginCapture_v2(S, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamWriteValue32_v2(S, Gone, 1, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuStreamEndCapture(S, &G), CUDA_SUCCESS);
  ASSERT_EQ(A.cuGraphInstantiateWithFlags(&E, G, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuMemFree_v2(Gone), CUDA_SUCCESS);
  EXPECT_EQ(A.cuGraphLaunch(E, S), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(StreamTest, Capture) {
  CUstream S, Joined;
  CUevent Fork, Join;
  ASSERT_EQ(A.cuStreamCreate(&S, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuStreamCreate(&Joined, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuEventCreate(&Fork, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuEventCreate(&Join, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.cuMemsetD32_v2(P, 0, 1024), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ASSERT_EQ(A.cuStreamBeginCapture_v2(S, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(add(1, S), CUDA_SUCCESS);
  EXPECT_EQ(A.cuEventRecord(Fork, S), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamWaitEvent(Joined, Fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(add(10, Joined), CUDA_SUCCESS);
  EXPECT_EQ(A.cuEventRecord(Join, Joined), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamWaitEvent(S, Join, 0), CUDA_SUCCESS);
  EXPECT_EQ(add(100, S), CUDA_SUCCESS);
  CUstreamCaptureStatus Status;
  EXPECT_EQ(A.cuStreamIsCapturing(Joined, &Status), CUDA_SUCCESS);
  EXPECT_EQ(Status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph G = nullptr;
  EXPECT_EQ(A.cuStreamEndCapture(Joined, &G),
            CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  ASSERT_EQ(A.cuStreamEndCapture(S, &G), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamEndCapture(S, &G), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(value(), 0u) << "nothing was done";
  EXPECT_EQ(A.cuStreamIsCapturing(Joined, &Status), CUDA_SUCCESS);
  EXPECT_EQ(Status, CU_STREAM_CAPTURE_STATUS_NONE);
  CUgraphExec E = nullptr;
  ASSERT_EQ(A.cuGraphInstantiateWithFlags(&E, G, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuGraphLaunch(E, S), CUDA_SUCCESS);
  EXPECT_EQ(A.cuGraphLaunch(E, S), CUDA_SUCCESS);
  EXPECT_EQ(value(), 222u);
  // An event of the capture no longer draws streams into it.
  EXPECT_EQ(A.cuStreamWaitEvent(Joined, Fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(add(1000, Joined), CUDA_SUCCESS);
  EXPECT_EQ(value(), 1222u);
}
