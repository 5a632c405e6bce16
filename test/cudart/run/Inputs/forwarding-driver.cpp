// A CUDA driver library that is not ours: it exports the functions of the driver
// API and nothing else, and hands each call on to the library REAL_DRIVER.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

// Arguments stay where the caller put them.
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params)                         \
  extern "C" {                                                                 \
  __attribute__((visibility("hidden"))) void *Real_##Symbol;                   \
  __attribute__((naked)) void Symbol() {                                       \
    asm("jmp *Real_" #Symbol "(%rip)");                                        \
  }                                                                            \
  }
#include "runtime/gpu/driver/Api.def"

__attribute__((constructor)) static void connect() {
  // The embedded GPU would write its part of the report.
  unsetenv("GEVO_LAUNCH_LOG");
  void *Real = dlopen(std::getenv("REAL_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  if (!Real) {
    std::fprintf(stderr, "forwarding driver: %s\n", dlerror());
    std::exit(1);
  }
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params)                         \
  Real_##Symbol = dlsym(Real, #Symbol);
#include "runtime/gpu/driver/Api.def"
  std::fputs("forwarding driver\n", stderr);
}
