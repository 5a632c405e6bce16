//===- Parser.h - From PTX text to a module ---------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser for PTX ISA up to 8.x. It stops at the first
// error, which it reports with line and column; an instruction it does not know
// is an error that names it, as ptxas has it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_PARSER_H
#define GEVO_RUNTIME_GPU_PTX_PARSER_H

#include "runtime/gpu/ptx/Module.h"
#include "runtime/gpu/ptx/Result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu::ptx {

/// Parses one PTX text.
Result<std::unique_ptr<Module>> parseModule(std::string_view Text);

/// Moves the functions and variables of \p From into \p Into, as a linker
/// does: an extern declaration is bound to the definition of the same name,
/// weak definitions give way, and names that are not visible stay apart.
Result<bool> linkModule(Module &Into, Module From);

/// Parses \p Texts and links them in their order.
Result<std::unique_ptr<Module>>
linkTexts(const std::vector<std::string> &Texts);

/// Whether a driver defines the function \p Name itself.
bool isBuiltin(std::string_view Name);

/// What \p M uses and does not define, in order of declaration. Dynamic shared
/// memory is no definition's business.
std::vector<std::string> undefinedNames(const Module &M);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_PARSER_H
