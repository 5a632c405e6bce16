//===- RaceOrder.h - What happens before what -------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which accesses happened before a thread's next one. What orders them:
//   - the program order of a thread; before sm_70 also that of a warp,
//   - barriers of the block and bar.warp.sync, for the lanes that take part.
//     Other warp-wide operations (shfl, vote, match, redux) order nothing, as
//     the CUDA manual says of each,
//   - a fence, and after it a strong store or atomic to a word that another
//     thread then reads by a strong load or atomic, and there a fence again or
//     an acquire. Either fence may be another thread's if a barrier lies
//     between. A fence of scope .cta orders only threads of its block. After an
//     atomic a barrier will do, as in the CUDA manual's example of the last
//     block that adds up what the others left.
//
// Many kernels have nothing but barriers of the whole block. For them, Fine is
// false and one time per block says it all.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_RACEORDER_H
#define GEVO_RUNTIME_GPU_EXEC_RACEORDER_H

#include "runtime/gpu/exec/AccessRecord.h"
#include "runtime/gpu/exec/Code.h"
#include "runtime/gpu/exec/RaceClock.h"

#include <array>
#include <map>
#include <memory>
#include <unordered_map>

namespace gevo::gpu {

/// Clocks that fences of a scope act on.
struct ScopedClock {
  RaceClock Gpu; ///< Between all threads,
  RaceClock Cta; ///< and those of a block.
  bool empty() const { return Gpu.empty() && Cta.empty(); }
  /// The same in both, which is all there is if no fence was of a block only.
  bool areAlike() const { return Gpu.sharesWith(Cta); }
  void join(const ScopedClock &O);
  /// A fence.
  void publish(const RaceClock &What, bool CtaScope);
  void raiseThread(uint32_t Block, uint32_t Thread, uint64_t GpuTime,
                   uint64_t CtaTime);
};

/// How a strong access saw what another thread published: by a load or an
/// atomic that is no acquire, or by one that is.
enum class Sight : uint8_t { Polled, Counted, Acquired };

/// What a thread, or all threads of a warp or block, know and have published.
struct Knowledge {
  RaceClock Known;       ///< Happened before.
  ScopedClock Published; ///< By fences.
  ScopedClock Polled;    ///< Seen, and known after a fence;
  ScopedClock Counted;   ///< the same, or after a barrier.
  void join(const Knowledge &O);
  /// A fence makes known what \p From, perhaps this, has seen.
  void acquire(const Knowledge &From, bool CtaScope);
  /// The same of a barrier that all who had a part in this have passed.
  void passBarrier();
  void forgetSeen(bool CtaScope);
};

/// A word that synchronises.
struct SyncWord {
  RaceClock Gpu;
  std::map<uint32_t, RaceClock> Cta; ///< By block.
  uint64_t Version = 0;
  AccessRecord Last; ///< By whom it was published.
};
using SyncWords = std::unordered_map<uint64_t, SyncWord>;

/// The order within one running block.
struct BlockOrder {
  struct OfWarp {
    uint32_t Started = 0; ///< Lanes.
    Knowledge All;
    std::array<std::unique_ptr<Knowledge>, 32> Lanes;
    std::array<uint64_t, 32> GpuFence{}, CtaFence{}; ///< Own last fences.
    bool Fenced = false, Fresh = true; ///< Fresh: nothing since a barrier.
    uint64_t SeenAddress = 0, SeenVersion = 0; ///< The last acquire,
    uint32_t SeenLanes = 0;                    ///< who made it,
    Sight SeenBy = Sight::Polled;              ///< and how.
  };
  uint32_t Block = 0;
  uint64_t LastBarrier = 0; ///< Of the whole block.
  uint32_t Epoch = 0;       ///< Of LastBarrier, unique in the grid; 0: none.
  Knowledge All;
  std::vector<OfWarp> Warps;
  std::map<uint32_t, Knowledge> Arrived; ///< By number of barrier.
  SyncWords Shared;
};

class RaceOrder {
public:
  RaceOrder(bool Independent, bool Fine)
      : Independent(Independent), Fine(Fine) {}
  /// Does a kernel use more than barriers of the whole block?
  static bool isFine(const KernelCode &K);

  uint64_t now() const { return Now; }
  uint64_t tick() { return ++Now; }
  /// When anything was last ordered: accesses of a thread since then are alike.
  /// In a warp that runs in step, each instruction orders.
  uint64_t lastSync(const BlockOrder &B) const {
    return !Independent ? Now : Fine ? LastSync : B.LastBarrier;
  }
  void startBlock(BlockOrder &B, uint32_t Block,
                  const std::vector<uint32_t> &Started);
  void endBlock(const BlockOrder &B);
  void warpSync(BlockOrder &B, uint32_t Warp, uint32_t Lanes);
  void wholeBarrier(BlockOrder &B);
  /// Lanes arrive at a barrier of some warps; those that wait learn of it.
  void arrive(BlockOrder &B, uint32_t Number, uint32_t Warp, uint32_t Lanes);
  void complete(BlockOrder &B, uint32_t Number,
                const std::vector<uint32_t> &Waiting);
  void fence(BlockOrder &B, uint32_t Warp, uint32_t Lanes, bool CtaScope);
  void acquire(BlockOrder &B, uint32_t Warp, uint32_t Lanes, SyncWords &Words,
               uint64_t Address, Sight By);
  /// \p Replace: what was published by this word before is gone.
  void release(BlockOrder &B, uint32_t Warp, uint32_t Lanes, SyncWords &Words,
               uint64_t Address, bool Replace, bool CtaScope);

  /// The lanes of \p R whose access did not happen before what \p Lane of
  /// \p Warp does now. \p Seen: nor would it if all that was seen were known.
  uint32_t unordered(const AccessRecord &R, const BlockOrder &B, uint32_t Warp,
                     unsigned Lane, bool Seen = false) const;
  /// True if no access of another block will ever come after \p R, of a block
  /// other than \p B.
  bool unreachable(const AccessRecord &R, const BlockOrder &B) const;

  const bool Independent; ///< Lanes of a warp are not in step.
  const bool Fine;

private:
  Knowledge &lane(BlockOrder::OfWarp &W, unsigned Lane);
  void nextEpoch(BlockOrder &B);
  void gather(BlockOrder &B, uint32_t Warp, uint32_t Lanes, Knowledge &To);

  uint64_t Now = 1;
  uint64_t LastSync = 1;
  uint32_t NextEpoch = 2;  ///< FirstEpoch of RaceShadow.h.
  std::vector<bool> Ended; ///< By block.
  RaceClock Published;     ///< To other blocks.
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_RACEORDER_H
