// Managed variables, registered as nvcc's start-up code does it, since clang
// has none: one storage for the host and all devices, and the variable itself
// is its symbol.
// RUN: gevo-fatbinary --create %t.fatbin --image=profile=compute_70,file=%S/Inputs/managed-variables.ptx
// RUN: %host_cxx -std=c++17 -DBASE='"%t"' %s -o %t -L%gevo_build/lib/gevo-cudart -l:libcudart.so.12 -Wl,--allow-shlib-undefined
// RUN: gevo-run --gpu=V100,A100 --check --json=%t.json -- %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=CLEAN --input-file=%t.json
// CHECK: host 5, device 0 6, device 1 8, symbol at itself, 4 bytes, copied 8, later 10
// CLEAN: "launches": 3
// CLEAN: "findings": []

#include "Inputs/startup.h"

CONTAINER(fatbin)

static int *Counter; // What the program calls `counter` is *Counter.
static void add() {}

static int addOn(int Device, unsigned By) {
  check(cudaSetDevice(Device));
  launch(add, By);
  return *Counter;
}

int main() {
  Wrapper Code;
  Code.Data = fatbin;
  __cudaInitModule(
      start(Code, add, "add", reinterpret_cast<void **>(&Counter), "counter", 4));
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
