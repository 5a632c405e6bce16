//===- IsaTable.cpp - One compiled set of handlers ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Isa.h"

namespace gevo::gpu::GEVO_ISA {

Handler pickArith(const OpDesc &D);
Handler pickIntegerOnly(const OpDesc &D);
Handler pickVideo(const OpDesc &D);
Handler pickLogic(const OpDesc &D);
Handler pickFloatOnly(const OpDesc &D);
Handler pickCompare(const OpDesc &D);
Handler pickMove(const OpDesc &D);
Handler pickConvert(const OpDesc &D);
Handler pickMemory(const OpDesc &D);
Handler pickAtomic(const OpDesc &D);
Handler pickAsync(const OpDesc &D);
Handler pickWarp(const OpDesc &D);

/// The table that selectIsa hands out for this set.
extern const Isa Table;
const Isa Table = {pickArith,     pickIntegerOnly, pickVideo, pickLogic,
                   pickFloatOnly, pickCompare,     pickMove,  pickConvert,
                   pickMemory,    pickAtomic,      pickAsync, pickWarp};

} // namespace gevo::gpu::GEVO_ISA
