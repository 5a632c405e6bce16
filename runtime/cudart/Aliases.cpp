//===- Aliases.cpp - Functions under further names ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many functions of the API are there twice: in the form for programs in which
// stream 0 is one for each thread (_ptsz, and _ptds where no stream is named),
// and under names of older versions of CUDA.
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/RuntimeApi.h"

using namespace gevo::cudart;

namespace {

cudaStream_t perThread(cudaStream_t S) {
  return S ? S : reinterpret_cast<cudaStream_t>(CU_STREAM_PER_THREAD);
}

/// What an argument of a function of type \p T becomes in its per-thread form.
template <typename T> struct PerThread {
  explicit PerThread(T Value) : Value(Value) {}
  T get() { return Value; }
  T Value;
};
template <> struct PerThread<cudaStream_t> {
  explicit PerThread(cudaStream_t S) : Value(perThread(S)) {}
  cudaStream_t get() { return Value; }
  cudaStream_t Value;
};
template <> struct PerThread<const cudaLaunchConfig_t *> {
  explicit PerThread(const cudaLaunchConfig_t *C) : IsNull(!C) {
    if (C)
      Copy = *C;
    Copy.stream = perThread(Copy.stream);
  }
  const cudaLaunchConfig_t *get() { return IsNull ? nullptr : &Copy; }
  bool IsNull;
  cudaLaunchConfig_t Copy{};
};

template <auto Function> struct Form;
template <typename... Types, cudaError_t (*Function)(Types...)>
struct Form<Function> {
  static cudaError_t call(Types... Values) {
    return Function(PerThread<Types>(Values).get()...);
  }
};

} // namespace

// A name that jumps to a function, and one that jumps to where a pointer leads,
// in assembly, because C++ would want the parameters spelled out.
#if defined(__x86_64__)
#define GEVO_JUMP(Target) "jmp " Target "@PLT\n"
#define GEVO_JUMP_TO(Pointer) "jmp *" Pointer "(%rip)\n"
#elif defined(__aarch64__)
#define GEVO_JUMP(Target) "b " Target "\n"
#define GEVO_JUMP_TO(Pointer)                                                  \
  "adrp x16, " Pointer "\nldr x16, [x16, :lo12:" Pointer "]\nbr x16\n"
#else
#error "say how this machine jumps to a function"
#endif

#define GEVO_NAME(Name) #Name
#define GEVO_SYMBOL(Name, Jump)                                                \
  asm(".text\n.globl " Name "\n.type " Name ", @function\n" Name ":\n" Jump    \
      ".size " Name ", . - " Name "\n");

#define CUDART_ALIAS(Name, Era, Target)                                        \
  CUDART_IF(Era)(GEVO_SYMBOL(GEVO_NAME(Name), GEVO_JUMP(#Target)))
#define CUDART_SYNC(Name, Era, Params)                                         \
  CUDART_IF(Era)(                                                              \
      GEVO_SYMBOL(GEVO_NAME(Name) "_ptds", GEVO_JUMP(GEVO_NAME(Name))))
#include "runtime/cudart/Api.def"

// The pointers have to have C names for the assembly to find them.
extern "C" {
#define CUDART_STREAM(Name, Era, Params)                                       \
  CUDART_IF(Era)(__attribute__((used, visibility("hidden"))) cudaError_t(      \
                     *gevo_ptsz_##Name) Params = Form<Name>::call;)
#include "runtime/cudart/Api.def"
}
#define CUDART_STREAM(Name, Era, Params)                                       \
  CUDART_IF(Era)(                                                              \
      GEVO_SYMBOL(GEVO_NAME(Name) "_ptsz", GEVO_JUMP_TO("gevo_ptsz_" #Name)))
#include "runtime/cudart/Api.def"
