//===- MappedTest.cpp - Memory that is a file's ---------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/CaptureFile.h"
#include "runtime/measure/Replay.h"
#include "test/unit/measure/Kernels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

using namespace gevo;
using namespace gevo::measure;
namespace fs = std::filesystem;
using capture::Buffer;
using capture::Bytes;
using capture::Case;
using gevo::test::kernel;

namespace {

constexpr uint64_t Large = 0x200000100100, Out = 0x200000010100;
constexpr uint64_t Size = 1 << 20;
constexpr unsigned Count = 128;
const char Doubling[] = "  ld.global.f32 %f1, [%from];\n"
                        "  add.f32 %f1, %f1, %f1;\n"
                        "  st.global.f32 [%at], %f1;\n";

template <typename T> Bytes bytesOf(const std::vector<T> &V) {
  Bytes B(V.size() * sizeof(T));
  std::memcpy(B.data(), V.data(), B.size());
  return B;
}

/// Twice the elements at \p From should be \p Wanted.
Case doubling(uint64_t From, Buffer Input, Bytes Wanted) {
  Case C;
  capture::Launch L;
  L.Kernel = "k";
  L.Grid = {Count / 32, 1, 1};
  L.Block = {32, 1, 1};
  L.Params = bytesOf<uint64_t>({From, Out});
  C.Launches.push_back(L);
  C.Buffers.push_back(Buffer::output(Out, Bytes(Count * 4), std::move(Wanted),
                                     ElementType::F32));
  C.Buffers.push_back(std::move(Input));
  C.WarpInstructions = 100;
  return C;
}

// Memory of a file is like any other: a kernel that writes there changes
// neither the file nor the next run, and none of it is left for the next case.
TEST(Mapped, IsLikeAnyOther) {
  DeviceOptions O;
  O.Library = GEVO_GPU_LIBRARY;
  std::string Error, Folder = (fs::temp_directory_path() / "gevo-XXXXXX");
  std::unique_ptr<Device> D = Device::open(O, Error);
  ASSERT_TRUE(D) << Error;
  ASSERT_TRUE(mkdtemp(Folder.data()));
  std::vector<float> Noise(Size / 4), Twice(Count);
  uint32_t State = 1;
  for (float &F : Noise)
    F = float((State = State * 1664525u + 1013904223u) >> 8);
  for (unsigned K = 0; K < Count; ++K)
    Twice[K] = 2 * Noise[K];
  Case C =
      doubling(Large, Buffer::input(Large, bytesOf(Noise)), bytesOf(Twice));
  ASSERT_TRUE(
      capture::writeCapture(Folder + "/c", {"app", "V100", {"//"}, {C}}, Error))
      << Error;
  std::optional<capture::Capture> Read =
      capture::readCapture(Folder + "/c", Error);
  ASSERT_TRUE(Read) << Error;
  const Bytes &Input = Read->Cases[0].Buffers[1].Pieces[0].Before;
  ASSERT_TRUE(Input.get_allocator().isFile(Size));
  std::string Stray = std::string(Doubling) + "  st.global.f32 [%from], %f1;\n";
  {
    Replay R(*D, Read->Cases[0]);
    for (int K = 0; K < 2; ++K) {
      ReplayResult Good = R.run(kernel(Doubling), {});
      EXPECT_TRUE(Good.passed()) << Good.Reason;
      EXPECT_EQ(R.run(kernel(Stray), {}).Result, Outcome::InputChanged);
    }
    EXPECT_EQ(Input, bytesOf(Noise));
  }
  // Only the start of it is known now; the rest reads as zeros.
  Buffer Start = Buffer::input(Large, bytesOf(Twice));
  Start.Size = Size;
  Case Next = doubling(Large + Size / 2, Start, Bytes(Count * 4));
  Replay After(*D, Next);
  ReplayResult R = After.run(kernel(Doubling), {});
  EXPECT_TRUE(R.passed()) << R.Reason;
  fs::remove_all(Folder);
}

} // namespace
