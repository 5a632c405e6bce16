//===- ShellText.h - Commands as one types them -----------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the words of a command and its text, in both directions: what a user
// writes in a scenario, and what a message tells to type.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_SHELLTEXT_H
#define GEVO_SEARCH_SHELLTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace gevo {

/// The words of a command line, with quotes as a shell has them.
std::vector<std::string> splitCommand(llvm::StringRef Text);

/// Where a quote stands in it that is not closed, counted from 0.
std::optional<size_t> findOpenQuote(llvm::StringRef Text);

/// Where a word begins that means something to a shell alone, such as | or
/// >out.txt, and is not in quotes; counted from 0.
std::optional<size_t> findShellWord(llvm::StringRef Text);

/// A word as one types it: 'a b' in quotes, abc as it is.
std::string shellWord(llvm::StringRef Word);

/// The words of a command, each as one types it: "./app 8 'a b'".
std::string shellText(llvm::ArrayRef<std::string> Words);

} // namespace gevo

#endif // GEVO_SEARCH_SHELLTEXT_H
