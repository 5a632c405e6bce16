// One edit set serves several architectures at once, by environment and by flag: each
// gets the edits of its section, and each writes its own report. The host module is
// not touched.

// REQUIRES: plugin, cuda-link
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{clang} = %clangxx_cuda %cuda_small -O2 -fpass-plugin=%gevo_plugin --cuda-gpu-arch=sm_70 --cuda-gpu-arch=sm_80

// RUN: env GEVO_RECORD=record %{clang} -c app.cu -o original.o
// RUN: %edit_set sm_70.txt record/app-*-sm_70.bc > sm_70.json
// RUN: %edit_set sm_80.txt record/app-*-sm_80.bc > sm_80.json
// RUN: %python merge.py sm_70.json sm_80.json > both.json
// RUN: env GEVO_EDITS=both.json GEVO_REPORT=report GEVO_STRICT=1 %{clang} -c app.cu -o edited.o -save-temps
// RUN: FileCheck %s --check-prefix=SM70 < app-cuda-nvptx64-nvidia-cuda-sm_70.s
// RUN: FileCheck %s --check-prefix=SM80 < app-cuda-nvptx64-nvidia-cuda-sm_80.s
// SM70: .target sm_70
// SM70-NOT: bar.sync
// SM70: div.rn.f32
// SM80: .target sm_80
// SM80: bar.sync
// SM80: div.approx.f32

// RUN: ls report | FileCheck %s --check-prefix=REPORTS
// REPORTS:      app-[[HASH:[0-9a-f]+]]-sm_70.replay.json
// REPORTS-NEXT: app-[[HASH]]-sm_80.replay.json
// REPORTS-NOT:  {{.}}
// RUN: cat report/app-*-sm_80.replay.json | FileCheck %s --check-prefix=REPORT
// REPORT:      "source": "{{.*}}app.cu",
// REPORT-NEXT: "arch": "sm_80",
// REPORT-NEXT: "edits_file": "both.json",
// REPORT-NEXT: "applied": 1,
// REPORT-NEXT: "total": 1,

// RUN: %{clang} -fplugin=%gevo_plugin -mllvm -gevo-edits=both.json -mllvm -gevo-report=flag -c app.cu -o flag.o
// RUN: cmp report/app-*-sm_70.replay.json flag/app-*-sm_70.replay.json
// RUN: llvm-objcopy --dump-section .text=original.text --dump-section .nv_fatbin=original.fatbin original.o x.o
// RUN: llvm-objcopy --dump-section .text=flag.text --dump-section .nv_fatbin=flag.fatbin flag.o x.o
// RUN: cmp original.text flag.text
// RUN: not cmp original.fatbin flag.fatbin

//--- sm_70.txt
@_Z6kernelPfPKf {"kind": "delete", "at": "i(barrier0)"}
//--- sm_80.txt
@_Z6kernelPfPKf {"kind": "math", "at": "i(fdiv)", "relax": "div"}
//--- merge.py
import json
import sys

sets = [json.load(open(path)) for path in sys.argv[1:]]
sets[0]["architectures"] += sets[1]["architectures"]
json.dump(sets[0], sys.stdout)
//--- app.cu
#include "test/plugin/Inputs/device.h"

__shared__ float Tile[256];

__global__ void kernel(float *Out, const float *In) {
  Tile[laneIndex()] = In[globalIndex()];
  __syncthreads();
  Out[globalIndex()] = Tile[laneIndex() ^ 1] / In[0];
}

void run() { kernel<<<1, 1>>>(nullptr, nullptr); }
