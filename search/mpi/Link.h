//===- Link.h - Messages between ranks --------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search needs of MPI, as a table of functions: libGevoMPI.so has it,
// and is opened only by a process that mpirun started. So gevo-search itself
// needs no MPI.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_MPI_LINK_H
#define GEVO_SEARCH_MPI_LINK_H

#include <cstddef>

extern "C" {

/// All return 0 unless they say otherwise; what fails is of another version, or
/// the other side is gone.
struct GevoMpiLink {
  /// First of all. \p Rank and \p Size get what MPI says.
  int (*Begin)(int *Rank, int *Size);
  /// Copies \p Data and does not wait for its arrival.
  int (*Send)(int To, const char *Data, size_t Size);
  /// The size of the next message that is here as a whole and who sent it, or
  /// -1 if there is none. Messages of one sender keep their order, so that one
  /// that fails or never comes to an end is the last of it; it holds up no
  /// other sender's.
  long (*Peek)(int *From);
  /// Takes the message that Peek told of.
  int (*Take)(int From, char *Data, size_t Size);
  /// Last of all, on every rank.
  void (*End)();
};

const GevoMpiLink *gevoMpiLink();
}

#endif // GEVO_SEARCH_MPI_LINK_H
