//===- ThreadsTest.cpp - The driver from many threads at once -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads share a context, its module, streams, events and memory, and call
// all kinds of functions on them in an order of their own. Each call succeeds,
// and the work of a stream is done one piece after the other whichever thread
// it comes from; the thread sanitizer (preset tsan) looks at what they touch.
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

using namespace gevo::test;

namespace {

class ThreadsTest : public DriverTest {
protected:
  static constexpr unsigned Streams = 3, Words = 256;
  CUmodule M = nullptr;
  CUfunction Add = nullptr;
  CUstream S[Streams] = {};
  CUevent E[Streams] = {};
  CUdeviceptr Sum[Streams] = {};
  unsigned HostCalls[Streams] = {}; ///< Counted in the stream's order.
  std::atomic<unsigned> Launches[Streams] = {}, Submitted[Streams] = {};

  void SetUp() override {
    DriverTest::SetUp();
    M = load(sampleModule());
    Add = function(M, "add");
    for (unsigned K = 0; K < Streams; ++K) {
      ASSERT_EQ(A.cuStreamCreate(&S[K], K % 2), CUDA_SUCCESS);
      ASSERT_EQ(A.cuEventCreate(&E[K], 0), CUDA_SUCCESS);
      ASSERT_EQ(A.cuEventRecord(E[K], S[K]), CUDA_SUCCESS);
      Sum[K] = allocate(Words * 4);
      ASSERT_EQ(A.cuMemsetD32_v2(Sum[K], 0, Words), CUDA_SUCCESS);
    }
  }

  using Call = CUresult (ThreadsTest::*)(unsigned);

  CUresult launchAdd(unsigned K) {
    unsigned N = Words, V = 1;
    ++Launches[K];
    return launch(Add, 2, 128, {&Sum[K], &N, &V}, S[K]);
  }
  CUresult copyBack(unsigned K) {
    std::vector<unsigned> Out(Words);
    CUresult R = A.cuMemcpyDtoHAsync_v2(Out.data(), Sum[K], Words * 4, S[K]);
    EXPECT_EQ(Out, std::vector<unsigned>(Words, Out[0]))
        << "the copy saw half a launch";
    return R;
  }
  CUresult ownMemory(unsigned K) {
    CUdeviceptr P = 0;
    if (CUresult R = A.cuMemAlloc_v2(&P, 1000 + K))
      return R;
    if (CUresult R = A.cuMemsetD8Async(P, uint8_t(K), 1000, S[K]))
      return R;
    CUdeviceptr Base = 0;
    size_t Bytes = 0;
    if (CUresult R = A.cuMemGetAddressRange_v2(&Base, &Bytes, P + 10))
      return R;
    return A.cuMemFree_v2(P);
  }
  CUresult poolMemory(unsigned K) {
    CUdeviceptr P = 0;
    CUresult R = A.cuMemAllocAsync(&P, 4096, S[K]);
    return R ? R : A.cuMemFreeAsync(P, S[K]);
  }
  CUresult hostMemory(unsigned) {
    void *P = nullptr;
    CUdeviceptr D = 0;
    if (CUresult R = A.cuMemHostAlloc(&P, 512, 2))
      return R;
    if (CUresult R = A.cuMemHostGetDevicePointer_v2(&D, P, 0))
      return R;
    return A.cuMemFreeHost(P);
  }
  CUresult managedMemory(unsigned) {
    CUdeviceptr P = 0;
    CUresult R = A.cuMemAllocManaged(&P, 512, 1);
    return R ? R : A.cuMemFree_v2(P);
  }
  CUresult ownModule(unsigned) {
    CUmodule Other = nullptr;
    CUfunction F = nullptr;
    if (CUresult R = A.cuModuleLoadData(&Other, sampleModule()))
      return R;
    if (CUresult R = A.cuModuleGetFunction(&F, Other, "add"))
      return R;
    return A.cuModuleUnload(Other);
  }
  CUresult events(unsigned K) {
    float Time = 0;
    if (CUresult R = A.cuEventRecord(E[K], S[K]))
      return R;
    if (CUresult R = A.cuStreamWaitEvent(S[(K + 1) % Streams], E[K], 0))
      return R;
    if (CUresult R = A.cuEventElapsedTime(&Time, E[K], E[(K + 1) % Streams]))
      return R;
    return A.cuEventSynchronize(E[K]);
  }
  CUresult ownStream(unsigned K) {
    CUstream Mine = nullptr;
    if (CUresult R = A.cuStreamCreateWithPriority(&Mine, 1, -int(K % 2)))
      return R;
    if (CUresult R = A.cuStreamQuery(Mine))
      return R;
    return A.cuStreamDestroy_v2(Mine);
  }
  CUresult hostFunction(unsigned K) {
    ++Submitted[K];
    return A.cuLaunchHostFunc(
        S[K], [](void *P) { ++*static_cast<unsigned *>(P); }, &HostCalls[K]);
  }
  CUresult ownGraph(unsigned K) {
    CUgraph G = nullptr;
    CUgraphNode Node = nullptr;
    CUgraphExec X = nullptr;
    if (CUresult R = A.cuGraphCreate(&G, 0))
      return R;
    if (CUresult R = A.cuGraphAddEmptyNode(&Node, G, nullptr, 0))
      return R;
    if (CUresult R = A.cuGraphInstantiateWithFlags(&X, G, 0))
      return R;
    if (CUresult R = A.cuGraphLaunch(X, S[K]))
      return R;
    if (CUresult R = A.cuGraphExecDestroy(X))
      return R;
    return A.cuGraphDestroy(G);
  }
  CUresult queries(unsigned K) {
    int Value = 0;
    size_t Free = 0, Total = 0;
    void *Entry = nullptr;
    if (CUresult R = A.cuFuncGetAttribute(&Value, CUfunction_attribute(4), Add))
      return R;
    if (CUresult R = A.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &Value, Add, int(32 * (K + 1)), 0))
      return R;
    if (CUresult R = A.cuMemGetInfo_v2(&Free, &Total))
      return R;
    if (CUresult R = A.cuPointerGetAttribute(&Value, CUpointer_attribute(2),
                                             Sum[K] + 4 * K))
      return R;
    return A.cuGetProcAddress("cuMemAlloc", &Entry, 12000, 0);
  }
  CUresult extras(unsigned K) {
    size_t Needed = 0;
    GevoGpuCounters Counters = {};
    if (int R = A.gevoGpuGetFindings(nullptr, 0, &Needed))
      return CUresult(R);
    if (int R = A.gevoGpuGetCounters(&Counters, sizeof(Counters)))
      return CUresult(R);
    return CUresult(A.gevoGpuSetTiming(K % 2));
  }
  CUresult synchronise(unsigned K) {
    CUresult R = A.cuStreamSynchronize(S[K]);
    return R ? R : A.cuCtxSynchronize();
  }

  static constexpr struct {
    const char *Name;
    Call Do;
  } Calls[] = {{"launchAdd", &ThreadsTest::launchAdd},
               {"copyBack", &ThreadsTest::copyBack},
               {"ownMemory", &ThreadsTest::ownMemory},
               {"poolMemory", &ThreadsTest::poolMemory},
               {"hostMemory", &ThreadsTest::hostMemory},
               {"managedMemory", &ThreadsTest::managedMemory},
               {"ownModule", &ThreadsTest::ownModule},
               {"events", &ThreadsTest::events},
               {"ownStream", &ThreadsTest::ownStream},
               {"hostFunction", &ThreadsTest::hostFunction},
               {"ownGraph", &ThreadsTest::ownGraph},
               {"queries", &ThreadsTest::queries},
               {"extras", &ThreadsTest::extras},
               {"synchronise", &ThreadsTest::synchronise}};

  void work(unsigned Seed) {
    std::mt19937 Random(Seed);
    EXPECT_EQ(A.cuCtxSetCurrent(Ctx), CUDA_SUCCESS);
    for (unsigned N = 0; N < 150; ++N) {
      const auto &C = Calls[Random() % std::size(Calls)];
      EXPECT_EQ((this->*C.Do)(Random() % Streams), CUDA_SUCCESS) << C.Name;
    }
  }
};

TEST_F(ThreadsTest, SharedObjects) {
  std::vector<std::thread> Threads;
  for (unsigned Seed = 1; Seed <= 6; ++Seed)
    Threads.emplace_back([this, Seed] { work(Seed); });
  for (std::thread &T : Threads)
    T.join();
  ASSERT_EQ(A.cuCtxSynchronize(), CUDA_SUCCESS);
  // Every launch and call added its one, whichever thread it came from.
  for (unsigned K = 0; K < Streams; ++K) {
    EXPECT_GT(Launches[K], 0u);
    EXPECT_EQ(read<unsigned>(Sum[K], Words),
              std::vector<unsigned>(Words, unsigned(Launches[K])));
    EXPECT_EQ(HostCalls[K], Submitted[K]);
  }
}

/// Two threads fill one buffer with values of their own and copy it back; the
/// streams that they use are ordered, so a copy never sees two values.
class OrderTest : public DriverTest {
protected:
  static constexpr unsigned Words = 1 << 18, Rounds = 40;

  unsigned mixedCopies(CUstream First, CUstream Second) {
    CUdeviceptr P = allocate(Words * 4);
    EXPECT_EQ(A.cuMemsetD32_v2(P, 0, Words), CUDA_SUCCESS);
    std::atomic<unsigned> Mixed{0};
    auto work = [&](unsigned Value, CUstream S) {
      std::vector<unsigned> Out(Words);
      EXPECT_EQ(A.cuCtxSetCurrent(Ctx), CUDA_SUCCESS);
      for (unsigned N = 0; N < Rounds; ++N) {
        EXPECT_EQ(A.cuMemsetD32Async(P, Value + N, Words, S), CUDA_SUCCESS);
        EXPECT_EQ(A.cuMemcpyDtoHAsync_v2(Out.data(), P, Words * 4, S),
                  CUDA_SUCCESS);
        Mixed += Out != std::vector<unsigned>(Words, Out[0]);
      }
    };
    std::thread Other(work, 1000, First);
    work(2000, Second);
    Other.join();
    return Mixed;
  }
};

TEST_F(OrderTest, ThreadsOnOneStream) {
  CUstream S = nullptr;
  ASSERT_EQ(A.cuStreamCreate(&S, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(mixedCopies(S, S), 0u);
}

TEST_F(OrderTest, DefaultStreamAndOneThatWaitsForIt) {
  CUstream S = nullptr;
  ASSERT_EQ(A.cuStreamCreate(&S, 0), CUDA_SUCCESS);
  EXPECT_EQ(mixedCopies(nullptr, S), 0u);
  EXPECT_EQ(
      mixedCopies(nullptr, reinterpret_cast<CUstream>(CU_STREAM_PER_THREAD)),
      0u);
}

TEST_F(OrderTest, HostFunctionsMayCallBack) {
  // Two threads whose host functions use each other's stream: whoever waited
  // there would wait for ever.
  struct Crossing {
    const Api *A;
    CUstream Other;
    CUdeviceptr P;
    CUresult Result;
  };
  CUstream S[2];
  for (CUstream &One : S)
    ASSERT_EQ(A.cuStreamCreate(&One, 0), CUDA_SUCCESS);
  auto work = [&](unsigned Mine) {
    EXPECT_EQ(A.cuCtxSetCurrent(Ctx), CUDA_SUCCESS);
    Crossing C = {&A, S[!Mine], allocate(64), CUDA_ERROR_UNKNOWN};
    for (unsigned N = 0; N < 200; ++N) {
      ASSERT_EQ(A.cuLaunchHostFunc(
                    S[Mine],
                    [](void *Data) {
                      auto &C = *static_cast<Crossing *>(Data);
                      C.Result = C.A->cuMemsetD8Async(C.P, 1, 64, C.Other);
                      C.A->cuStreamSynchronize(C.Other);
                    },
                    &C),
                CUDA_SUCCESS);
      EXPECT_EQ(C.Result, CUDA_SUCCESS);
    }
  };
  std::thread Other(work, 1);
  work(0);
  Other.join();
}

/// Another thread's host function, which a stream cannot end before the gate
/// is opened.
class GateTest : public DriverTest {
protected:
  CUstream S = nullptr;
  std::atomic<bool> Inside{false}, Open{false}, Ended{false};
  std::thread Other;

  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_EQ(A.cuStreamCreate(&S, 0), CUDA_SUCCESS);
    Other = std::thread([this] {
      EXPECT_EQ(A.cuCtxSetCurrent(Ctx), CUDA_SUCCESS);
      EXPECT_EQ(A.cuLaunchHostFunc(
                    S,
                    [](void *Data) {
                      auto &T = *static_cast<GateTest *>(Data);
                      T.Inside = true;
                      while (!T.Open)
                        std::this_thread::yield();
                      T.Ended = true;
                    },
                    this),
                CUDA_SUCCESS);
    });
    while (!Inside)
      std::this_thread::yield();
  }
  void TearDown() override {
    Other.join();
    DriverTest::TearDown();
  }
};

TEST_F(GateTest, RunningWorkIsNotReady) {
  CUstream Free = nullptr;
  ASSERT_EQ(A.cuStreamCreate(&Free, 0), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamQuery(S), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(A.cuStreamQuery(Free), CUDA_SUCCESS);
  EXPECT_EQ(A.cuStreamSynchronize(Free), CUDA_SUCCESS);
  Open = true;
  EXPECT_EQ(A.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_TRUE(Ended);
}

TEST_F(GateTest, MemoryIsFreedAfterRunningWork) {
  CUdeviceptr P = allocate(64);
  std::thread Opener([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Open = true;
  });
  EXPECT_EQ(A.cuMemFree_v2(P), CUDA_SUCCESS);
  EXPECT_TRUE(Ended) << "the work might have used it";
  Opener.join();
}

// A kernel of one context waits until another context has allocated, copied and
// asked; its own memory is the flag that ends it, and it finds memory that was
// allocated after it began.
TEST_F(OrderTest, ContextsDoNotWaitForEachOthersKernels) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a kernel that waits for the host is a race of the host";
#endif
#endif
  const char *Wait = ".version 7.0\n.target sm_60\n.address_size 64\n"
                     ".visible .entry k(.param .u64 flag) {\n"
                     ".reg .b64 %f, %p; .reg .pred %q; .reg .b32 %r;\n"
                     "ld.param.u64 %f, [flag];\n"
                     "L: ld.volatile.global.u64 %p, [%f];\n"
                     "setp.eq.u64 %q, %p, 0; @%q bra L;\n"
                     "ld.volatile.global.u32 %r, [%p]; add.u32 %r, %r, 1;\n"
                     "st.volatile.global.u32 [%p], %r; ret; }\n";
  void *Flag = nullptr;
  ASSERT_EQ(A.cuMemHostAlloc(&Flag, 8, CU_MEMHOSTALLOC_PORTABLE), CUDA_SUCCESS);
  auto &Word = *static_cast<std::atomic<uint64_t> *>(Flag);
  Word = 0;
  CUfunction F = function(load(Wait), "k");
  std::thread Runner([&] {
    EXPECT_EQ(A.cuCtxSetCurrent(Ctx), CUDA_SUCCESS);
    EXPECT_EQ(launch(F, 1, 1, {&Flag}), CUDA_SUCCESS) << findings();
  });
  CUcontext Other;
  ASSERT_EQ(A.cuCtxCreate_v2(&Other, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(A.gevoGpuSetFindingsTarget("none"), CUDA_SUCCESS);
  void *Host = nullptr;
  CUdeviceptr Managed = 0, P = allocate(64);
  size_t Free, Total;
  unsigned Two = 2;
  EXPECT_EQ(A.cuMemAllocHost_v2(&Host, 64), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemAllocManaged(&Managed, 64, CU_MEM_ATTACH_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemGetInfo_v2(&Free, &Total), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemcpyHtoD_v2(Managed, &Two, 4), CUDA_SUCCESS);
  EXPECT_EQ(A.cuMemFree_v2(P), CUDA_SUCCESS);
  Word = Managed;
  Runner.join();
  EXPECT_EQ(read<unsigned>(Managed, 1)[0], 3u);
  EXPECT_EQ(A.cuCtxDestroy_v2(Other), CUDA_SUCCESS);
}

TEST_F(OrderTest, ContextsEndAfterUsesOfTheirMemory) {
  // A thread sets memory of contexts that this one destroys meanwhile.
  constexpr size_t Bytes = 4 << 20;
  std::atomic<CUdeviceptr> Shared{0};
  std::atomic<bool> Done{false};
  std::thread User([&] {
    EXPECT_EQ(A.cuCtxSetCurrent(Ctx), CUDA_SUCCESS);
    while (!Done)
      if (CUdeviceptr P = Shared) {
        CUresult R = A.cuMemsetD32_v2(P, 1, Bytes / 4);
        EXPECT_TRUE(R == CUDA_SUCCESS || R == CUDA_ERROR_INVALID_VALUE) << R;
      }
  });
  for (int Turn = 0; Turn < 50; ++Turn) {
    CUcontext Other;
    ASSERT_EQ(A.cuCtxCreate_v2(&Other, 0, 0), CUDA_SUCCESS);
    Shared = allocate(Bytes);
    std::this_thread::sleep_for(std::chrono::microseconds(Turn * 20));
    EXPECT_EQ(A.cuCtxDestroy_v2(Other), CUDA_SUCCESS);
  }
  Done = true;
  User.join();
}

TEST_F(OrderTest, EachThreadCapturesItsOwnStream) {
  // What another thread does on its CU_STREAM_PER_THREAD is no part of it.
  auto Own = reinterpret_cast<CUstream>(CU_STREAM_PER_THREAD);
  CUdeviceptr P = allocate(64);
  ASSERT_EQ(A.cuStreamBeginCapture_v2(Own, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  std::thread([&] {
    EXPECT_EQ(A.cuCtxSetCurrent(Ctx), CUDA_SUCCESS);
    EXPECT_EQ(A.cuMemsetD8Async(P, 7, 64, Own), CUDA_SUCCESS);
  }).join();
  CUgraph G = nullptr;
  size_t Nodes = 1;
  ASSERT_EQ(A.cuStreamEndCapture(Own, &G), CUDA_SUCCESS);
  EXPECT_EQ(A.cuGraphGetNodes(G, nullptr, &Nodes), CUDA_SUCCESS);
  EXPECT_EQ(Nodes, 0u);
  EXPECT_EQ(read<uint8_t>(P, 64), std::vector<uint8_t>(64, 7));
}

} // namespace
