//===- ThreadsTest.cpp - The driver from many threads at once -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads share a context, its module, streams, events and memory, and call
// all kinds of functions on them in an order of their own. Each call succeeds;
// the thread sanitizer (preset tsan) looks at what they touch.
//
//===----------------------------------------------------------------------===//

#include "test/unit/driver/OpenDriver.h"

#include <atomic>
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
  CUdeviceptr Sum = 0;
  std::atomic<unsigned> HostCalls{0}, Launches{0};

  void SetUp() override {
    DriverTest::SetUp();
    M = load(sampleModule());
    Add = function(M, "add");
    for (unsigned K = 0; K < Streams; ++K) {
      ASSERT_EQ(A.cuStreamCreate(&S[K], K % 2), CUDA_SUCCESS);
      ASSERT_EQ(A.cuEventCreate(&E[K], 0), CUDA_SUCCESS);
      ASSERT_EQ(A.cuEventRecord(E[K], S[K]), CUDA_SUCCESS);
    }
    Sum = allocate(Words * 4);
    ASSERT_EQ(A.cuMemsetD32_v2(Sum, 0, Words), CUDA_SUCCESS);
  }

  using Call = CUresult (ThreadsTest::*)(unsigned);

  CUresult launchAdd(unsigned K) {
    unsigned N = Words, V = 1;
    ++Launches;
    return launch(Add, 2, 128, {&Sum, &N, &V}, S[K]);
  }
  CUresult copyBack(unsigned K) {
    std::vector<unsigned> Out(Words);
    return A.cuMemcpyDtoHAsync_v2(Out.data(), Sum, Words * 4, S[K]);
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
    return A.cuLaunchHostFunc(
        S[K], [](void *P) { ++*static_cast<std::atomic<unsigned> *>(P); },
        &HostCalls);
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
                                             Sum + 4 * K))
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
  // Every launch added its one, whichever thread and stream it came from.
  EXPECT_GT(Launches, 0u);
  EXPECT_EQ(read<unsigned>(Sum, Words),
            std::vector<unsigned>(Words, unsigned(Launches)));
}

} // namespace
