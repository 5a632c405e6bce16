//===- Isa.h - Choosing the handlers of instructions ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handlers are compiled more than once, for different instruction sets of
// the host; Isa is one such set. All sets compute the same bits. The decoder
// describes an instruction by an OpDesc and gets the handler for it, or null
// if the combination of types and modifiers does not exist.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_ISA_H
#define GEVO_RUNTIME_GPU_EXEC_ISA_H

#include "runtime/gpu/exec/Code.h"

namespace gevo::gpu {

/// How results are rounded; None is to nearest even where rounding applies.
enum class Rounding : uint8_t { None, Nearest, Zero, Down, Up, NearestAway };

/// The decoder repeats these in Inst::Imm for float instructions, and the
/// rounding in Inst::Sub, for handlers that look at them when they run.
enum ArithFlags : int64_t {
  ArithFtz = 1,
  ArithSat = 2,
  ArithRelu = 4,
  ArithNan = 8,
  ArithXorSign = 16
};

/// Inst::Imm of a video instruction: who is signed or negated, how the result
/// is finished, and which parts of the operands are meant. A part is a nibble
/// of digits for each lane, from the bits named here on, or VideoWhole.
enum VideoFlags : int64_t {
  VideoSignedD = 1,
  VideoSignedA = 2,
  VideoSignedB = 4,
  VideoSat = 8,
  VideoNegAB = 16,
  VideoNegC = 32,
  VideoPlusOne = 64,
  VideoWrap = 128,
  VideoAdd = 256,
  VideoMin = 512,
  VideoMax = 1024,
  VideoShr7 = 2048,
  VideoShr15 = 4096
};
constexpr unsigned VideoPartD = 16, VideoPartA = 32, VideoPartB = 48;
/// Scalar parts: the digit, 4 more for halves, or the whole register.
constexpr unsigned VideoHalf = 4, VideoWhole = 8;

/// An instruction without its operands.
struct OpDesc {
  ptx::Opcode Op = ptx::Opcode::None;
  ptx::Mod Type = ptx::Mod::None;
  ptx::Mod Type2 = ptx::Mod::None; ///< Source type of cvt, set, slct.
  Rounding Round = Rounding::None;
  bool RoundToInteger = false; ///< cvt.rni and the like.
  bool Ftz = false;
  bool Sat = false;
  bool SatFinite = false;
  bool Relu = false;
  bool Approx = false;
  bool Full = false;
  bool Hi = false;
  bool Wide = false;
  bool CarryOut = false;
  bool Nan = false;
  bool XorSign = false;
  bool Clamp = false; ///< Shifts: clamp instead of wrap.
  bool Left = false;  ///< shf.l
  bool ShiftAmount = false;
  ptx::Mod Compare = ptx::Mod::None;
  ptx::Mod Combine = ptx::Mod::None; ///< Operation of setp, atom, redux.
  ptx::Mod Word = ptx::Mod::None;    ///< prmt mode, testp class, shfl mode.
  /// Lane bytes of operand rows, where they may differ from the type's.
  unsigned DstRow = 4;
  unsigned SrcRow = 4;
  bool HasDst = true;  ///< red and sinks have none.
  bool Vector = false; ///< ld and st of several elements; mov packs.
};

/// One compiled set of handlers.
struct Isa {
  Handler (*Arith)(const OpDesc &D);
  Handler (*Integer)(const OpDesc &D);
  Handler (*Video)(const OpDesc &D);
  Handler (*Logic)(const OpDesc &D);
  Handler (*Float)(const OpDesc &D);
  Handler (*Compare)(const OpDesc &D);
  Handler (*Move)(const OpDesc &D);
  Handler (*Convert)(const OpDesc &D);
  Handler (*Memory)(const OpDesc &D);
  Handler (*Atomic)(const OpDesc &D);
  Handler (*Async)(const OpDesc &D);
  Handler (*Warp)(const OpDesc &D);
};

/// The best set for this machine, or the portable one if \p Portable.
const Isa &selectIsa(bool Portable = false);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_ISA_H
