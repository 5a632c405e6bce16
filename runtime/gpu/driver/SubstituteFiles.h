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
#include <utility>
#include <vector>

namespace gevo {

/// The names in GEVO_SUBSTITUTE, which are separated by colons; after a
/// backslash a colon, or another backslash, is part of a name.
inline std::vector<std::string> substituteFiles() {
  const char *List = std::getenv("GEVO_SUBSTITUTE");
  std::vector<std::string> Files;
  std::string Name;
  for (const char *C = List ? List : ""; *C; ++C) {
    bool Ends = *C == ':';
    if (*C == '\\' && (C[1] == ':' || C[1] == '\\'))
      ++C;
    if (!Ends)
      Name += *C;
    if ((Ends || !C[1]) && !Name.empty())
      Files.push_back(std::exchange(Name, ""));
  }
  return Files;
}

/// What GEVO_SUBSTITUTE has to be for these names.
inline std::string substituteList(const std::vector<std::string> &Files) {
  std::string List;
  for (const std::string &File : Files) {
    List += List.empty() ? "" : ":";
    for (char C : File)
      List += C == ':' || C == '\\' ? std::string{'\\', C} : std::string{C};
  }
  return List;
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
