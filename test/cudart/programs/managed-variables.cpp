// Managed variables, registered as nvcc's start-up code does it, since clang
// has none: one storage for the host and all devices, and the variable itself
// is its symbol.
// RUN: gevo-fatbinary --create %t.fatbin --image=profile=compute_70,file=%S/Inputs/managed-variables.ptx
// RUN: %host_cxx -std=c++17 -DFATBIN='"%t.fatbin"' %s -o %t -L%gevo_build/lib/gevo-cudart -l:libcudart.so.12 -Wl,--allow-shlib-undefined
// RUN: gevo-run --gpu=V100,A100 --check --json=%t.json -- %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=CLEAN --input-file=%t.json
// CHECK: host 5, device 0 6, device 1 8, symbol at itself, 4 bytes, copied 8, later 10
// CLEAN: "launches": 3
// CLEAN: "findings": []

#include <cstdio>
#include <cstdlib>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int,
                              size_t, int, int);
char __cudaInitModule(void **);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaDeviceSynchronize();
int cudaSetDevice(int);
int cudaGetSymbolAddress(void **, const void *);
int cudaGetSymbolSize(size_t *, const void *);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
}

// The device code, as nvcc puts it into a program.
asm(".section .nv_fatbin,\"a\"\n.balign 8\nFatbin:\n.incbin \"" FATBIN
    "\"\n.text\n");
extern "C" const char Fatbin[];

static struct {
  int Magic = 0x466243b1, Version = 1;
  const void *Data = Fatbin;
  void *Unused = nullptr;
} Wrapper;

static int *Counter; // What the program calls `counter` is *Counter.
static void add() {}

static void check(int Error) {
  if (Error) {
    std::printf("error %d\n", Error);
    std::exit(1);
  }
}

static int addOn(int Device, unsigned By) {
  void *Arguments[] = {&By};
  check(cudaSetDevice(Device));
  check(cudaLaunchKernel(reinterpret_cast<void *>(add), {}, {}, Arguments, 0,
                         nullptr));
  check(cudaDeviceSynchronize());
  return *Counter;
}

int main() {
  void **Module = __cudaRegisterFatBinary(&Wrapper);
  __cudaRegisterFunction(Module, reinterpret_cast<char *>(add), nullptr, "add",
                         -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterManagedVar(Module, reinterpret_cast<void **>(&Counter), nullptr,
                           "counter", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(Module);
  __cudaInitModule(Module);
  ++*Counter;
  std::printf("host %d, ", *Counter);
  std::printf("device 0 %d, ", addOn(0, 1));
  std::printf("device 1 %d, ", addOn(1, 2));
  void *Symbol = nullptr;
  size_t Bytes = 0;
  int Copied = 0;
  check(cudaGetSymbolAddress(&Symbol, Counter));
  check(cudaGetSymbolSize(&Bytes, Counter));
  check(cudaMemcpyFromSymbol(&Copied, Counter, 4, 0, 2));
  std::printf("symbol %s, %zu bytes, copied %d, ",
              Symbol == Counter ? "at itself" : "elsewhere", Bytes, Copied);
  std::printf("later %d\n", addOn(0, 2));
}
