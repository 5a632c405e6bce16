//===- Decoder.h - State of the decoder -------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The class that Decode.cpp (operands, arithmetic), DecodeMemory.cpp and
// DecodeControl.cpp implement together. Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_DECODER_H
#define GEVO_RUNTIME_GPU_EXEC_DECODER_H

#include "runtime/gpu/exec/Decode.h"
#include "runtime/gpu/exec/Isa.h"
#include "runtime/gpu/ptx/Cfg.h"

#include <map>
#include <string>

namespace gevo::gpu {

class Decoder {
public:
  Decoder(const ptx::Function &F, DecodeContext &Context);
  Result<std::unique_ptr<Code>> run();

private:
  /// How closely a register must fit the type of its operand.
  enum class Fit { Exact, AtLeast };

  // Decode.cpp: operands.
  void fail(std::string Message);
  bool failed() const { return Failed; }
  void assignRows();
  void layOutFrame();
  uint32_t rowBytes(uint32_t Reg) const;
  uint32_t regSlot(uint32_t Reg) const;
  uint32_t constSlot(uint64_t Bits, unsigned TypeBits);
  uint32_t predConst(bool Value);
  uint64_t immediate(const ptx::Operand &O, ptx::Mod Type);
  bool checkRegister(uint32_t Reg, ptx::Mod Type, Fit How);
  uint32_t dst(const ptx::Operand &O, ptx::Mod Type, Fit How = Fit::Exact);
  uint32_t src(const ptx::Operand &O, ptx::Mod Type, Fit How = Fit::Exact);
  uint32_t predSrc(const ptx::Operand &O, bool &Negated);
  uint32_t predDst(const ptx::Operand &O);
  uint32_t pairDst(uint32_t Reg);
  bool symbolValue(uint32_t Sym, int64_t Offset, uint64_t &Value);
  bool frameOffset(uint32_t Sym, uint32_t &Offset) const;

  bool has(ptx::Mod M) const { return F.has(*PI, M); }
  ptx::Mod nth(ptx::ModClass C, unsigned N = 0) const {
    return F.nth(*PI, C, N);
  }
  OpDesc describe() const;
  void take(Handler H);

  // Decode.cpp: families.
  void decodeOne();
  void decodeArith();
  void decodeInteger();
  void decodeLogic();
  void decodeFloat();
  void decodeCompare();
  void decodeConvert();
  void decodeMove();
  void decodeMov();
  void decodeCvta();
  void decodeIsspacep();

  // DecodeVideo.cpp
  void decodeVideo();
  int64_t partSelect(const ptx::Operand &O, unsigned Lanes, bool Mask);

  // DecodeMemory.cpp
  void decodeMemory();
  void decodeAddress(const ptx::Operand &O, ptx::Space Where);
  void decodeLoadStore();
  void decodeAtomic();
  uint32_t vectorSlots(const ptx::Operand &O, ptx::Mod Type, bool Dst,
                       unsigned &Row);
  ptx::Space spaceOf() const;

  // DecodeAsync.cpp
  void decodeCopy();
  void decodeMbarrier();

  // DecodeControl.cpp
  void decodeSync();
  void decodeBarrier(unsigned FirstOperand, bool Aligned);
  void decodeWarp();
  void decodeControl();
  void decodeCall();
  bool callPiece(const ptx::Operand &O, uint32_t Bytes, CallInfo::Piece &P,
                 bool Result);
  uint32_t reconvergence(uint32_t Pc) const;
  void reserveStack();
  std::vector<CallInfo::RowRange> rowsOf(std::vector<uint32_t> List) const;

  const ptx::Function &F;
  DecodeContext &X;
  const ptx::Module &M;
  const Isa &Handlers;
  ptx::Cfg Graph;
  std::unique_ptr<Code> Out;
  const ptx::Instruction *PI = nullptr;
  const ptx::Operand *Ops = nullptr;
  uint32_t Pc = 0;
  Inst I;
  std::vector<uint32_t> Rows; ///< By register: offset, or NoSlot.
  std::unordered_map<uint32_t, uint32_t> FrameOffsets; ///< By symbol.
  std::map<std::pair<uint64_t, unsigned>, uint32_t> ConstRows;
  uint32_t CopyRow = NoSlot; ///< Of the data of cp.async, if there is any.
  bool Failed = false;
  Diagnostic Error;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_DECODER_H
