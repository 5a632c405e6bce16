//===- SassMerged.cpp - Accesses that the assembler made of several -------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses next to each other, at places whose alignment the assembler knows,
// become one:
//
//   ld.shared.f32 %f1, [%r1];            LDS.U.128 R4, [R10.X16]
//   ld.shared.f32 %f2, [%r1+4];    ->
//   ld.shared.f32 %f3, [%r1+8];
//   ld.shared.f32 %f4, [%r1+12];
//
// It has the line of one of them, and the others have no machine code. What it
// does to memory is what the one does, but wider. Copies of one PTX instruction
// that were merged after its loop was unrolled are something else: the trace
// has each of them.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/Sass.h"
#include "runtime/gpu/timing/SassKinds.h"

#include <cstdlib>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
using ptx::Mod;
using ptx::ModClass;

unsigned gevo::gpu::timing::bytesOf(const ptx::Function &F,
                                    const ptx::Instruction &I) {
  Mod Vector = F.nth(I, ModClass::Vector);
  unsigned Count = Vector == Mod::V2   ? 2
                   : Vector == Mod::V4 ? 4
                   : Vector == Mod::V8 ? 8
                                       : 1;
  return Count * ptx::typeBits(F.nth(I, ModClass::Type)) / 8;
}

namespace {

bool isPlain(const ptx::Instruction &I) {
  return I.Op == ptx::Opcode::Ld || I.Op == ptx::Opcode::St;
}

/// Is \p B an access like \p A, less than \p Bytes away from it?
bool isNear(const ptx::Function &F, const ptx::Instruction &A,
            const ptx::Instruction &B, unsigned Bytes) {
  if (A.Op != B.Op || A.Guard != B.Guard ||
      F.nth(A, ModClass::Space) != F.nth(B, ModClass::Space))
    return false;
  unsigned Address = A.Op == ptx::Opcode::St ? 0 : 1;
  const ptx::Operand &X = F.operands(A)[Address], &Y = F.operands(B)[Address];
  return X.Kind == Y.Kind && X.Base == Y.Base && X.Index == Y.Index &&
         std::llabs(X.Value - Y.Value) < (long long)Bytes;
}

} // namespace

void gevo::gpu::timing::findMerged(const ptx::Function &F, const SassListing &L,
                                   SassFunction &Code) {
  std::vector<bool> Issued(F.Code.size());
  for (const std::vector<SassOp> &Ops : Code)
    for (const SassOp &Op : Ops)
      if (Op.What == SassOp::Access)
        Issued[Op.Instruction] = true;
  auto HasPartner = [&](uint32_t K, unsigned Bytes) {
    auto IsOne = [&](uint32_t J) {
      return !Issued[J] && isPlain(F.Code[J]) &&
             isNear(F, F.Code[K], F.Code[J], Bytes);
    };
    for (uint32_t J = K; J-- && !endsRegion(F.Code[J]);)
      if (IsOne(J))
        return true;
    for (uint32_t J = K + 1; J < F.Code.size() && !endsRegion(F.Code[J]); ++J)
      if (IsOne(J))
        return true;
    return false;
  };
  for (std::vector<SassOp> &Ops : Code)
    for (SassOp &Op : Ops) {
      if (Op.What != SassOp::Access || !isPlain(F.Code[Op.Instruction]))
        continue;
      unsigned Bytes = accessBytes(L.Code[Op.Place].Opcode);
      if (Bytes > bytesOf(F, F.Code[Op.Instruction]) &&
          HasPartner(Op.Instruction, Bytes))
        Op.Bytes = uint8_t(Bytes);
    }
}
