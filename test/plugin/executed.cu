// A .cu program's kernel runs on the embedded GPU before and after clang replayed an
// edit set: a store to shared memory that nobody reads is deleted and the result is
// the same, bit by bit, with fewer instructions; a barrier that is needed is deleted,
// and the race is found.

// REQUIRES: plugin, cuda
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{device} = %clangxx_cuda %cuda_small -O2 -g -fpass-plugin=%gevo_plugin --cuda-gpu-arch=sm_70 --cuda-device-only -S app.cu
// RUN: env GEVO_RECORD=record %{device} -o before.ptx
// RUN: %edit_set good.txt record/*.bc > good.json
// RUN: %edit_set race.txt record/*.bc > race.json
// RUN: env GEVO_EDITS=good.json GEVO_STRICT=1 %{device} -o after.ptx
// RUN: env GEVO_EDITS=race.json GEVO_STRICT=1 %{device} -o race.ptx

// RUN: gevo-run --ptx before.ptx launch.json --out before > before.json
// RUN: gevo-run --ptx after.ptx launch.json --out after > after.json
// RUN: cmp before/out.bin after/out.bin
// RUN: cmp before/in.bin after/in.bin
// RUN: %python fewer.py before.json after.json | FileCheck %s --check-prefix=FEWER
// FEWER: 16 8 True

// RUN: not gevo-run --ptx race.ptx launch.json --out race > race.report
// RUN: FileCheck %s --check-prefix=RACE < race.report
// RACE: race-shared

//--- good.txt
@neighbours {"kind": "delete", "at": "i(store volatile)"}
//--- race.txt
@neighbours {"kind": "delete", "at": "i(barrier0)"}
//--- launch.json
{"buffers": {"in": {"count": 256, "type": "f32", "fill": {"rand": 1, "lo": -10, "hi": 10}},
             "out": {"count": 256, "type": "f32"}},
 "launches": [{"kernel": "neighbours", "grid": [2, 1, 1], "block": [128, 1, 1],
               "args": ["buf:out", "buf:in"]}],
 "dump": ["in", "out"]}
//--- fewer.py
import json
import sys

before, after = (json.load(open(path))["launches"][0] for path in sys.argv[1:])
print(before["shared_stores"], after["shared_stores"],
      after["warp_instructions"] < before["warp_instructions"])
//--- app.cu
#include "test/plugin/Inputs/device.h"

extern "C" __global__ void neighbours(float *Out, const float *In) {
  __shared__ float Tile[128];
  __shared__ volatile float Unread[128];
  Tile[laneIndex()] = In[globalIndex()];
  Unread[laneIndex()] = In[globalIndex()];
  barrier();
  Out[globalIndex()] = Tile[(laneIndex() + 33) % 128] + Tile[laneIndex()];
}
