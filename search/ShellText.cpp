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

namespace {
struct Word {
  std::string Text;
  size_t Start;
  bool Plain = true; ///< Without quotes and backslashes.
};
struct Words {
  std::vector<Word> All;
  std::optional<size_t> OpenQuote;
};
} // namespace

// LLVM's reader of response files drops empty words, and backslashes in single
// quotes.
static Words split(StringRef Text) {
  std::vector<Word> All;
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
      All.push_back({"", I});
    Inside = true;
    Word &W = All.back();
    bool Escapes = X == '\\' && Quote != '\'' && I + 1 < Text.size() &&
                   (!Quote || StringRef("\\\"$`").contains(Text[I + 1]));
    bool Opens = !Quote && (X == '\'' || X == '"');
    W.Plain &= !Escapes && !Opens;
    if (X == Quote)
      Quote = 0;
    else if (Opens)
      Quote = X, Opened = I;
    else
      W.Text += Escapes ? Text[++I] : X;
  }
  return {std::move(All), Quote ? std::optional(Opened) : std::nullopt};
}

std::vector<std::string> gevo::splitCommand(StringRef Text) {
  std::vector<std::string> All;
  for (Word &W : split(Text).All)
    All.push_back(std::move(W.Text));
  return All;
}

std::optional<size_t> gevo::findOpenQuote(StringRef Text) {
  return split(Text).OpenQuote;
}

std::optional<size_t> gevo::findShellWord(StringRef Text) {
  for (const Word &W : split(Text).All) {
    StringRef Rest = StringRef(W.Text).ltrim("0123456789");
    bool Redirects = Rest.starts_with(">") || Rest.starts_with("<") ||
                     Rest.starts_with("&>");
    if (W.Plain && (Redirects || is_contained({"|", "||", "|&", "&", "&&", ";"},
                                              StringRef(W.Text))))
      return W.Start;
  }
  return std::nullopt;
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
