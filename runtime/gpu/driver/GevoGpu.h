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

/* Whether instructions cost what machine code says (1, where ptxas and nvdisasm
   are there; reading a kernel takes them some tenths of a second) or what rules
   about PTX say (0). Without a current context the choice is for contexts made
   later. */
int gevoGpuSetMachineCode(int On);

/* Ends launches after that many warp instructions; 0 means never. Without a
   current context the choice is for contexts made later. */
int gevoGpuSetStepLimit(uint64_t WarpInstructions);

/* Ends launches after that many cycles of the model's clock; 0 means never.
   Without a current context the choice is for contexts made later. */
int gevoGpuSetCycleLimit(uint64_t Cycles);

/* Where findings are printed: "stderr", "none", or a file name. */
int gevoGpuSetFindingsTarget(const char *Target);

/* Writes what was found since the last gevoGpuClear as a JSON array, ended by a
   nul. *Needed gets the size of all of it, nul included; a buffer that is too
   small (or null) gets nothing. */
int gevoGpuGetFindings(char *Buffer, size_t Size, size_t *Needed);

/* Forgets findings, and the error that a failed launch left. */
int gevoGpuClear(void);

/* With On, what printf in device code prints is kept from now on, for
   gevoGpuGetPrinted, and not printed. */
int gevoGpuKeepPrinted(int On);
/* Writes what was kept, without a nul. *Needed gets its size; a buffer that is
   too small (or null) gets nothing. */
int gevoGpuGetPrinted(char *Buffer, size_t Size, size_t *Needed);

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
  uint64_t FromSass;   /* 1 if instructions cost what machine code says */
  uint64_t RaceWork;   /* accesses that the race check looked at, and clocks */
} GevoGpuCounters;

/* Size is sizeof(GevoGpuCounters) of the caller. */
int gevoGpuGetCounters(GevoGpuCounters *Counters, size_t Size);

/* What it is of that rules priced a launch. */
enum {
  GEVO_GPU_RULES_INPUT = 0,  /* of the code, or of the tools that are there */
  GEVO_GPU_RULES_TOOL = 1,   /* a tool crashed on the code, or was too late */
  GEVO_GPU_RULES_MACHINE = 2 /* a tool was killed or could not be started */
};
/* Why rules priced the last launch where machine code was wanted: *Cause and,
   with a nul, the text, which is empty otherwise. *Needed gets its size; a
   buffer that is too small (or null) gets nothing. */
int gevoGpuGetWhyRules(char *Buffer, size_t Size, size_t *Needed, int *Cause);

/* Keeps a line for the report of gevo-run: what it is about ("missing",
   "problem", "substituted") and the text. Without such a report nothing
   happens. */
int gevoGpuNote(const char *Kind, const char *Text);

/* Cost of one line of the PTX text that the last launch executed. */
typedef struct GevoGpuLine {
  uint32_t Line;      /* from 1 */
  uint32_t Function;  /* 0: the kernel; else a function that it can call */
  uint64_t Issues;    /* instructions that warps issued */
  uint64_t Lanes;     /* active lanes of them */
  uint64_t Stalls;    /* cycles that warps waited here */
  uint64_t Sectors;   /* of global and local memory */
  uint64_t Conflicts; /* replays of shared memory */
} GevoGpuLine;

/* Keeps (1) or does not keep (0) the costs of lines. Without a current context
   the choice is for contexts made later. */
int gevoGpuKeepLines(int On);

/* Writes the lines that cost anything, in order of function and line, if Count
   is enough for the *Needed that there are. */
int gevoGpuGetLines(GevoGpuLine *Lines, size_t Count, size_t *Needed);

/* Empties the model's caches, so that a launch takes the same time each time.
 */
int gevoGpuFlushCaches(void);

/* The model's L2 holds these bytes from now on, as if they had been copied. */
int gevoGpuFillCaches(uint64_t Address, size_t Bytes);

/* Keeps what the model's L2 holds, and brings it back. The second returns
   CUDA_ERROR_NOT_READY if the context has kept nothing. */
int gevoGpuKeepCaches(void);
int gevoGpuRecallCaches(void);

/* Makes [Address, Address + Bytes) device memory; with Variable, memory of the
   variable of that name. CUDA_ERROR_ALREADY_MAPPED if part of it is taken. */
int gevoGpuAllocAt(uint64_t Address, size_t Bytes, const char *Variable,
                   int IsConst);
int gevoGpuFreeAt(uint64_t Address);

/* Count calls of malloc in device code that are alike. Of the first: the
   thread, numbered through the grid, the number of its call, the size, and what
   it returned. From one to the next the thread and what it returned change by
   the steps. */
typedef struct GevoGpuHeapCallRun {
  uint64_t Thread, Number, Bytes, Address;
  uint64_t Count, ThreadStep, AddressStep;
} GevoGpuHeapCallRun;

/* Like gevoGpuAllocAt, memory that device code may free, or that malloc returns
   if gevoGpuWatchHeap says so. */
int gevoGpuAllocHeapAt(uint64_t Address, size_t Bytes);

/* Count small blocks of malloc in device code, Stride apart, each of so many
   Bytes. What the first one holds is at Offset, which is a multiple of 16, the
   others follow at the next ones. */
typedef struct GevoGpuHeapRun {
  uint64_t Address, Offset, Stride, Count;
  uint32_t Bytes;
  uint32_t Use; /* 1: there before and after the launch, 2: it makes it, 3: it
                   frees it */
} GevoGpuHeapRun;

/* The same for many small blocks, ascending and apart, at once, in the place of
   those of an earlier call. They and Start, what they hold, must stay as they
   are until the next call; without blocks it ends all. */
int gevoGpuPlaceHeap(const GevoGpuHeapRun *Runs, size_t Count,
                     const void *Start);

/* Writes what blocks hold that a launch touched and did not free over what
   Packed has of them, which is laid out like Start. */
int gevoGpuReadHeap(void *Packed);

/* Begins (1) to watch malloc and free of launches: calls that are among the
   given ones, in order of number and thread, which must stay as they are,
   return what they returned; or ends it (0) and frees the blocks that launches
   left. */
int gevoGpuWatchHeap(int On, const GevoGpuHeapCallRun *Calls, size_t Count);

/* Bytes that launches allocated since then, less those that they freed. */
int gevoGpuGetHeapChange(int64_t *Bytes);

/* Makes [Address, Address + Bytes), memory of gevoGpuAllocAt, the bytes of a
   file from Skip on, without a copy: the file must not change. Address and Skip
   must be alike modulo 4096, else CUDA_ERROR_INVALID_VALUE. */
int gevoGpuMapFile(uint64_t Address, size_t Bytes, const char *Path,
                   uint64_t Skip);

/* Other allocations of the context come from the top of its memory from now
   on, out of the way of gevoGpuAllocAt. */
int gevoGpuAllocFromTop(void);

/* Modules loaded from now on have their variable Name at Address, in memory
   that exists and keeps what it holds. A null Name ends all bindings. */
int gevoGpuBindVariable(const char *Name, uint64_t Address);

/* The next launch of the context has this %gridid, which is not 0; those after
   it count on from there. */
int gevoGpuSetNextGrid(uint64_t Number);

/* Begins (1, from nothing) or ends (0) to note the pages that launches write;
   2 also notes what they do to each byte, and forgets nothing until the next
   call of this function. */
int gevoGpuWatchWrites(int On);

/* Writes the addresses of the pages of 4096 bytes that were written, ascending,
   and forgets them, if Count is enough for the *Needed that there are. */
int gevoGpuTakeWrites(uint64_t *Pages, size_t Count, size_t *Needed);

/* Writes what launches did to each byte, if that is noted: 128 if it
   was read before anything wrote it, plus the number of the type (a row of
   ElementTypes.def, from 1) that the last store to it had, or 0. */
int gevoGpuGetMarks(uint64_t Address, size_t Bytes, uint8_t *Marks);

#ifdef __cplusplus
}
#endif

#endif /* GEVO_RUNTIME_GPU_DRIVER_GEVOGPU_H */
