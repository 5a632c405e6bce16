// GEVO_RECORD=embed keeps the device module of every architecture in a section of
// the object, and the linker puts those of all objects into the program. What is
// embedded is what a folder gets; code and device image stay as they were; nothing
// is left in the temporary or the working directory.

// REQUIRES: plugin, cuda-link
// RUN: rm -rf %t && mkdir -p %t/tmp %t/here && cp %s %t/one.cu && cp %s %t/two.cu && cd %t/here
// DEFINE: %{clang} = env TMPDIR=%t/tmp %clangxx_cuda %cuda_small -O2 -fpass-plugin=%gevo_plugin
// DEFINE: %{archs} = --cuda-gpu-arch=sm_70 --cuda-gpu-arch=sm_80

// RUN: env GEVO_RECORD=embed %{clang} %{archs} -c %t/one.cu -o %t/one.o
// RUN: env GEVO_RECORD=embed %{clang} %{archs} -DMAIN -c %t/two.cu -o %t/two.o
// RUN: llvm-readelf -S %t/one.o | FileCheck %s --check-prefix=SECTION
// RUN: clang++ %t/one.o %t/two.o -o %t/app %cuda_libs
// RUN: llvm-readelf -S %t/app | FileCheck %s --check-prefix=SECTION
// SECTION: .gevo.module PROGBITS
// RUN: gevo-edits modules %t/one.o | FileCheck %s --check-prefixes=ONE --implicit-check-not=two.cu
// RUN: gevo-edits modules %t/app | FileCheck %s --check-prefixes=ONE,TWO
// ONE: one.cu sm_70 -O2
// ONE-NEXT: one.cu sm_80 -O2
// TWO-NEXT: two.cu sm_70 -O2
// TWO-NEXT: two.cu sm_80 -O2

// The entries begin with their magic, eight bytes apart from zeros.
// RUN: llvm-objcopy --dump-section .gevo.module=%t/section %t/app
// RUN: %python -c "import re; d = open(r'%t/section', 'rb').read(); print([m.start() % 8 for m in re.finditer(b'GEVOMOD1', d)])" \
// RUN:   | FileCheck %s --check-prefix=MAGIC
// MAGIC: [0, 0, 0, 0]

// RUN: gevo-edits modules %t/app --extract=%t/out > %t/list && count 4 < %t/list
// RUN: llvm-bcanalyzer %t/out/3-two-sm_80.bc | FileCheck %s --check-prefix=BITCODE
// BITCODE: Stream type: LLVM IR
// RUN: env GEVO_RECORD=%t/folder %{clang} %{archs} -c %t/one.cu -o %t/plain.o
// RUN: cmp %t/out/0-one-sm_70.bc %t/folder/one-*-sm_70.bc
// RUN: cmp %t/out/1-one-sm_80.bc %t/folder/one-*-sm_80.bc

// Code and device image are those of an object without records.
// RUN: llvm-objcopy --dump-section .text=%t/one.text --dump-section .nv_fatbin=%t/one.fatbin %t/one.o %t/x.o
// RUN: llvm-objcopy --dump-section .text=%t/plain.text --dump-section .nv_fatbin=%t/plain.fatbin %t/plain.o %t/x.o
// RUN: cmp %t/one.text %t/plain.text
// RUN: cmp %t/one.fatbin %t/plain.fatbin

// Relocatable device code, and a compilation in many steps, have their records, too.
// RUN: env GEVO_RECORD=embed %{clang} %{archs} -fgpu-rdc -c %t/one.cu -o %t/rdc.o
// RUN: gevo-edits modules %t/rdc.o | FileCheck %s --check-prefixes=ONE
// RUN: mkdir %t/steps && cd %t/steps
// RUN: env GEVO_RECORD=embed %{clang} %{archs} -save-temps -c %t/one.cu -o %t/steps.o
// RUN: gevo-edits modules %t/steps.o | count 2
// RUN: cd %t/here

// Compiling for the device alone, for one architecture or two, and for the host
// alone: there is nothing to embed, and nothing stays behind.
// RUN: env GEVO_RECORD=embed %{clang} --cuda-gpu-arch=sm_70 --cuda-device-only -S %t/one.cu -o %t/one.s
// RUN: cd %t && env GEVO_RECORD=embed %{clang} %{archs} --cuda-device-only -S %t/one.cu && cd %t/here
// RUN: env GEVO_RECORD=embed %{clang} --cuda-host-only -c %t/one.cu -o %t/host.o
// RUN: not gevo-edits modules %t/host.o
// RUN: ls %t/tmp | count 0
// RUN: ls %t/here | count 0

// A compilation that fails on its host side leaves a folder. The next one removes it,
// once it is old and its clang has ended.
// RUN: not env GEVO_RECORD=embed %{clang} %{archs} -DHOST_ERROR -c %t/one.cu -o %t/failed.o 2> /dev/null
// RUN: ls %t/tmp | FileCheck %s --check-prefix=LEFT
// LEFT: gevo-record-
// RUN: env GEVO_RECORD=embed %{clang} %{archs} -c %t/one.cu -o %t/again.o
// RUN: ls %t/tmp | count 1
// RUN: touch -d '2 hours ago' %t/tmp/gevo-record-*
// RUN: env GEVO_RECORD=embed %{clang} %{archs} -c %t/one.cu -o %t/again.o
// RUN: ls %t/tmp | count 0
// RUN: cmp %t/one.o %t/again.o

// The same by pass options: no host module, nothing embedded.
// RUN: %opt_gevo -passes='gevo-record<to=embed>' -disable-output %t/out/0-one-sm_70.bc

#include "test/plugin/Inputs/device.h"

static __global__ void kernel(float *Out) { Out[globalIndex()] = 1; }

#if defined(HOST_ERROR) && !defined(__CUDA_ARCH__)
#error "as asked for"
#endif

static void run() { kernel<<<1, 1>>>(nullptr); }

#ifdef MAIN
int main() {
  run();
  return 0;
}
#else
void other() { run(); }
#endif
