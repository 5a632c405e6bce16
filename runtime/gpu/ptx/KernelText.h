//===- KernelText.h - One kernel of a text ----------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the assembler makes of a kernel depends on the kernel and on what it
// uses, not on the other kernels of its module. So that is cut out: it is
// assembled sooner, and is the same text when another kernel was edited.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_KERNELTEXT_H
#define GEVO_RUNTIME_GPU_PTX_KERNELTEXT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu::ptx {

/// A text, and where its lines stood in the one it was cut out of.
struct KernelText {
  std::string Text;
  /// By line, from 1; what is beyond the end has no place. Empty: the same.
  std::vector<uint32_t> Lines;

  /// The line of the whole text that \p Line was; 0 if it has none.
  uint32_t lineInModule(uint32_t Line) const {
    if (Lines.empty())
      return Line;
    return Line < Lines.size() ? Lines[Line] : 0;
  }
};

/// The kernel \p Entry of \p Ptx with the functions and variables that it uses,
/// directly or through others, as they stand there and in that order. Of
/// constants all, if it uses one: their places in memory depend on the others.
/// All of
/// \p Ptx, where no part of it will do: it calls through pointers, which may be
/// any function's, or calls a function that others use, which may be compiled
/// otherwise for it; there are debug sections, which are about all; there is no
/// such kernel, or it is no PTX.
KernelText kernelText(std::string_view Ptx, std::string_view Entry);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_KERNELTEXT_H
