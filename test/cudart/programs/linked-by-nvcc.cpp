// Relocatable device code that nvcc linked (-rdc=true): what is linked is
// machine code, the PTX is in the containers of the objects.
// RUN: printf '\177ELF' > %t.cubin
// RUN: gevo-fatbinary --create %t.none --image=profile=sm_70,file=%t.cubin
// RUN: gevo-fatbinary --create %t.caller --image=profile=compute_70,file=%S/Inputs/relocatable-caller.ptx
// RUN: gevo-fatbinary --create %t.callee --image=profile=compute_70,file=%S/Inputs/relocatable-callee.ptx
// RUN: gevo-fatbinary --create %t.devrt --image=profile=compute_70,file=%S/Inputs/device-runtime.ptx
// RUN: %host_cxx -std=c++17 -DBASE='"%t"' %s -o %t -L%gevo_build/lib/gevo-cudart -l:libcudart.so.12 -Wl,--allow-shlib-undefined
// RUN: gevo-run --check -- %t all 2>&1 | FileCheck %s
// CHECK: filled with 42
// CHECK: 1 launch of 1 kernel
// RUN: not gevo-run -- %t caller 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: gevo-run: error: cannot load the program's device code: its relocatable PTX does not define offset, twice
// RUN: not gevo-run -- %t none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: gevo-run: error: cannot load the program's device code: the fatbin holds machine code only

#include "Inputs/startup.h"
#include <cstring>

CONTAINER(none)
CONTAINER(caller)
CONTAINER(callee)
CONTAINER(devrt)

static void fill() {}

int main(int, char **Arguments) {
  const void *Parts[4] = {caller, devrt};
  if (!std::strcmp(Arguments[1], "all"))
    Parts[2] = callee;
  Wrapper Code;
  Code.Version = 2;
  Code.Data = none;
  Code.Prelinked = std::strcmp(Arguments[1], "none") ? Parts : nullptr;
  start(Code, fill, "fill");
  unsigned *To;
  check(cudaMallocManaged(reinterpret_cast<void **>(&To), 4, 1));
  launch(fill, To);
  std::printf("filled with %u\n", *To);
}
