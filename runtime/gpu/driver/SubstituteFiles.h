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

struct SubstituteFile {
  std::string Name;
  /// The file of the module that it was made from; empty: not known.
  std::string Original;
};

/// The files in GEVO_SUBSTITUTE, which are separated by colons; after a
/// backslash a colon, or another backslash, is part of a name, and after a
/// backslash and '=' comes the file of the original.
inline std::vector<SubstituteFile> substituteFiles() {
  const char *List = std::getenv("GEVO_SUBSTITUTE");
  std::vector<SubstituteFile> Files;
  SubstituteFile Next;
  std::string *To = &Next.Name;
  for (const char *C = List ? List : ""; *C; ++C) {
    bool Ends = *C == ':';
    bool Turns = *C == '\\' && C[1] == '=';
    if (*C == '\\' && (C[1] == ':' || C[1] == '\\' || Turns))
      ++C;
    if (Turns)
      To = &Next.Original;
    else if (!Ends)
      *To += *C;
    if (!Ends && C[1])
      continue;
    if (!Next.Name.empty())
      Files.push_back(std::exchange(Next, {}));
    To = &Next.Name;
  }
  return Files;
}

/// What GEVO_SUBSTITUTE has to be for these files.
inline std::string substituteList(const std::vector<SubstituteFile> &Files) {
  std::string List;
  auto Add = [&](const std::string &Name) {
    for (char C : Name)
      List += C == ':' || C == '\\' ? std::string{'\\', C} : std::string{C};
  };
  for (const SubstituteFile &File : Files) {
    List += List.empty() ? "" : ":";
    Add(File.Name);
    List += File.Original.empty() ? "" : "\\=";
    Add(File.Original);
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
