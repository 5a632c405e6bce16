//===- Code.h - Decoded instructions ----------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the decoder makes of a kernel and the functions it can call: an array of
// instructions with a handler each, operands resolved to rows of 32 lanes, and
// branch targets with their reconvergence points. Instruction numbers are those
// of the parsed function.
//
// An operand is a slot: a byte offset into one of three bases of the running
// warp (registers of the frame, constants of the function, special registers)
// with the number of the base in its low bits. A register of up to 32 bits is a
// row of 32 four-byte lanes, a 64-bit register a row of eight-byte lanes, a
// 128-bit register two such rows, a predicate one word with a bit per lane.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_CODE_H
#define GEVO_RUNTIME_GPU_EXEC_CODE_H

#include "runtime/gpu/ptx/Module.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace gevo::gpu {

class Warp;
struct Inst;

/// Executes one instruction for the lanes of a mask that is not empty.
using Handler = void (*)(Warp &W, const Inst &I, uint32_t Mask);

/// The barrier behind barrier.cluster, after the 16 that programs number.
constexpr uint32_t ClusterBarrier = 16;
constexpr uint32_t NoSlot = ~uint32_t(0);
/// Bytes of local memory after each frame and each alloca and before a frame's
/// variables: an overrun meets them first, and recursion ends even in functions
/// without memory of their own.
constexpr uint32_t FrameGap = 16;
/// Marks of bytes of local memory; see Warp::LocalShadow.
constexpr uint8_t ShadowLive = 0x80;     ///< In a variable of a frame,
constexpr uint8_t ShadowWritten = 0x81;  ///< which was written.
constexpr uint8_t ShadowReturned = 0x40; ///< In a frame that is gone.
constexpr uint32_t NoPc = ~uint32_t(0);
/// The reconvergence point of branches whose paths meet only at the return.
constexpr uint32_t ReturnPc = NoPc - 1;
/// Bases of slots.
enum SlotBase : uint32_t { RegBase = 0, ConstBase = 1, SpecialBase = 2 };

/// How the warp's loop treats an instruction.
enum class InstKind : uint8_t {
  Plain,   ///< Call the handler, go on.
  Double,  ///< The same, by units of which a GPU has few: of doubles,
  Special, ///< and of divisions, roots and functions.
  Memory,  ///< The same, then look for faults; traced as an access.
  Nop,
  Branch,
  BranchIndexed,
  Call,
  Return,
  Exit,
  Barrier,
  Stack,    ///< alloca and the like; Sub says which.
  Clock,    ///< Reads a clock.
  WarpSync, ///< Wait for the lanes of a member mask, then call the handler.
  Trap,
  Breakpoint
};

/// Where the address of a memory instruction starts.
enum class BaseKind : uint8_t {
  Row32,   ///< A 32-bit register.
  Row64,   ///< A 64-bit register.
  Uniform, ///< Imm alone.
  Frame    ///< Imm plus the frame's place in local memory.
};

/// One decoded instruction.
struct Inst {
  Handler Fn = nullptr;
  uint32_t D = NoSlot;  ///< Destination.
  uint32_t D2 = NoSlot; ///< Second destination of pairs.
  uint32_t A = NoSlot;
  uint32_t B = NoSlot;
  uint32_t C = NoSlot;
  uint32_t E = NoSlot;
  uint32_t Guard = NoSlot; ///< Offset of a predicate in the registers.
  uint32_t Target = NoPc;  ///< Branch target; call number; lane bytes of the
                           ///< registers of ld and st.
  uint32_t Reconverge = NoPc;
  uint8_t Polling = 0; ///< Bits of PollRole; 0 in kernels that do not poll.
  int64_t Imm = 0;     ///< Address offset, lop3 table, prmt mode, ...
  InstKind Kind = InstKind::Plain;
  bool GuardNegated = false;
  ptx::Space Where = ptx::Space::Generic;
  BaseKind Base = BaseKind::Uniform;
  uint8_t Bytes = 0; ///< Of one element of a memory access.
  uint8_t Count = 1; ///< Elements of a vector access; their slots are in
                     ///< Code::VectorSlots from D (loads) or B (stores) on.
  uint8_t Flags = 0;
  uint8_t Sub = 0; ///< Operation within a handler's family.
};

/// Bits of Inst::Flags.
enum InstFlags : uint8_t {
  FlagNegateC = 1,   ///< The predicate operand C is negated.
  FlagSpin = 2,      ///< May be a wait for another thread: yield soon.
  FlagUniform = 4,   ///< bra.uni
  FlagAligned = 8,   ///< bar.sync: the whole warp must take part.
  FlagCtaScope = 8,  ///< Of memory instructions and fences: .cta
  FlagReadOnly = 16, ///< ld.global.nc
  FlagStrong = 32,   ///< Not weak: ordered accesses do not race.
  FlagAcquire = 64,  ///< Orders what follows after what was released.
  FlagReleaseOrder = 128
};

/// What an instruction does in a kernel with loops that poll.
enum PollRole : uint8_t {
  PollRead = 1,  ///< Reads what such a loop waits for.
  PollWrite = 2, ///< Writes memory that others see.
  PollAgain = 4  ///< The branch of such a loop.
};

/// A call, resolved.
struct CallInfo {
  enum Builtin : uint8_t {
    NotBuiltin,
#define BUILTIN(Name, Text) Name,
#include "runtime/gpu/ptx/Builtins.def"
  };
  Builtin Special = NotBuiltin;
  uint32_t Callee = NoPc; ///< Index of KernelCode::Functions; direct calls.
  /// An argument or result: a place in the caller's frame memory, or a slot.
  struct Piece {
    uint32_t Offset = 0;    ///< In the caller's frame memory.
    uint32_t Slot = NoSlot; ///< Or a row.
    uint32_t Bytes = 0;
  };
  std::vector<Piece> Args;
  std::vector<Piece> Results;
  /// Registers of the caller that are read after the call.
  struct RowRange {
    uint32_t Begin = 0, Bytes = 0;
  };
  std::vector<RowRange> Kept;
};

/// A variable in a space of addresses that start at 0.
struct NamedRange {
  std::string Name;
  uint64_t Begin = 0, Bytes = 0;
};

/// One function, decoded for one kernel.
struct Code {
  const ptx::Function *Source = nullptr;
  std::vector<Inst> Insts;
  std::vector<uint32_t> VectorSlots;
  std::vector<Inst> Sources;    ///< Second addresses of copies, by Reconverge.
  std::vector<uint64_t> Consts; ///< Rows of constants.
  std::vector<CallInfo> Calls;
  std::vector<std::vector<uint32_t>> TargetLists;
  uint32_t FrameBytes = 0; ///< Registers.
  uint32_t LocalBytes = 0; ///< Memory of a frame: parameters and variables.
  uint32_t ParamBytes = 0; ///< Its first part.
  std::vector<NamedRange> Variables; ///< Those, from the frame's start on.
  /// Formal parameters and results: place in the frame memory or row.
  std::vector<CallInfo::Piece> Params;
  std::vector<CallInfo::Piece> Results;
  bool HasIndirectCalls = false;
  uint32_t Pressure = 0; ///< 32-bit registers live at once.
};

/// Everything a launch of one kernel executes.
struct KernelCode {
  std::vector<std::unique_ptr<Code>> Functions; ///< The kernel first.
  /// Function addresses (see functionAddress) to indices of Functions.
  std::unordered_map<uint64_t, uint32_t> ByAddress;
  uint32_t StaticSharedBytes = 0;
  uint32_t DynamicSharedAlign = 16;
  uint32_t DynamicSharedBase = 0;
  std::vector<NamedRange> SharedVariables; ///< Static ones.
  uint32_t RegistersPerThread = 0;
  uint32_t LocalBytesPerThread = 0; ///< Without recursion and indirect calls.
  bool UnboundedStack = false;      ///< Recursion or indirect calls.
  uint64_t Specials = 0; ///< Special registers that are read, by number.
};

/// \name The generic address space
/// Windows lie above all host addresses.
/// @{
constexpr uint64_t SharedWindow = uint64_t(1) << 56;
constexpr uint64_t LocalWindow = uint64_t(2) << 56;
constexpr uint64_t ParamWindow = uint64_t(3) << 56;
constexpr uint64_t FunctionWindow = uint64_t(4) << 56;
constexpr uint64_t WindowMask = uint64_t(0xff) << 56;
inline uint64_t functionAddress(uint32_t FunctionIndex) {
  return FunctionWindow + 16 * (uint64_t(FunctionIndex) + 1);
}
/// @}

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_CODE_H
