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

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaDeviceSynchronize();
}

#define CONTAINER(Name)                                                        \
  asm(".section .nv_fatbin,\"a\"\n.balign 8\n" #Name ":\n.incbin \"" BASE      \
      "." #Name "\"\n.text\n");                                                \
  extern "C" const char Name[];
CONTAINER(none)
CONTAINER(caller)
CONTAINER(callee)
CONTAINER(devrt)

static const void *Parts[4];
static struct {
  int Magic = 0x466243b1, Version = 2;
  const void *Data = none;
  const void *const *Prelinked = Parts;
} Wrapper;

static void fill() {}

static void check(int Error) {
  if (Error) {
    std::printf("error %d\n", Error);
    std::exit(1);
  }
}

int main(int, char **Arguments) {
  size_t Count = 0;
  if (!std::strcmp(Arguments[1], "none"))
    Wrapper.Prelinked = nullptr;
  Parts[Count++] = caller;
  Parts[Count++] = devrt;
  if (!std::strcmp(Arguments[1], "all"))
    Parts[Count++] = callee;
  void **Module = __cudaRegisterFatBinary(&Wrapper);
  __cudaRegisterFunction(Module, reinterpret_cast<char *>(fill), nullptr,
                         "fill", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(Module);
  unsigned *To;
  check(cudaMallocManaged(reinterpret_cast<void **>(&To), 4, 1));
  void *Passed[] = {&To};
  check(cudaLaunchKernel(reinterpret_cast<void *>(fill), {}, {}, Passed, 0,
                         nullptr));
  check(cudaDeviceSynchronize());
  std::printf("filled with %u\n", *To);
}
