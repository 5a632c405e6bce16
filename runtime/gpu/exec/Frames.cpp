//===- Frames.cpp - The frames of a warp's calls --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A frame has a row for each virtual register of its function, many times what
// a GPU's code keeps on the stack. When the frames of a deep recursion take
// much memory, those whose lanes are all in a call keep only what is read after
// it, and lend their rows to the function that they call.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Warp.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace gevo::gpu;

namespace {
/// What all frames of a warp take when callers start to be packed,
constexpr uint64_t PackFrom = uint64_t(8) << 20;
/// and when calls fail. A GPU's largest stacks, of 512 KiB a thread, hold 16
/// MiB of packed registers.
constexpr uint64_t MaxFrameBytes = uint64_t(64) << 20;
} // namespace

/// Gives \p F rows for its function: free ones, or new ones if the frames of
/// the warp then take no more than \p Most.
bool Warp::takeRows(Frame &F, uint64_t Most) {
  uint32_t Bytes = F.Fn->FrameBytes;
  auto It = std::find_if(FreeRows.rbegin(), FreeRows.rend(),
                         [&](const auto &R) { return R.Capacity >= Bytes; });
  if (It != FreeRows.rend()) {
    F.Rows = std::move(*It);
    FreeRows.erase(std::next(It).base());
  } else if (FrameBytes + Bytes <= Most) {
    FrameBytes += Bytes;
    F.Rows.Capacity = Bytes;
    F.Rows.Memory = std::make_unique<char[]>(Bytes + 64);
  } else {
    return false;
  }
  uintptr_t P = reinterpret_cast<uintptr_t>(F.Rows.Memory.get());
  F.Registers = reinterpret_cast<char *>((P + 63) & ~uintptr_t(63));
  return true;
}

void Warp::dropRows(Frame &F) {
  if (F.Registers)
    FreeRows.push_back(std::move(F.Rows));
  F.Registers = nullptr;
}

/// All lanes of \p F are in call \p Site, or about to: it keeps what it needs
/// after that.
void Warp::pack(Frame &F, uint32_t Site) {
  assert(F.Packed.empty() && "a frame is packed once for a call");
  F.Away = F.Lanes;
  F.AwayAt = Site;
  for (const CallInfo::RowRange &R : F.Fn->Calls[Site].Kept)
    F.Packed.insert(F.Packed.end(), F.Registers + R.Begin,
                    F.Registers + R.Begin + R.Bytes);
  FrameBytes += F.Packed.size();
  dropRows(F);
}

/// \p Lanes return to \p F, which may be packed.
void Warp::comeBack(Frame &F, uint32_t Lanes) {
  F.Away &= ~Lanes;
  if (F.Registers)
    return;
  // They need no more than they had before the call.
  takeRows(F, ~uint64_t(0));
  const char *From = F.Packed.data();
  for (const CallInfo::RowRange &R : F.Fn->Calls[F.AwayAt].Kept) {
    std::memcpy(F.Registers + R.Begin, From, R.Bytes);
    From += R.Bytes;
  }
  dropPacked(F);
}

void Warp::dropPacked(Frame &F) {
  if (F.Packed.empty())
    return;
  FrameBytes -= F.Packed.size();
  std::vector<char>().swap(F.Packed);
}

Frame &Warp::takeFrame(const Code &Fn) {
  if (FreeFrames.empty()) {
    FramePool.push_back(std::make_unique<Frame>());
    FreeFrames.push_back(FramePool.back().get());
  }
  Frame &F = *FreeFrames.back();
  FreeFrames.pop_back();
  F.Fn = &Fn;
  F.Away = 0;
  return F;
}

Frame *Warp::firstFrame(const Code &Kernel) {
  // Whatever a launch that ended early left.
  FreeFrames.clear();
  for (auto &F : FramePool) {
    dropRows(*F);
    dropPacked(*F);
    FreeFrames.push_back(F.get());
  }
  Frame &F = takeFrame(Kernel);
  takeRows(F, ~uint64_t(0));
  return &F;
}

/// A frame of \p Fn for all lanes \p Mask of \p Caller that make call \p Site;
/// null if there is no room.
Frame *Warp::calleeFrame(const Code &Fn, Frame &Caller, uint32_t Site,
                         uint32_t Mask) {
  Frame &F = takeFrame(Fn);
  if (takeRows(F, PackFrom))
    return &F;
  // Rows of arguments are still to be read.
  const auto &Args = Caller.Fn->Calls[Site].Args;
  bool InRows = std::any_of(Args.begin(), Args.end(),
                            [](const auto &P) { return P.Slot != NoSlot; });
  if (Caller.Lanes == Mask && !InRows)
    pack(Caller, Site);
  if (FrameBytes <= MaxFrameBytes && takeRows(F, MaxFrameBytes))
    return &F;
  FreeFrames.push_back(&F);
  fault(FindingKind::StackOverflow, unsigned(__builtin_ctz(Mask)),
        "the registers of " + std::to_string(Caller.Depth + 1) +
            " calls inside of each other, the last one of '" + Fn.Source->Name +
            "', take more than the " + std::to_string(MaxFrameBytes >> 20) +
            " MiB that the embedded GPU has for a warp's");
  return nullptr;
}

void Warp::leaveFrame(Frame *F, uint32_t Lanes) {
  if (!(F->Lanes & Lanes))
    return;
  F->Lanes &= ~Lanes;
  F->Away &= ~Lanes;
  if (F->Lanes) {
    // Some came back before the others, and are gone.
    if (F->Registers && F->Lanes == F->Away)
      pack(*F, F->AwayAt);
    return;
  }
  dropRows(*F);
  dropPacked(*F);
  FreeFrames.push_back(F);
}
