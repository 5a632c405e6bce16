//===- SubstituteFiles.h - PTX in place of a program's ----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GEVO_SUBSTITUTE names files whose kernels take the place of the program's.
// The runtime looks there for the code that programs carry, the embedded GPU
// for modules that they load themselves.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_SUBSTITUTEFILES_H
#define GEVO_RUNTIME_GPU_DRIVER_SUBSTITUTEFILES_H

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace gevo {

/// The names in GEVO_SUBSTITUTE, which are separated by colons.
inline std::vector<std::string> substituteFiles() {
  std::vector<std::string> Files;
  const char *List = std::getenv("GEVO_SUBSTITUTE");
  std::string Rest = List ? List : "";
  while (!Rest.empty()) {
    size_t Colon = Rest.find(':');
    if (Colon)
      Files.push_back(Rest.substr(0, Colon));
    Rest.erase(0, Colon == std::string::npos ? Colon : Colon + 1);
  }
  return Files;
}

/// The text of one of them, or nothing if it cannot be read or is empty.
inline std::optional<std::string> substituteText(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  // Of a folder this fails, where the iterator would throw.
  if (In.peek() == EOF)
    return std::nullopt;
  std::string Text((std::istreambuf_iterator<char>(In)),
                   std::istreambuf_iterator<char>());
  return Text;
}

} // namespace gevo

#endif // GEVO_RUNTIME_GPU_DRIVER_SUBSTITUTEFILES_H
