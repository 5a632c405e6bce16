//===- Polling.cpp - What threads wait for, in traces ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Polling.h"
#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Decode.h"
#include "runtime/gpu/exec/Recorder.h"
#include "runtime/gpu/ptx/PollLoops.h"

#include <algorithm>
#include <cstring>

using namespace gevo::gpu;
using ptx::Opcode;

namespace {

constexpr uint32_t WordBytes = 4;
/// A launch with more than this many writes to keep in mind leaves out the
/// later ones, so that memory stays bounded.
constexpr uint32_t MaxEvents = uint32_t(1) << 24;

/// Stores to one word that are told apart.
constexpr size_t MaxStores = 256;

/// Names a word of global memory, or of the shared memory of a block.
uint64_t wordKey(uint64_t Address) { return Address / WordBytes; }
uint64_t wordKey(uint64_t Block, uint64_t Offset) {
  return uint64_t(1) << 63 | Block << 20 | Offset / WordBytes;
}
size_t lineBit(uint64_t Key) {
  return (Key >> 5) * 0x9e3779b97f4a7c15ull >> 48;
}

bool isWrite(const ptx::Instruction &I) {
  switch (I.Op) {
  case Opcode::Ld:
  case Opcode::Ldu:
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTryWait:
    return false;
  default:
    return tracesAccess(I);
  }
}

uint64_t addressOf(const Warp &W, const Inst &I, unsigned Lane) {
  uint64_t Imm = uint64_t(I.Imm);
  switch (I.Base) {
  case BaseKind::Row64:
    return W.row<uint64_t>(I.A)[Lane] + Imm;
  case BaseKind::Row32:
    return uint32_t(W.row<uint32_t>(I.A)[Lane] + uint32_t(Imm));
  default:
    return Imm;
  }
}

/// Where lane \p Lane accesses memory; \p Host is for after it did.
PollRecord::Place placeOf(const Warp &W, const Inst &I, unsigned Lane,
                          const char *&Host) {
  uint64_t A = addressOf(W, I, Lane);
  uint32_t Bytes = uint32_t(I.Bytes) * I.Count;
  uint32_t Words = std::max(1u, Bytes / WordBytes);
  ptx::Space Where = I.Where;
  if (Where == ptx::Space::Generic && (A & WindowMask) == SharedWindow) {
    Where = ptx::Space::Shared;
    A -= SharedWindow;
  }
  if (Where == ptx::Space::Shared) {
    Host = W.Owner.shared(A, Bytes);
    return {wordKey(W.Owner.Index, A), Host ? Words : 0};
  }
  if ((Where != ptx::Space::Generic && Where != ptx::Space::Global) ||
      I.Base == BaseKind::Frame || (A & WindowMask))
    return {};
  Host = reinterpret_cast<const char *>(A);
  return {wordKey(A), Words};
}

/// Did atomic operation \p I of lane \p Lane leave the word at \p Host as it
/// was? Then it only read it.
bool isUnchanged(const Warp &W, const Inst &I, unsigned Lane,
                 const char *Host) {
  if (I.D == NoSlot || I.Count != 1)
    return false;
  if (I.Bytes == 4)
    return !std::memcmp(W.row<uint32_t>(I.D) + Lane, Host, 4);
  return I.Bytes == 8 && !std::memcmp(W.row<uint64_t>(I.D) + Lane, Host, 8);
}

} // namespace

void gevo::gpu::markPollLoops(Code &C, const ptx::Cfg &Graph) {
  // Nearly all functions end here.
  bool May = false;
  for (const Inst &I : C.Insts)
    May |= (I.Flags & FlagSpin) && I.Kind == InstKind::Memory;
  for (const ptx::Instruction &I : C.Source->Code)
    May |= I.Op == Opcode::Membar || I.Op == Opcode::Fence;
  if (!May)
    return;
  for (const ptx::PollLoop &L : ptx::findPollLoops(*C.Source, Graph)) {
    C.Insts[L.Back].Polling |= PollAgain;
    for (uint32_t K : L.Polls)
      C.Insts[K].Polling |= PollRead;
  }
}

void gevo::gpu::markPollWrites(KernelCode &K) {
  bool Polls = false;
  for (const auto &C : K.Functions)
    for (const Inst &I : C->Insts)
      Polls |= I.Polling != 0;
  if (!Polls)
    return;
  for (auto &C : K.Functions)
    for (size_t N = 0; N < C->Insts.size(); ++N)
      if (isWrite(C->Source->Code[N]))
        C->Insts[N].Polling |= PollWrite;
}

PollRecord::Word *PollRecord::find(uint64_t Key) {
  if (!Lines.test(lineBit(Key)))
    return nullptr;
  auto It = Words.find(Key);
  return It == Words.end() ? nullptr : &It->second;
}

PollRecord::Word &PollRecord::at(uint64_t Key) {
  Lines.set(lineBit(Key));
  return Words[Key];
}

/// What \p A read was written by earlier events.
void PollRecord::await(const Access &A, WarpTrace &Trace, TraceOrder &Order) {
  Order.Polls = true;
  for (const Place &P : A.Read)
    for (uint32_t K = 0; K < P.Words; ++K) {
      const Word *W = find(P.Key + K);
      // Whether a lock is free is decided by who takes it; and a warp's own
      // writes are done for it in order.
      if (!W || !W->Event || W->Lock || (W->Writer == A.Warp && !W->Combined))
        continue;
      Trace.After.push_back(seenBy(A, *W));
    }
}

/// The write by which \p A can have got through.
uint32_t PollRecord::seenBy(const Access &A, const Word &W) {
  if (W.Combined || W.Stores.empty())
    return W.Event;
  auto It = std::upper_bound(W.Stores.begin(), W.Stores.end(), A.Failed);
  return It == W.Stores.end() ? W.Stores.front() : *It;
}

/// Does \p A take a lock? One lane alone: lanes that take several at once
/// would wait for each other.
bool PollRecord::lock(const Access &A, TraceOrder &Order) {
  if (!A.Reads || !A.MayLock || A.Wrote.size() != 1)
    return false;
  Word &W = at(A.Wrote[0].Key);
  if (W.Holder || !W.Free)
    return false;
  if (!W.Lock)
    W.Lock = ++NumLocks;
  W.Holder = A.Warp;
  W.Free = false;
  Order.Lock = W.Lock;
  Order.Polls = true;
  return true;
}

void PollRecord::write(const Access &A, WarpTrace &Trace, TraceOrder &Order) {
  for (const Place &P : A.Wrote)
    for (uint32_t K = 0; K < P.Words; ++K) {
      uint64_t Key = P.Key + K;
      Word *W = A.Strong || A.Reads ? &at(Key) : find(Key);
      if (!W)
        continue;
      if (!Order.Event && NumEvents < MaxEvents)
        Order.Event = ++NumEvents;
      bool Own = W->Event == Order.Event; // Another lane of the same access.
      if (A.Combines && W->Event && !Own)
        Trace.After.push_back(W->Event);
      W->Free = W->Holder == A.Warp;
      if (W->Holder) {
        Order.Lock = W->Lock;
        Order.Releases = true;
        W->Holder = 0;
      }
      W->Event = Order.Event;
      if (!A.Combines && !Own && W->Stores.size() < MaxStores)
        W->Stores.push_back(Order.Event);
      W->Writer = A.Warp;
      W->Combined = A.Combines;
    }
}

void PollRecord::note(const Access &A, uint32_t Index, WarpTrace &Trace) {
  TraceOrder Order;
  Order.Run = uint32_t(Trace.Runs.size());
  Order.Access = Index;
  Order.FirstAfter = uint32_t(Trace.After.size());
  if (!lock(A, Order)) {
    if (A.Reads)
      await(A, Trace, Order);
    write(A, Trace, Order);
  }
  auto First = Trace.After.begin() + Order.FirstAfter;
  std::sort(First, Trace.After.end());
  Trace.After.erase(std::unique(First, Trace.After.end()), Trace.After.end());
  Order.NumAfter = uint32_t(Trace.After.size()) - Order.FirstAfter;
  if (Order.Event || Order.Lock || (Order.Polls && Order.NumAfter))
    Trace.Orders.push_back(Order);
}

void Warp::setWaiting(bool Now) {
  Owner.G.Waiting += uint64_t(Now) - uint64_t(Waiting);
  Waiting = Now;
}

/// Is \p I, of split \p S, a write after a poll, while others wait? They may
/// wait for what this warp saw, and have to see it before it is another value:
/// what a barrier of the grid waits for is not the next arrival of the first
/// who passed.
bool Warp::overtakes(Split &S, const Inst &I) {
  if (I.Polling & PollRead) {
    S.SawPoll = true;
    return false;
  }
  setWaiting(false);
  if (!S.SawPoll)
    return false;
  S.SawPoll = false;
  return Overtakes = Owner.G.Waiting != 0;
}

/// Executes \p I, which polls or writes what may be polled.
void Warp::polledAccess(const Inst &I, uint32_t Mask) {
  PollRecord::Place Places[WarpSize];
  const char *Hosts[WarpSize] = {};
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    Places[L] = placeOf(*this, I, L, Hosts[L]);
  }
  uint32_t Record = uint32_t(Recorded.size());
  I.Fn(*this, I, Mask);
  if (Faulted)
    return;
  const ptx::Instruction &Source = Current->Fn->Source->Code[Pc];
  bool Atomic = Source.Op == Opcode::Atom;
  PollRecord::Access A;
  A.Warp = Owner.Index * Owner.Warps.size() + Index + 1;
  A.Failed = Waiting ? FailedAt : 0;
  A.Reads = I.Polling & PollRead;
  A.Combines = I.Polling & PollWrite && Source.Op != Opcode::St &&
               Source.Op != Opcode::CpAsync &&
               Source.Op != Opcode::MbarrierInit;
  A.Strong = I.Flags & FlagStrong;
  ptx::Mod Op = Atomic ? ptx::Mod(I.Sub) : ptx::Mod::None;
  A.MayLock = Op == ptx::Mod::Cas || Op == ptx::Mod::Exch;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    if (!Places[L].Words)
      continue;
    if ((I.Polling & PollWrite) &&
        !(Atomic && isUnchanged(*this, I, L, Hosts[L])))
      A.Wrote.push_back(Places[L]);
    if (A.Reads)
      A.Read.push_back(Places[L]);
  }
  if (!A.Wrote.empty())
    LastWrite = {uint32_t(Trace->Runs.size()) + 1, Pc};
  Owner.G.Traces->polls().note(A, Record, *Trace);
}

/// Can instructions [\p Begin, \p End) have been no more than a wait?
bool Warp::isIdle(uint32_t Begin, uint32_t End) const {
  const std::vector<Inst> &Insts = Current->Fn->Insts;
  return std::all_of(
      Insts.begin() + Begin, Insts.begin() + End, [](const Inst &I) {
        return I.Kind == InstKind::Plain || I.Kind == InstKind::Double ||
               I.Kind == InstKind::Special || I.Kind == InstKind::Memory ||
               I.Kind == InstKind::Nop || I.Kind == InstKind::Branch ||
               I.Kind == InstKind::WarpSync;
      });
}

/// The branch before \p End goes round to \p Target in a loop that polls; the
/// open run starts at \p Begin. Takes the iteration out of the trace if it
/// wrote nothing, otherwise ends the run as any other.
void Warp::endPoll(uint32_t Begin, uint32_t Target, uint32_t End,
                   uint32_t Mask) {
  FailedAt = Owner.G.Traces->polls().events();
  // The run in which the iteration started, the open one being the last.
  size_t Run = Trace->Runs.size();
  uint32_t First = Begin, Lines = RunLines;
  bool Idle = isIdle(std::max(Begin, Target), End);
  while (Idle && First > Target) {
    if (Run == 0)
      break;
    const TraceRun &R = *Trace->Runs[--Run];
    Lines -= R.NumLines;
    First = R.Begin;
    Idle = R.Function == Current->Function && R.Mask == Mask &&
           R.Begin + R.Count > Target && R.Begin + R.Count <= End &&
           isIdle(std::max(First, Target), R.Begin + R.Count);
  }
  bool Wrote = LastWrite.Run > Run + 1 ||
               (LastWrite.Run == Run + 1 && LastWrite.Pc >= Target);
  if (!Idle || First > Target || Wrote)
    return flushRun(Begin, End, Mask);
  if (Run < Trace->Runs.size()) {
    Recorded = Trace->Runs[Run]->Accesses;
    Trace->Runs.resize(Run);
  }
  // What comes before the loop stays.
  auto From = Current->Fn->Insts.begin();
  auto Kept = std::count_if(From + First, From + Target, [](const Inst &I) {
    return I.Kind == InstKind::Memory;
  });
  Recorded.resize(size_t(Kept));
  for (const TraceAccess &A : Recorded)
    Lines += A.NumLines;
  Trace->Lines.resize(Lines);
  std::vector<TraceOrder> &Orders = Trace->Orders;
  while (!Orders.empty() &&
         (Orders.back().Run > Run ||
          (Orders.back().Run == Run && Orders.back().Access >= Kept)))
    Orders.pop_back();
  flushRun(First, Target, Mask);
}
