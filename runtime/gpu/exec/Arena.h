//===- Arena.h - Where the memory of devices lies ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device takes its memory from one range of addresses. They have places of
// their own, the same on every run, so that addresses, and all that depends on
// them, are the same too; and an address of a device stays one for as long as
// the process lives: it never becomes one of the host.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_ARENA_H
#define GEVO_RUNTIME_GPU_EXEC_ARENA_H

#include <cstdint>

namespace gevo::gpu {

/// How far the places of arenas lie apart.
constexpr uint64_t ArenaStride = uint64_t(1) << 40;

/// Reserves \p Bytes of zeroed memory and returns its address, or 0. Calls of
/// one process get different places, in order.
uint64_t reserveArena(uint64_t Bytes);

/// Gives back the memory of reserveArena().
void releaseArena(uint64_t Base, uint64_t Bytes);

/// Whether \p Address is of an arena, or of one that was released. It is not
/// known of an arena in use that lies at none of the places.
bool isArenaAddress(uint64_t Address);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_ARENA_H
