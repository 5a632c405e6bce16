//===- DecodeAsync.cpp - cp.async and mbarrier ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy in the background is made at once: what the program may observe after
// it waited is the same. Waiting for copies is then nothing to do.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Decoder.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::ModClass;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;

namespace {
constexpr uint32_t WarpLanes = 32;
}

/// cp.async [to], [from], size {, source size or predicate} {, policy}
void Decoder::decodeCopy() {
  OpDesc D;
  D.Op = PI->Op;
  unsigned Hint = has(Mod::L2CacheHint);
  int64_t Size = Ops[2].Kind == OperandKind::Integer ? Ops[2].Value : 0;
  if ((Size != 4 && Size != 8 && Size != 16) || (has(Mod::Cg) && Size != 16)) {
    fail("cp.async.ca copies 4, 8 or 16 bytes, cp.async.cg 16");
    return;
  }
  bool Fourth = PI->NumOperands == 4 + Hint;
  if (PI->NumOperands != 3 + Hint && !Fourth) {
    fail("wrong number of operands for this copy");
    return;
  }
  I.Kind = InstKind::Memory;
  I.Bytes = uint8_t(Size);
  decodeAddress(Ops[1], Space::Global);
  Out->Sources.push_back(I);
  decodeAddress(Ops[0], Space::Shared);
  I.Reconverge = uint32_t(Out->Sources.size() - 1);
  // The data goes through a register of 128 bits, as a store's would.
  if (CopyRow == NoSlot) {
    CopyRow = Out->FrameBytes;
    Out->FrameBytes += 16 * WarpLanes;
  }
  I.B = CopyRow | RegBase;
  I.Target = 8;
  if (Fourth) {
    const ptx::Operand &O = Ops[3];
    bool Predicate = O.Kind == OperandKind::Register &&
                     F.Registers[O.Index].Type == Mod::Pred;
    I.Sub = Predicate ? 2 : 1;
    bool Negated = false;
    I.C = Predicate ? predSrc(O, Negated) : src(O, Mod::U32);
    I.Flags |= Negated ? FlagNegateC : 0;
  }
  take(Handlers.Async(D));
}

/// The operations on a barrier in shared memory; they are atomic.
void Decoder::decodeMbarrier() {
  OpDesc D;
  D.Op = PI->Op;
  I.Kind = InstKind::Memory;
  I.Bytes = 8;
  bool Waits =
      PI->Op == Opcode::MbarrierTestWait || PI->Op == Opcode::MbarrierTryWait;
  bool Arrives =
      PI->Op == Opcode::MbarrierArrive || PI->Op == Opcode::MbarrierArriveDrop;
  unsigned At = Waits || Arrives ? 1 : 0;
  bool Begins = PI->Op == Opcode::MbarrierInit;
  bool Ends = PI->Op == Opcode::MbarrierInval;
  if (!Begins)
    I.Flags |= FlagStrong;
  if (Waits)
    I.Flags |= FlagSpin;
  if (!Begins && !Ends && !has(Mod::Relaxed))
    I.Flags |= Waits ? FlagAcquire : FlagReleaseOrder;
  decodeAddress(Ops[At], spaceOf());
  if (Waits) {
    I.D = dst(Ops[0], Mod::Pred);
    I.Sub = has(Mod::Parity);
    I.B = src(Ops[2], has(Mod::Parity) ? Mod::U32 : Mod::B64);
    if (PI->NumOperands > 3)
      src(Ops[3], Mod::U32); // How long to wait is a hint.
  } else {
    if (Arrives && Ops[0].Kind != OperandKind::Sink)
      I.D = dst(Ops[0], Mod::B64);
    bool Expects = has(Mod::ExpectTx) || PI->Op == Opcode::MbarrierExpectTx;
    I.Sub = Expects ? 1 : has(Mod::Noinc) ? 2 : 0;
    bool Counts = PI->NumOperands > At + 1;
    if (Arrives && !Counts && (Expects || has(Mod::NoComplete)))
      fail("this operation on a barrier takes a count");
    I.B = Counts ? src(Ops[At + 1], Mod::U32) : constSlot(1, 32);
  }
  take(Handlers.Async(D));
}
