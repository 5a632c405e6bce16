//===- Era.h - Which majors of CUDA have a thing ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is built once for each major of CUDA, GEVO_CUDART_MAJOR being
// 11, 12 or 13. Rows of the tables name an era, and CUDART_ERA_<era>_<major>(X)
// is X if that era contains the major, and nothing otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_ERA_H
#define GEVO_RUNTIME_CUDART_ERA_H

#define CUDART_ERA_ALL_11(...) __VA_ARGS__
#define CUDART_ERA_ALL_12(...) __VA_ARGS__
#define CUDART_ERA_ALL_13(...) __VA_ARGS__
#define CUDART_ERA_ONLY11_11(...) __VA_ARGS__
#define CUDART_ERA_ONLY11_12(...)
#define CUDART_ERA_ONLY11_13(...)
#define CUDART_ERA_ONLY12_11(...)
#define CUDART_ERA_ONLY12_12(...) __VA_ARGS__
#define CUDART_ERA_ONLY12_13(...)
#define CUDART_ERA_UPTO12_11(...) __VA_ARGS__
#define CUDART_ERA_UPTO12_12(...) __VA_ARGS__
#define CUDART_ERA_UPTO12_13(...)
#define CUDART_ERA_FROM12_11(...)
#define CUDART_ERA_FROM12_12(...) __VA_ARGS__
#define CUDART_ERA_FROM12_13(...) __VA_ARGS__
#define CUDART_ERA_FROM13_11(...)
#define CUDART_ERA_FROM13_12(...)
#define CUDART_ERA_FROM13_13(...) __VA_ARGS__

#define CUDART_ERA_PASTE(Era, Major) CUDART_ERA_##Era##_##Major
#define CUDART_ERA(Era, Major) CUDART_ERA_PASTE(Era, Major)
/// Its arguments, if this library's major is of the era.
#define CUDART_IF(Era) CUDART_ERA(Era, GEVO_CUDART_MAJOR)

#endif // GEVO_RUNTIME_CUDART_ERA_H
