//===- RenewTest.cpp - A device that does not tell what was written -------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"
#include "test/unit/measure/Kernels.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace gevo;
using namespace gevo::measure;
using capture::Buffer;
using capture::Bytes;

namespace {

constexpr uint64_t In = 0x200000000100, Out = 0x200000010100;

unsigned CallsThatSucceed = 0;
decltype(&::gevoGpuGetMarks) RealGetMarks = nullptr;

int getMarksAtFirst(uint64_t Address, size_t Size, uint8_t *Marks) {
  if (!CallsThatSucceed)
    return 1;
  --CallsThatSucceed;
  return RealGetMarks(Address, Size, Marks);
}

// Whichever of the calls fails, nothing is expected of the launch.
TEST(RenewTest, MarksThatAreNotTold) {
  std::string Error;
  DeviceOptions O;
  O.Library = GEVO_GPU_LIBRARY;
  std::unique_ptr<Device> D = Device::open(O, Error);
  ASSERT_TRUE(D) << Error;
  capture::Launch L;
  L.Kernel = "k";
  L.Block = {32, 1, 1};
  const uint64_t Params[] = {In, Out};
  L.Params.resize(sizeof(Params));
  std::memcpy(L.Params.data(), Params, sizeof(Params));
  capture::Case C;
  C.Launches.push_back(L);
  C.Buffers.push_back(Buffer::input(In, Bytes(128, 1)));
  C.Buffers.push_back(
      Buffer::output(Out, Bytes(128), Bytes(128), ElementType::U32));
  C.WarpInstructions = 100;
  const std::string Copy = test::kernel("  ld.global.u32 %r4, [%from];\n"
                                        "  st.global.u32 [%at], %r4;\n");

  auto &Driver = const_cast<DriverTable &>(D->driver());
  RealGetMarks = Driver.gevoGpuGetMarks;
  Driver.gevoGpuGetMarks = getMarksAtFirst;
  // Two gaps and a piece for each buffer.
  constexpr unsigned Calls = 6;
  for (unsigned K = 0; K <= Calls; ++K) {
    CallsThatSucceed = K;
    capture::Case Renewed = C;
    EXPECT_EQ(renewExpected(*D, Renewed, Copy, {}, Error), K == Calls) << K;
    EXPECT_EQ(Error, K == Calls ? ""
                                : "the embedded GPU does not tell what the "
                                  "launch wrote")
        << K;
    if (K == Calls)
      EXPECT_EQ(Renewed.Buffers[1].Pieces[0].After, Bytes(128, 1));
  }
}

} // namespace
