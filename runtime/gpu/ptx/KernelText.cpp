//===- KernelText.cpp - One kernel of a text ------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens are enough: whatever a part mentions by name it may use. A name that
// is local and called as something of the module keeps that for nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/KernelText.h"
#include "runtime/gpu/ptx/Lexer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

using namespace gevo::gpu::ptx;

namespace {

/// What stands outside of all others: a directive, a function, variables.
struct Part {
  size_t Begin = 0, End = 0; ///< In the text.
  unsigned Line = 0;
  bool Always = false; ///< It is about all that follows.
  bool Entry = false, Function = false;
  bool Constant = false; ///< Variables in constant memory.
  bool Whole = false;    ///< It makes no sense without all others.
  std::vector<std::string_view> Defines, Mentions;
};

class Cutter {
public:
  explicit Cutter(std::string_view Text) : Text(Text), Lex(Text) {}

  /// Nothing if the text is not understood.
  std::vector<Part> run();

private:
  void advance();
  void take(Part &P);
  void cutDirective(Part &P);
  void cutSection(Part &P);
  void cutFunction(Part &P);
  void cutVariables(Part &P);
  bool atEnd() const {
    return Tok.is(TokenKind::End) || Tok.is(TokenKind::Error);
  }

  std::string_view Text;
  Lexer Lex;
  Token Tok;
  size_t TokBegin = 0, TokEnd = 0;
};

} // namespace

void Cutter::advance() {
  Tok = Lex.next();
  if (atEnd())
    return;
  // Dots and quotes are not part of a token's text.
  bool Quoted = Tok.is(TokenKind::String);
  TokBegin = size_t(Tok.Text.data() - Text.data()) -
             (Tok.is(TokenKind::Dot) || Quoted);
  TokEnd = size_t(Tok.Text.data() - Text.data()) + Tok.Text.size() + Quoted;
}

/// Makes the current token the last of \p P.
void Cutter::take(Part &P) {
  P.End = TokEnd;
  if (Tok.is(TokenKind::Name))
    P.Mentions.push_back(Tok.Text);
  P.Whole |= Tok.isDot("callprototype") || Tok.isDot("calltargets");
  advance();
}

// None of these has a dot inside, nor needs to have a semicolon behind it.
void Cutter::cutDirective(Part &P) {
  P.Always = true;
  do
    take(P);
  while (!atEnd() && !Tok.is(TokenKind::Dot) && !Tok.isPunct(';'));
  if (Tok.isPunct(';'))
    take(P);
}

// Clang writes an empty one into every text that has lines of the source.
void Cutter::cutSection(Part &P) {
  P.Always = true;
  while (!atEnd() && !Tok.isPunct('{'))
    take(P);
  take(P);
  P.Whole |= !Tok.isPunct('}');
  if (P.Whole)
    Lex.stop();
  take(P);
}

void Cutter::cutFunction(Part &P) {
  P.Function = true;
  unsigned Depth = 0;
  bool Pragma = false; // One may stand before the body.
  while (!atEnd()) {
    if (P.Defines.empty() && !Depth && Tok.is(TokenKind::Name))
      P.Defines.push_back(Tok.Text);
    P.Entry |= P.Defines.empty() && Tok.isDot("entry");
    Pragma |= Tok.isDot("pragma");
    Depth += Tok.isPunct('(') || Tok.isPunct('{');
    bool Closed = Tok.isPunct(')') || Tok.isPunct('}');
    bool Body = Tok.isPunct('}');
    Depth -= Closed && Depth;
    bool Ends = Tok.isPunct(';');
    bool Last = !Depth && (Body || (Ends && !Pragma));
    Pragma &= !Ends;
    take(P);
    if (Last)
      return;
  }
}

void Cutter::cutVariables(Part &P) {
  P.Constant = Tok.isDot("const");
  unsigned Depth = 0;
  bool Value = false;
  while (!atEnd()) {
    if (!Depth && !Value && Tok.is(TokenKind::Name))
      P.Defines.push_back(Tok.Text);
    if (!Depth)
      Value = Tok.isPunct('=') || (Value && !Tok.isPunct(','));
    Depth += Tok.isPunct('(') || Tok.isPunct('{') || Tok.isPunct('[');
    bool Closed = Tok.isPunct(')') || Tok.isPunct('}') || Tok.isPunct(']');
    Depth -= Closed && Depth;
    bool Last = !Depth && Tok.isPunct(';');
    take(P);
    if (Last)
      return;
  }
}

std::vector<Part> Cutter::run() {
  std::vector<Part> Parts;
  advance();
  while (!atEnd()) {
    Part P;
    P.Begin = TokBegin;
    P.Line = Tok.Line;
    if (Tok.isDot("version") || Tok.isDot("target") ||
        Tok.isDot("address_size") || Tok.isDot("file") || Tok.isDot("pragma") ||
        Tok.isDot("loc")) {
      cutDirective(P);
    } else if (Tok.isDot("section")) {
      cutSection(P);
    } else if (Tok.isDot("alias")) {
      advance();
      P.Defines.push_back(Tok.Text);
      while (!atEnd() && !Tok.isPunct(';'))
        take(P);
      take(P);
    } else {
      while (Tok.isDot("visible") || Tok.isDot("extern") || Tok.isDot("weak") ||
             Tok.isDot("common"))
        take(P);
      if (Tok.isDot("entry") || Tok.isDot("func"))
        cutFunction(P);
      else
        cutVariables(P);
    }
    Parts.push_back(std::move(P));
  }
  return Tok.is(TokenKind::Error) ? std::vector<Part>() : Parts;
}

/// Something that is not \p Kept calls or points to a function that is: how it
/// is called may depend on that.
static bool isShared(const std::vector<Part> &Parts,
                     const std::vector<bool> &Kept) {
  std::unordered_set<std::string_view> Functions;
  for (size_t I = 0; I < Parts.size(); ++I)
    if (Kept[I] && Parts[I].Function && !Parts[I].Entry)
      Functions.insert(Parts[I].Defines.begin(), Parts[I].Defines.end());
  for (size_t I = 0; I < Parts.size() && !Functions.empty(); ++I)
    if (!Kept[I])
      for (std::string_view Name : Parts[I].Mentions)
        if (Functions.count(Name))
          return true;
  return false;
}

KernelText gevo::gpu::ptx::kernelText(std::string_view Ptx,
                                      std::string_view Entry) {
  KernelText Whole{std::string(Ptx), {}};
  std::vector<Part> Parts = Cutter(Ptx).run();
  std::unordered_multimap<std::string_view, size_t> Defined;
  std::vector<bool> Kept(Parts.size());
  std::vector<size_t> Next;
  auto Keep = [&](size_t I) {
    if (!Kept[I])
      Next.push_back(I);
    Kept[I] = true;
  };
  bool Found = false;
  for (size_t I = 0; I < Parts.size(); ++I) {
    bool Wanted = Parts[I].Entry && !Parts[I].Defines.empty() &&
                  Parts[I].Defines[0] == Entry;
    Found |= Wanted;
    if (Parts[I].Always || Wanted)
      Keep(I);
    for (std::string_view Name : Parts[I].Defines)
      Defined.emplace(Name, I);
  }
  if (!Found)
    return Whole;
  while (!Next.empty()) {
    const Part &P = Parts[Next.back()];
    Next.pop_back();
    if (P.Whole)
      return Whole;
    // The assembler knows where in their bank constants are, and its code does.
    if (P.Constant)
      for (size_t I = 0; I < Parts.size(); ++I)
        if (Parts[I].Constant)
          Keep(I);
    for (std::string_view Name : P.Mentions)
      for (auto [It, End] = Defined.equal_range(Name); It != End; ++It)
        Keep(It->second);
  }
  if (isShared(Parts, Kept))
    return Whole;
  KernelText Cut;
  Cut.Lines.push_back(0);
  for (size_t I = 0; I < Parts.size(); ++I) {
    if (!Kept[I])
      continue;
    std::string_view Text =
        Ptx.substr(Parts[I].Begin, Parts[I].End - Parts[I].Begin);
    (Cut.Text += Text) += '\n';
    size_t Count = size_t(std::count(Text.begin(), Text.end(), '\n')) + 1;
    for (size_t L = 0; L < Count; ++L)
      Cut.Lines.push_back(Parts[I].Line + uint32_t(L));
  }
  return Cut;
}
