//===- Aliases.cpp - Functions under further names ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many functions of the API are there twice or more: as they were in an older
// CUDA, and for programs in which stream 0 is one for each thread. Where that
// makes no difference here, the further name jumps to the function. It is done
// in assembly because a C++ alias must be in the file of its target.
//
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
#define GEVO_JUMP(Target) "jmp " #Target "@PLT\n"
#elif defined(__aarch64__)
#define GEVO_JUMP(Target) "b " #Target "\n"
#else
#error "say how this machine jumps to a function"
#endif

#define CU_ALIAS(Symbol, Base, Since, Mode, Target)                            \
  asm(".text\n.globl " #Symbol "\n.type " #Symbol ", @function\n" #Symbol      \
      ":\n" GEVO_JUMP(Target) ".size " #Symbol ", . - " #Symbol "\n");
#include "runtime/gpu/driver/Api.def"
