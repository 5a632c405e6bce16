// When the source changed, -gevo-remap finds the places of the edits anew, by local
// structure and debug location, and says how sure it is: after lines inserted above, a
// statement added, names changed. It refuses when the place is gone; the function is
// then left as it was. An unchanged function is not remapped.

// REQUIRES: plugin, cuda
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{device} = %clangxx_cuda %cuda_small -O2 -g -fno-unroll-loops -fpass-plugin=%gevo_plugin --cuda-gpu-arch=sm_70 --cuda-device-only -S app.cu

// RUN: cp original.cu app.cu
// RUN: env GEVO_RECORD=record %{device} -o original.s
// RUN: %opt_gevo -passes=gevo-annotate -disable-output record/*.bc | %python make.py > edit.txt
// RUN: xargs -d '\n' -a edit.txt gevo-edits make record/app-*.bc -o edits.json

// RUN: env GEVO_EDITS=edits.json GEVO_STRICT=1 %{device} -o edited.s -Rpass=gevo 2>&1 | FileCheck %s --check-prefix=ORIGINAL
// ORIGINAL: app.cu:9:13: remark: edit 1 applied: delete [[I:i[0-9]+]] (store float)
// RUN: env GEVO_EDITS=edits.json GEVO_REMAP=1 %{device} -o same.s 2>&1 | count 0
// RUN: cmp edited.s same.s

// Lines above, and another name for a variable: only the lines move.
// RUN: cp moved.cu app.cu
// RUN: env GEVO_EDITS=edits.json GEVO_REMAP=1 %{device} -o moved.s -Rpass=gevo 2>&1 | FileCheck %s --check-prefix=MOVED --implicit-check-not=warning
// MOVED: app.cu:12:17: remark: edit 1 applied: delete

// A statement added: the anchor has another number, and the message tells both and
// how sure it is.
// RUN: cp added.cu app.cu
// RUN: env GEVO_EDITS=edits.json %{device} -o stale.s -w
// RUN: env GEVO_EDITS=edits.json GEVO_REMAP=1 %{device} -o added.s -Rpass=gevo 2>&1 | FileCheck %s --check-prefix=ADDED
// ADDED: app.cu:11:13: remark: edit 1 applied: delete
// ADDED: warning: gevo: the source of 'kernel(float*, float const*, int)' changed; its edits were remapped, at least [[SURE:[7-9][0-9]|100]] % sure: [[OLD:i[0-9]+]] is now [[NEW:i[0-9]+]] ([[SURE]] %). Check the result, and search again
// RUN: not cmp stale.s added.s
// RUN: env GEVO_EDITS=edits.json %{device} -o flag.s -fplugin=%gevo_plugin -mllvm -gevo-remap -mllvm -gevo-report=report -w
// RUN: cmp added.s flag.s
// RUN: cat report/*.json | FileCheck %s --check-prefix=REPORT
// REPORT:      "status": "applied",
// REPORT:      "remapped": [
// REPORT-NEXT: {
// REPORT-NEXT:   "from": "i{{[0-9]+}}",
// REPORT-NEXT:   "to": "i{{[0-9]+}}",
// REPORT-NEXT:   "sure": {{[7-9][0-9]|100}}

// The store is gone.
// RUN: cp gone.cu app.cu
// RUN: %{device} -o original.s
// RUN: env GEVO_EDITS=edits.json GEVO_REMAP=1 %{device} -o gone.s 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: warning: gevo: edits.json:{{[0-9]+}}:{{[0-9]+}}: the edits of 'kernel(float*, float const*, int)' do not apply: i{{[0-9]+}} (store float) is gone; the function is left as it was.
// RUN: cmp original.s gone.s
// RUN: not env GEVO_EDITS=edits.json GEVO_REMAP=1 GEVO_STRICT=1 %{device} -o gone.s 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: gevo: edits.json:{{.*}} do not apply: i{{[0-9]+}} (store float) is gone

//--- make.py
# The anchor of the last store of the annotated module on standard input.
import re
import sys

print("delete at=" + re.findall(r"store float.*; (i\d+)", sys.stdin.read())[-1])
//--- original.cu
#include "test/plugin/Inputs/device.h"

__shared__ float Tile[256];

__global__ void kernel(float *Out, const float *In, int N) {
  float Sum = 0;
  for (int I = 0; I < N; ++I) {
    Sum += In[I] * Tile[I];
    Tile[I] = Sum;
  }
  Out[globalIndex()] = Sum;
}
//--- moved.cu
#include "test/plugin/Inputs/device.h"

// Three lines
// more than
// before.
__shared__ float Tile[256];

__global__ void kernel(float *Out, const float *In, int N) {
  float Total = 0;
  for (int Index = 0; Index < N; ++Index) {
    Total += In[Index] * Tile[Index];
    Tile[Index] = Total;
  }
  Out[globalIndex()] = Total;
}
//--- added.cu
#include "test/plugin/Inputs/device.h"

__shared__ float Tile[256];

__global__ void kernel(float *Out, const float *In, int N) {
  float Sum = In[N];
  Out[N + globalIndex()] = Sum;

  for (int I = 0; I < N; ++I) {
    Sum += In[I] * Tile[I];
    Tile[I] = Sum;
  }
  Out[globalIndex()] = Sum;
}
//--- gone.cu
#include "test/plugin/Inputs/device.h"

__shared__ float Tile[256];

__global__ void kernel(float *Out, const float *In, int N) {
  float Sum = 0;
  for (int I = 0; I < N; ++I) {
    Sum += In[I] * Tile[I];
  }
  Out[globalIndex()] = Sum;
}
