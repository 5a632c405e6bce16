// What nvcc's start-up code of a program calls, for programs that clang cannot
// build: their device code is put into containers by gevo-fatbinary.
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
int cudaMallocManaged(void **, size_t, unsigned);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaDeviceSynchronize();
int cudaSetDevice(int);
int cudaGetSymbolAddress(void **, const void *);
int cudaGetSymbolSize(size_t *, const void *);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
}

// The container in the file BASE.Name.
#define CONTAINER(Name)                                                        \
  asm(".section .nv_fatbin,\"a\"\n.balign 8\n" #Name ":\n.incbin \"" BASE      \
      "." #Name "\"\n.text\n");                                                \
  extern "C" const char Name[];

// What registration takes. Of linked code Version is 2, and Prelinked are the
// containers of its objects, then null.
struct Wrapper {
  int Magic = 0x466243b1, Version = 1;
  const void *Data = nullptr;
  const void *const *Prelinked = nullptr;
};

inline void check(int Error) {
  if (Error) {
    std::printf("error %d\n", Error);
    std::exit(1);
  }
}

// Registers the kernel that Host stands for and, if Variable is given, a
// managed variable.
inline void **start(Wrapper &W, void (*Host)(), const char *Kernel,
                    void **Variable = nullptr, const char *Name = nullptr,
                    size_t Bytes = 0) {
  void **Module = __cudaRegisterFatBinary(&W);
  __cudaRegisterFunction(Module, reinterpret_cast<char *>(Host), nullptr,
                         Kernel, -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  if (Variable)
    __cudaRegisterManagedVar(Module, Variable, nullptr, Name, 0, Bytes, 0, 0);
  __cudaRegisterFatBinaryEnd(Module);
  return Module;
}

template <typename T> void launch(void (*Host)(), T Argument) {
  void *Arguments[] = {&Argument};
  check(cudaLaunchKernel(reinterpret_cast<void *>(Host), {}, {}, Arguments, 0,
                         nullptr));
  check(cudaDeviceSynchronize());
}
