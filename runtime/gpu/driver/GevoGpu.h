//===- GevoGpu.h - What the embedded GPU adds to the driver API -*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What NVIDIA's library has no word for: checks and what they found, limits,
// counters and the model of the GPU. A program looks these symbols up in the
// driver library that it opened and uses them where they exist. This is a C
// header.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_GEVOGPU_H
#define GEVO_RUNTIME_GPU_DRIVER_GEVOGPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All functions return a CUresult as an int. Those about a context mean the
   current one of the calling thread. */

/* The version of this interface; it grows with every addition. */
int gevoGpuVersion(int *Version);

/* Shows device 0 as another model ("V100"). Only while there is no context. */
int gevoGpuSelectModel(const char *Name);

/* Writes the name of the model of the device with that ordinal. */
int gevoGpuGetModel(char *Name, size_t Size, int Ordinal);

/* Switches checks: "all", "bounds", "none", or families of checks separated by
   commas (bounds, align, race, uninit, barrier, shuffle, atomic). Without a
   current context the choice is for contexts made later. */
int gevoGpuSetChecks(const char *Names);

/* Switches the model of time on (1) or off (0), which is faster. Without a
   current context the choice is for contexts made later. */
int gevoGpuSetTiming(int On);

/* Ends launches after that many warp instructions; 0 means never. Without a
   current context the choice is for contexts made later. */
int gevoGpuSetStepLimit(uint64_t WarpInstructions);

/* Where findings are printed: "stderr", "none", or a file name. */
int gevoGpuSetFindingsTarget(const char *Target);

/* Writes what was found since the last gevoGpuClear as a JSON array, ended by a
   nul. *Needed gets the size of all of it, nul included; a buffer that is too
   small (or null) gets nothing. */
int gevoGpuGetFindings(char *Buffer, size_t Size, size_t *Needed);

/* Forgets findings, and the error that a failed launch left. */
int gevoGpuClear(void);

/* What the last launch executed. */
typedef struct GevoGpuCounters {
  uint64_t WarpInstructions;
  uint64_t ThreadInstructions;
  uint64_t Branches;
  uint64_t DivergentBranches;
  uint64_t Barriers;
  uint64_t GlobalLoads;
  uint64_t GlobalStores;
  uint64_t SharedLoads;
  uint64_t SharedStores;
  uint64_t Atomics;
  uint64_t Blocks;
  double Microseconds; /* on the model's clock, or a bound without it */
  uint64_t Cycles;     /* on the model's clock, or 0 without it */
} GevoGpuCounters;

/* Size is sizeof(GevoGpuCounters) of the caller. */
int gevoGpuGetCounters(GevoGpuCounters *Counters, size_t Size);

/* Keeps a line for the report of gevo-run: what it is about ("missing",
   "problem", "substituted") and the text. Without such a report nothing
   happens. */
int gevoGpuNote(const char *Kind, const char *Text);

#ifdef __cplusplus
}
#endif

#endif /* GEVO_RUNTIME_GPU_DRIVER_GEVOGPU_H */
