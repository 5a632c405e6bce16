//===- ShellText.cpp - Commands as one types them -------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is expanded; what is joined is split into the same words again.
//
//===----------------------------------------------------------------------===//

#include "search/ShellText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gevo;

// LLVM's reader of response files drops empty words, and backslashes in single
// quotes. The second: where the last quote is, if it is open.
static std::pair<std::vector<std::string>, std::optional<size_t>>
split(StringRef Text) {
  std::vector<std::string> Words;
  bool Inside = false;
  char Quote = 0;
  size_t Opened = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char X = Text[I];
    if (!Quote && isSpace(X)) {
      Inside = false;
      continue;
    }
    if (!Inside)
      Words.emplace_back();
    Inside = true;
    if (X == Quote)
      Quote = 0;
    else if (!Quote && (X == '\'' || X == '"'))
      Quote = X, Opened = I;
    else if (X == '\\' && Quote != '\'' && I + 1 < Text.size() &&
             (!Quote || StringRef("\\\"$`").contains(Text[I + 1])))
      Words.back() += Text[++I];
    else
      Words.back() += X;
  }
  return {std::move(Words), Quote ? std::optional(Opened) : std::nullopt};
}

std::vector<std::string> gevo::splitCommand(StringRef Text) {
  return split(Text).first;
}

std::optional<size_t> gevo::findOpenQuote(StringRef Text) {
  return split(Text).second;
}

std::string gevo::shellWord(StringRef Word) {
  if (!Word.empty() && all_of(Word, [](char X) {
        return isAlnum(X) || StringRef("-_./=+,:@%").contains(X);
      }))
    return Word.str();
  std::string Text = "'";
  for (char X : Word)
    Text += X == '\'' ? "'\\''" : std::string(1, X);
  return Text + "'";
}

std::string gevo::shellText(ArrayRef<std::string> Words) {
  return join(map_range(Words, shellWord), " ");
}
