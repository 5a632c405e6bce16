//===- Recorder.h - Writing traces ------------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the addresses of a memory instruction into an entry of the trace. What
// an instruction did the last time is remembered relative to its first active
// lane; if the lanes stand to each other as they did then, which is so for
// nearly all accesses, bank conflicts and sectors are those of the last time
// and only the place is new. The comparison is in Access.h, where it is
// compiled for the host's vector instructions.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_RECORDER_H
#define GEVO_RUNTIME_GPU_EXEC_RECORDER_H

#include "runtime/gpu/exec/Launch.h"
#include "runtime/gpu/exec/Polling.h"
#include "runtime/gpu/exec/SlowAccess.h"
#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/exec/Warp.h"

namespace gevo::gpu {

/// What an instruction did the last time.
struct AccessMemo {
  alignas(64) uint64_t Delta[WarpSize] = {}; ///< To the address of Lead.
  uint64_t Least = 0, Most = 0;              ///< Of Delta, as signed numbers.
  uint64_t DeltaBits = 0;                    ///< All bits that are set in it.
  uint32_t Mask = 0;                         ///< 0: nothing is remembered.
  uint8_t Lead = 0;                          ///< The first active lane.
  uint8_t AlignMask = 0;                     ///< Bits of Lead's address that
  uint8_t Align = 0;                         ///< decide, and what they were.
  uint8_t Width = 0; ///< Of a lane's access, if it is wider than in PTX.
  TraceAccess Access;
  /// To be added to the line of Lead's address.
  std::vector<uint64_t> Lines;
};

/// The memory of a launch's instructions, and the table of its runs.
class Recorder {
public:
  /// A launch whose runs are all different starts a new table after
  /// PieceBytes; the old one goes with the last block that points to it.
  Recorder(const KernelCode &Code, const LaunchOptions &O);

  AccessMemo &memo(uint32_t Function, uint32_t Pc) {
    return Memos[Function][Pc];
  }
  /// For the next piece of a trace: a new table if the old one got large.
  const std::shared_ptr<TraceTable> &table();
  PollRecord &polls() { return Polls; }

private:
  std::vector<std::vector<AccessMemo>> Memos;
  uint64_t TableBytes;
  std::shared_ptr<TraceTable> Table;
  PollRecord Polls;
};

/// Counts the access of the current instruction of \p W as \p M has it, and
/// writes it if \p W is traced, with the lead lane at host address \p Lead.
void recordAgain(Warp &W, const AccessMemo &M, uint64_t Lead);

/// The same for an access from its host pointers, which \p M remembers.
void recordAccess(Warp &W, AccessMemo &M, uint32_t Mask,
                  const uint64_t (&A)[WarpSize], uint32_t Bytes,
                  AccessKind Kind, TraceSpace Space);

/// Writes an access that the clock never asks for.
inline void recordNothing(Warp &W) {
  if (W.Trace)
    W.Recorded.emplace_back();
}

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_RECORDER_H
