//===- RaceClock.h - What is known of other threads' progress ---*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector clock over all threads of a grid: of each thread, the time up to
// which its accesses happened before. Threads mostly learn of whole blocks or
// warps, so a clock keeps times of blocks, of warps that are further, and of
// threads that are further still. Nothing is rounded.
//
// Clocks that have learnt the same share what they hold: a copy costs nothing,
// nor does it to join what is there already. One is copied when it is about to
// change while others hold it, too.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_RACECLOCK_H
#define GEVO_RUNTIME_GPU_EXEC_RACECLOCK_H

#include <cstdint>
#include <utility>
#include <vector>

namespace gevo::gpu {

/// What several clocks of one grid hold; a grid runs on one thread.
struct Held {
  Held() = default;
  Held(const Held &) {}
  Held &operator=(const Held &) = delete;
  uint32_t Owners = 0;
};

/// One of the owners of a T, or of nothing.
template <typename T> class Hold {
public:
  Hold() = default;
  Hold(const Hold &O) : P(O.P) {
    if (P)
      ++P->Owners;
  }
  Hold(Hold &&O) noexcept : P(std::exchange(O.P, nullptr)) {}
  Hold &operator=(Hold O) noexcept {
    std::swap(P, O.P);
    return *this;
  }
  ~Hold() {
    if (P && !--P->Owners)
      delete P;
  }
  explicit operator bool() const { return P; }
  bool operator==(const Hold &O) const { return P == O.P; }
  const T *operator->() const { return P; }
  const T &operator*() const { return *P; }
  bool alone() const { return P && P->Owners == 1; }
  /// To be changed: made, or copied if it has other owners.
  T &own() {
    if (alone())
      return *P;
    T *Mine = P ? new T(*P) : new T();
    Mine->Owners = 1;
    *this = Hold();
    P = Mine;
    return *P;
  }

private:
  T *P = nullptr;
};

/// What came of joining one with another.
struct Joined {
  bool Changed = false; ///< It knows more than before,
  bool IsOther = false; ///< and no more than the other: the two are shared.
};

/// The threads of one block, numbered by warp and lane.
class BlockView : public Held {
public:
  /// Accesses of \p Thread up to this time are known.
  uint64_t time(uint32_t Thread) const;
  void raiseAll(uint64_t Time);
  void raiseWarp(uint32_t Warp, uint64_t Time);
  void raiseThread(uint32_t Thread, uint64_t Time);
  friend Joined join(Hold<BlockView> &To, const Hold<BlockView> &O);

private:
  struct Difference {
    bool Mine = false, Theirs = false; ///< May know more.
  };
  Difference compare(const BlockView &O) const;
  void learn(const BlockView &O);
  /// Forgets what coarser times say as well.
  void prune();
  uint64_t coarse(uint32_t Warp) const;

  uint64_t All = 0;
  std::vector<uint64_t> Warps;   ///< By number; may be short.
  std::vector<uint64_t> Threads; ///< The same, of whole warps; 0: nothing.
};

/// Views, or tables of them, by number; short if the last are empty.
template <typename T> struct ViewTable : Held {
  std::vector<Hold<T>> Of;
};

/// How many warps of views, and entries of tables, this thread has joined: the
/// same on every machine.
uint64_t joinedRows();

class RaceClock {
public:
  bool empty() const { return !Blocks; }
  /// Is it known to be the same, with no look at it?
  bool sharesWith(const RaceClock &O) const { return Blocks == O.Blocks; }
  void clear() { Blocks = {}; }
  uint64_t time(uint32_t Block, uint32_t Thread) const;
  void raiseAll(uint32_t Block, uint64_t Time) { of(Block).raiseAll(Time); }
  void raiseWarp(uint32_t Block, uint32_t Warp, uint64_t Time) {
    of(Block).raiseWarp(Warp, Time);
  }
  void raiseThread(uint32_t Block, uint32_t Thread, uint64_t Time);
  void join(const RaceClock &O);
  /// Learns what \p O knows of one block.
  void joinBlock(uint32_t Block, const RaceClock &O);

private:
  static constexpr uint32_t TableSize = 64;
  using Table = ViewTable<BlockView>;

  const Hold<BlockView> *slot(uint32_t Block) const;
  Hold<BlockView> &ownSlot(uint32_t Block);
  BlockView &of(uint32_t Block) { return ownSlot(Block).own(); }

  Hold<ViewTable<Table>> Blocks; ///< By number / TableSize, and the rest of it.
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_RACECLOCK_H
