//===- DeterminismTest.cpp - One input, one number ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch takes the same time whichever thread of the host it runs on, how
// many others run beside it, how its program rounds, and wherever the host has
// its memory: devices of a process have different arenas, and memory of the
// program's own lies where the system put it.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

#include <cfenv>
#include <sys/mman.h>
#include <thread>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Reads words all over a buffer, which is more than L1 holds.
const char *const Scatter = R"(
.reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p;
ld.param.u64 %rd0, [a];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
mad.lo.u32 %r2, %r1, 97, %r0;
mov.u32 %r3, 0;
L: mul.lo.u32 %r2, %r2, 1664525;
add.u32 %r2, %r2, 1013904223;
and.b32 %r4, %r2, 65535;
mul.wide.u32 %rd1, %r4, 4;
add.u64 %rd2, %rd0, %rd1;
ld.global.u32 %r5, [%rd2];
add.u32 %r2, %r2, %r5;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p, %r3, 20;
@%p bra L;
st.global.u32 [%rd2], %r2;
)";

constexpr uint64_t Bytes = 65536 * 4;

uint64_t cycles(void *Host = nullptr) {
  Profile P = profileNamed("V100");
  Bench B(P, kernel(P, ".param .u64 a", Scatter));
  uint64_t A = reinterpret_cast<uint64_t>(Host);
  if (Host)
    EXPECT_TRUE(B.Gpu.registerHost(Host, Bytes));
  else
    A = B.Gpu.allocate(Bytes);
  uint64_t Result = B.run("k", {40, 1, 1}, {96, 1, 1}, {A}).Cycles;
  if (Host)
    B.Gpu.unregisterHost(Host);
  return Result;
}

TEST(Determinism, ThreadsOfTheHostDoNotMatter) {
  uint64_t Alone = cycles();
  EXPECT_GT(Alone, 0u);
  for (unsigned Count : {1u, 2u, 4u}) {
    std::vector<uint64_t> Got(Count);
    std::vector<std::thread> Threads;
    for (unsigned K = 0; K < Count; ++K)
      Threads.emplace_back([&Got, K] { Got[K] = cycles(); });
    for (std::thread &T : Threads)
      T.join();
    for (uint64_t C : Got)
      EXPECT_EQ(C, Alone) << Count;
  }
}

TEST(Determinism, RoundingOfTheHostDoesNotMatter) {
  uint64_t Alone = cycles();
  for (int Mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(Mode);
    uint64_t Got = cycles();
    EXPECT_EQ(std::fegetround(), Mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(Got, Alone) << Mode;
  }
}

TEST(Determinism, PlaceOfOwnMemoryDoesNotMatter) {
  // Pages at ever different places of one large reservation.
  constexpr uint64_t Room = uint64_t(1) << 30;
  void *Reserved = mmap(nullptr, Room, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(Reserved, MAP_FAILED);
  uint64_t First = 0;
  for (uint64_t Offset : {uint64_t(0), uint64_t(4096) * 7, uint64_t(0x2345000),
                          uint64_t(0x1f3a7000)}) {
    char *Host = static_cast<char *>(Reserved) + Offset;
    std::fill(Host, Host + Bytes, 0);
    uint64_t C = cycles(Host);
    EXPECT_EQ(C, First ? First : C) << Offset;
    First = C;
  }
  munmap(Reserved, Room);
}

} // namespace
