// What clang says about a replay. A function with an edit that does not apply keeps
// its PTX to the byte while the other function of the file is edited; the miss is a
// warning with file, line and column, and a remark; strict makes it an error, and so
// does -Werror. Applied edits are remarks at their source lines. One file serves
// several architectures, each with its report. The host side says nothing.

// REQUIRES: plugin, cuda
// RUN: rm -rf %t && split-file %s %t && cd %t
// DEFINE: %{clang} = %clangxx_cuda %cuda_small -O2 -g -fpass-plugin=%gevo_plugin
// DEFINE: %{device} = %{clang} --cuda-gpu-arch=sm_70 --cuda-device-only -S app.cu

// RUN: env GEVO_RECORD=record %{clang} --cuda-gpu-arch=sm_70 --cuda-gpu-arch=sm_80 --cuda-device-only -S app.cu
// RUN: %edit_set good.txt record/app-*-sm_70.bc record/app-*-sm_80.bc > good.json
// RUN: %edit_set bad.txt record/app-*-sm_70.bc record/app-*-sm_80.bc > bad.json
// RUN: %{device} -o original.s

// All edits apply.
// RUN: env GEVO_EDITS=good.json %{device} -o good.s 2>&1 | count 0
// RUN: env GEVO_EDITS=good.json %{device} -o /dev/null -Rpass=gevo 2>&1 | FileCheck %s --check-prefix=GOOD
// GOOD: app.cu:7:3: remark: edit 1 applied: delete i{{[0-9]+}} (the barrier) [-Rpass=gevo]
// GOOD: app.cu:12:30: remark: edit 1 applied: math i{{[0-9]+}} div [-Rpass=gevo]
// GOOD: remark: app.cu (sm_70): applied 2 of 2 edits of good.json [-Rpass=gevo]

// One does not: 'scale' stays, 'ratio' changes.
// RUN: env GEVO_EDITS=bad.json %{device} -o bad.s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: warning: gevo: bad.json:3:1: edit 2 (delete i{{[0-9]+}}) of 'scale(float*, float const*, float)' does not apply: i{{[0-9]+}} was removed by an earlier edit; the function is left as it was. Remove the edit from the file, or search again [-Wbackend-plugin]
// BAD: warning: gevo: app.cu (sm_70): applied 1 of 3 edits of bad.json [-Wbackend-plugin]
// RUN: %python function.py _Z5scalePfPKff original.s > scale.original
// RUN: %python function.py _Z5scalePfPKff bad.s > scale.bad
// RUN: cmp scale.original scale.bad
// RUN: %python function.py _Z5ratioPfPKf original.s > ratio.original
// RUN: %python function.py _Z5ratioPfPKf bad.s > ratio.bad
// RUN: %python function.py _Z5ratioPfPKf good.s > ratio.good
// RUN: not cmp ratio.original ratio.bad
// RUN: cmp ratio.good ratio.bad
// RUN: env GEVO_EDITS=bad.json %{device} -o /dev/null -Rpass-missed=gevo 2>&1 | FileCheck %s --check-prefix=MISSED
// MISSED: app.cu:5:1: remark: bad.json:3:1: edit 2 (delete i{{[0-9]+}}) of 'scale(float*, float const*, float)' does not apply: {{.*}} [-Rpass-missed=gevo]
// RUN: env GEVO_EDITS=bad.json %{device} -o /dev/null -Wno-backend-plugin 2>&1 | count 0
// RUN: not env GEVO_EDITS=bad.json %{device} -o /dev/null -Werror 2>&1 | FileCheck %s --check-prefix=WERROR
// WERROR: error: gevo: bad.json:3:1: edit 2 {{.*}} [-Werror,-Wbackend-plugin]
// RUN: env GEVO_EDITS=good.json %{device} -o werror.s -Werror
// RUN: cmp good.s werror.s
// RUN: not env GEVO_EDITS=bad.json GEVO_STRICT=1 %{device} -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not env GEVO_EDITS=bad.json %{device} -o /dev/null -fplugin=%gevo_plugin -mllvm -gevo-strict 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: error: gevo: bad.json:3:1: edit 2
// RUN: env GEVO_EDITS=bad.json GEVO_STRICT=0 %{device} -o /dev/null -w
// RUN: env GEVO_EDITS=bad.json GEVO_STRICT=No %{device} -o /dev/null -w

// A set for other sources says so to those who ask; strict builds share one set.
// RUN: sed -e 's/_Z5/_Z5other/;s/"app.cu"/"other.cu"/;s/_Z5ratio/_Z9ratio/;s/"app.cu"/"other.cu"/' good.json > other.json
// RUN: env GEVO_EDITS=other.json GEVO_STRICT=1 %{device} -o other.s 2>&1 | count 0
// RUN: cmp original.s other.s
// RUN: env GEVO_EDITS=other.json %{device} -o /dev/null -Rpass-missed=gevo 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: remark: other.json has no edits for the functions of app.cu (sm_70), which is compiled without [-Rpass-missed=gevo]

// The source changed: nothing is touched, unless told to remap.
// RUN: cp changed.cu app.cu
// RUN: %{device} -o changed.s
// RUN: env GEVO_EDITS=good.json %{device} -o stale.s 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: warning: gevo: good.json:1:{{[0-9]+}}: the edits of 'scale(float*, float const*, float)' do not apply: the function is not the one that the edits were made for: its source or the compiler's options, such as -O, have changed ({{[0-9]+}} instructions then, {{[0-9]+}} now); the function is left as it was. Search again, or let -gevo-remap (GEVO_REMAP=1) find the places anew
// STALE: warning: gevo: app.cu (sm_70): applied 0 of 2 edits of good.json
// RUN: cmp changed.s stale.s

// Missing, empty, or no file at all: a warning for the device, silence on the host.
// RUN: env GEVO_EDITS=none.json %{device} -o none.s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: gevo: cannot read edit set 'none.json': No such file or directory; app.cu (sm_70) is compiled without edits
// RUN: cmp changed.s none.s
// RUN: env GEVO_EDITS=. %{device} -o none.s 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: warning: gevo: cannot read edit set '.': Is a directory; app.cu (sm_70) is compiled without edits
// RUN: cmp changed.s none.s
// RUN: touch empty.json
// RUN: env GEVO_EDITS=empty.json %{device} -o none.s 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: warning: gevo: empty.json:1:1: not JSON: Unexpected EOF; app.cu (sm_70) is compiled without edits
// RUN: cmp changed.s none.s
// RUN: not env GEVO_EDITS=none.json GEVO_STRICT=1 %{device} -o none.s 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: gevo: cannot read edit set 'none.json'
// RUN: env GEVO_EDITS=none.json GEVO_STRICT=1 %{clang} --cuda-host-only -c app.cu -o host.o 2>&1 | count 0

//--- good.txt
@_Z5scalePfPKff {"kind": "delete", "at": "i(barrier0)", "note": "the barrier"}
@_Z5ratioPfPKf {"kind": "math", "at": "i(fdiv)", "relax": "div"}
//--- bad.txt
@_Z5scalePfPKff {"kind": "delete", "at": "i(barrier0)"}
@_Z5scalePfPKff {"kind": "delete", "at": "i(barrier0)"}
@_Z5ratioPfPKf {"kind": "math", "at": "i(fdiv)", "relax": "div"}
//--- function.py
# The text of one function of a PTX file.
import re
import sys

name, path = sys.argv[1:]
print(re.search(rf"\.entry {name}\(.*?^}}", open(path).read(), re.M | re.S)[0])
//--- app.cu
#include "test/plugin/Inputs/device.h"

__shared__ float Tile[256];

__global__ void scale(float *Out, const float *In, float Factor) {
  Tile[laneIndex()] = In[globalIndex()];
  __syncthreads();
  Out[globalIndex()] = Tile[laneIndex() ^ 1] * Factor;
}

__global__ void ratio(float *Out, const float *In) {
  Out[globalIndex()] = In[0] / In[globalIndex()];
}
//--- changed.cu
#include "test/plugin/Inputs/device.h"

__shared__ float Tile[256];

__global__ void scale(float *Out, const float *In, float Factor) {
  Tile[laneIndex()] = In[globalIndex()] + 1;
  __syncthreads();
  Out[globalIndex()] = Tile[laneIndex() ^ 1] * Factor;
}

__global__ void ratio(float *Out, const float *In) {
  Out[globalIndex()] = In[0] / In[globalIndex()] + In[1];
}
