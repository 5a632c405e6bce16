// GEVO_RECORD=<folder> writes the module of each architecture as bitcode with a
// header beside it. The module is what clang has at its end: lowering it gives
// clang's PTX. Names that are not UTF-8 are no obstacle, and a folder that cannot be
// made is an error.

// REQUIRES: plugin, cuda
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{device} = %clangxx_cuda %cuda_small --cuda-device-only -fpass-plugin=%gevo_plugin
// RUN: cd %t && env GEVO_RECORD=%t/deep/folder %{device} --cuda-gpu-arch=sm_70 --cuda-gpu-arch=sm_80 -O1 -ffp-contract=off -S %s
// RUN: ls %t/deep/folder | FileCheck %s --check-prefix=FILES
// FILES:      {{^}}record-[[HASH:[0-9a-f]+]]-sm_70.bc{{$}}
// FILES-NEXT: {{^}}record-[[HASH]]-sm_70.json{{$}}
// FILES-NEXT: {{^}}record-[[HASH]]-sm_80.bc{{$}}
// FILES-NEXT: {{^}}record-[[HASH]]-sm_80.json{{$}}
// FILES-NOT:  {{.}}
// RUN: FileCheck %s --check-prefix=HEADER < %t/deep/folder/record-*-sm_80.json
// HEADER: {"arch":"sm_80","fuse":false,"names":false,"opt_level":1,"source":"{{.*}}record.cu"}
// RUN: %lower_module %t/deep/folder/record-*-sm_70.bc | cmp - %t/record-cuda-nvptx64-nvidia-cuda-sm_70.s
// RUN: %lower_module %t/deep/folder/record-*-sm_80.bc | cmp - %t/record-cuda-nvptx64-nvidia-cuda-sm_80.s
// RUN: env GEVO_RECORD=%t/named %{device} --cuda-gpu-arch=sm_70 -O2 -S %s -o %t/named.s -fno-discard-value-names
// RUN: %lower_module %t/named/*.bc | cmp - %t/named.s

// By flag.
// RUN: %{device} --cuda-gpu-arch=sm_70 -O2 -S %s -o /dev/null -fplugin=%gevo_plugin -mllvm -gevo-record=%t/flag
// RUN: ls %t/flag | count 2

// The fingerprint is the same with debug information and with names, and for
// every way to the module.
// RUN: %{device} --cuda-gpu-arch=sm_70 -O2 -S %s -o /dev/null -fplugin=%gevo_plugin -mllvm -gevo-record=%t/debug -g
// RUN: %{device} --cuda-gpu-arch=sm_70 -O2 -S %s -o /dev/null -fplugin=%gevo_plugin -mllvm -gevo-record=%t/names \
// RUN:   -fno-discard-value-names
// RUN: %{device} --cuda-gpu-arch=sm_70 -O2 -emit-llvm -S %s -o %t/emitted.ll
// RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/flag/*.bc | grep fingerprint > %t/fingerprints
// RUN: count 2 < %t/fingerprints
// RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/debug/*.bc | grep fingerprint | cmp - %t/fingerprints
// RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/names/*.bc | grep fingerprint | cmp - %t/fingerprints
// RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/emitted.ll | grep fingerprint | cmp - %t/fingerprints

// A source whose name is not UTF-8.
// RUN: %python -c "import os, shutil; shutil.copy(os.fsencode(r'%s'), os.fsencode(r'%t/caf') + bytes([0xe9]) + b'.cu')"
// RUN: env GEVO_RECORD=%t/latin %{device} --cuda-gpu-arch=sm_70 -S %t/caf*.cu -o /dev/null
// RUN: FileCheck %s --check-prefix=LATIN < %t/latin/caf_-*.json
// LATIN: "source":"{{.*}}/caf{{.+}}.cu"

// RUN: touch %t/file
// RUN: not env GEVO_RECORD=%t/file/in %{device} --cuda-gpu-arch=sm_70 -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOFOLDER
// NOFOLDER: error: gevo: cannot make folder '{{.*}}file/in': Not a directory; the device module of {{.*}}record.cu is not recorded

// What looks like a mistyped "embed" makes no folder of that name by accident.
// RUN: cd %t && not env GEVO_RECORD=embbed %{device} --cuda-gpu-arch=sm_70 -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: error: gevo: 'embbed' is not 'embed'; write embed, or ./embbed for a folder of that name; the device module of {{.*}}record.cu is not recorded
// RUN: cd %t && not env GEVO_RECORD=Embedded %{device} --cuda-gpu-arch=sm_70 -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=LONGER
// LONGER: error: gevo: 'Embedded' is not 'embed'
// RUN: ls %t | not grep -i emb[^.]*$
// RUN: cd %t && env GEVO_RECORD=./embbed %{device} --cuda-gpu-arch=sm_70 -S %s -o /dev/null
// RUN: ls %t/embbed | count 2

#include "test/plugin/Inputs/device.h"

struct Pair {
  float First, Second;
};

__device__ float total(const Pair *Pairs, int N) {
  float Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += Pairs[I].First * Pairs[I].Second;
  return Sum;
}

__global__ void kernel(float *Out, const Pair *Pairs, int N) {
  Out[globalIndex()] = total(Pairs, N);
}
