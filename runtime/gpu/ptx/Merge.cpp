//===- Merge.cpp - Several PTX texts as one -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text is cut into its items: variables, declarations and definitions of
// functions. Of each name one item stays. Prototypes of all functions, and of
// the kernels that a variable names, come first, then variables, each after
// those that its value names, then functions: PTX wants what is used to be
// declared before.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Merge.h"
#include "runtime/gpu/ptx/Lexer.h"
#include "runtime/gpu/ptx/Parser.h"

#include <algorithm>
#include <map>

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

namespace {

enum class Bond : uint8_t { Internal, Extern, Weak, Strong };

/// A declaration or definition at the top of a text.
struct Item {
  std::vector<Token> Tokens;
  std::string Name;
  Bond Link = Bond::Internal;
  bool IsFunction = false, IsEntry = false, HasBody = false;
  bool IsUnsized = false; ///< extern .shared x[]: every text may have it.

  bool isDeclaration() const {
    return IsFunction ? !HasBody : Link == Bond::Extern && !IsUnsized;
  }
  const char *begin() const { return start(Tokens.front()); }
  /// A name with a dot is without it in its token.
  static const char *start(const Token &T) {
    return T.Text.data() - (T.is(TokenKind::Dot) ? 1 : 0);
  }
};

struct Source {
  const NamedText *From = nullptr;
  std::string Version, Target;
  std::vector<std::string> Files;         ///< .file lines without their number.
  std::map<uint64_t, size_t> FileNumbers; ///< To places in Files.
  std::vector<Item> Items;
  std::map<std::string, std::string> Renamed;
};

/// Cuts one text.
class Cutter {
public:
  Cutter(Source &S) : S(S), Lex(S.From->Text) {}

  Result<bool> cut() {
    for (Token T = Lex.next(); !T.is(TokenKind::End); T = Lex.next()) {
      if (T.is(TokenKind::Error))
        return fail(T, std::string(T.Text));
      if (T.isDot("version")) {
        S.Version = Lex.next().Text;
      } else if (T.isDot("target")) {
        takeTarget(T.Line);
      } else if (T.isDot("address_size")) {
        Lex.next();
      } else if (T.isDot("file")) {
        takeFile(T.Line);
      } else if (T.isDot("section")) {
        while (!T.isPunct('{') && !T.is(TokenKind::End))
          T = Lex.next();
        Lex.skipBraces();
      } else if (T.isDot("pragma")) {
        Lex.next();
      } else if (!T.isPunct(';')) {
        if (Result<bool> Ok = takeItem(T); !Ok)
          return Ok;
      }
    }
    return true;
  }

private:
  Diagnostic fail(const Token &T, const std::string &Why) {
    return {S.From->Name + ":" + Diagnostic{Why, T.Line, T.Column}.str()};
  }

  /// The rest of line \p Line. What follows is not touched.
  std::string restOfLine(unsigned Line, Token &First) {
    Lexer Ahead = Lex;
    std::string All;
    for (Token T = Ahead.next(); !T.is(TokenKind::End) && T.Line == Line;
         T = Ahead.next()) {
      if (All.empty())
        First = T;
      const char *End = T.Text.data() + T.Text.size();
      All.assign(Item::start(First), End + (T.is(TokenKind::String) ? 1 : 0));
      Lex = Ahead;
    }
    return All;
  }

  void takeTarget(unsigned Line) {
    Token First;
    S.Target = restOfLine(Line, First);
  }

  void takeFile(unsigned Line) {
    Token Number;
    std::string Text = restOfLine(Line, Number);
    S.FileNumbers[Number.Value] = S.Files.size();
    S.Files.push_back(Text.substr(Number.Text.size()));
  }

  Result<bool> takeItem(Token T) {
    Item I;
    unsigned Depth = 0;
    for (;; T = Lex.next()) {
      if (T.is(TokenKind::End) || T.is(TokenKind::Error))
        return fail(T, "the text ends in the middle of a declaration");
      I.Tokens.push_back(T);
      bool Opens = T.isPunct('{') || T.isPunct('(') || T.isPunct('[');
      bool Closes = T.isPunct('}') || T.isPunct(')') || T.isPunct(']');
      I.HasBody |= I.IsFunction && T.isPunct('{');
      if (Depth == 0)
        look(I, T);
      Depth += Opens;
      Depth -= Closes && Depth;
      if (Depth == 0 && (T.isPunct(';') || (I.HasBody && T.isPunct('}'))))
        break;
    }
    if (I.Name.empty())
      return fail(I.Tokens.front(), "this declares nothing that has a name");
    S.Items.push_back(std::move(I));
    return true;
  }

  /// A token outside of braces and parentheses.
  void look(Item &I, const Token &T) {
    if (T.isDot("extern"))
      I.Link = Bond::Extern;
    else if (T.isDot("visible"))
      I.Link = Bond::Strong;
    else if (T.isDot("weak") || T.isDot("common"))
      I.Link = Bond::Weak;
    else if (T.isDot("func") || T.isDot("entry"))
      I.IsFunction = true;
    else if (T.is(TokenKind::Name) && I.Name.empty())
      I.Name = T.Text;
    I.IsEntry |= T.isDot("entry");
    I.IsUnsized |= T.isDot("shared") && I.Link == Bond::Extern;
  }

  Source &S;
  Lexer Lex;
};

/// Writes items of a source with their names and files renumbered.
class Writer {
public:
  Writer(const Source &S, size_t FirstFile) : S(S), FirstFile(FirstFile) {}

  /// Up to the brace, with a semicolon in its place, if \p Prototype; that of a
  /// kernel is without what it says of its blocks (.maxntid and the like).
  std::string write(const Item &I, bool Prototype = false) const {
    std::string Out;
    const char *At = I.begin();
    bool Closed = false;
    for (size_t K = 0; K < I.Tokens.size(); ++K) {
      const Token &T = I.Tokens[K];
      if (Prototype && (T.isPunct('{') || (I.IsEntry && Closed)))
        break;
      Closed |= T.isPunct(')');
      if (T.isDot("loc")) {
        K = writeLoc(I, K, At, Out);
        continue;
      }
      Out.append(At, T.Text.data());
      auto New = T.is(TokenKind::Name) ? S.Renamed.find(std::string(T.Text))
                                       : S.Renamed.end();
      Out += New == S.Renamed.end() ? std::string(T.Text) : New->second;
      At = T.Text.data() + T.Text.size();
    }
    return Out + (Prototype ? ";\n" : "\n");
  }

private:
  /// ".loc file line column" without what refers to a debug section; returns
  /// the last token of it.
  size_t writeLoc(const Item &I, size_t K, const char *&At,
                  std::string &Out) const {
    const Token &Loc = I.Tokens[K];
    Out.append(At, Item::start(Loc));
    size_t Last = K;
    while (Last + 1 < I.Tokens.size() && I.Tokens[Last + 1].Line == Loc.Line)
      ++Last;
    const Token &End = I.Tokens[Last];
    At = End.Text.data() + End.Text.size();
    auto File = K + 3 <= Last ? S.FileNumbers.find(I.Tokens[K + 1].Value)
                              : S.FileNumbers.end();
    if (File != S.FileNumbers.end())
      Out += ".loc " + std::to_string(FirstFile + File->second) + " " +
             std::string(I.Tokens[K + 2].Text) + " " +
             std::string(I.Tokens[K + 3].Text);
    return Last;
  }

  const Source &S;
  size_t FirstFile;
};

struct Chosen {
  size_t Source = 0;
  const Item *Is = nullptr;
};

/// Which definition each visible name has.
class Names {
public:
  explicit Names(std::vector<Source> &All) : All(All) {}

  Result<bool> choose() {
    for (size_t K = 0; K < All.size(); ++K)
      for (const Item &I : All[K].Items) {
        if (I.Link == Bond::Internal || I.isDeclaration())
          continue;
        Chosen &C = Defined[I.Name];
        if (!C.Is || (C.Is->Link == Bond::Weak && I.Link == Bond::Strong))
          C = {K, &I};
        else if (C.Is->Link == Bond::Strong && I.Link == Bond::Strong)
          return Diagnostic{"'" + I.Name + "' is defined in " +
                            All[C.Source].From->Name + " and in " +
                            All[K].From->Name};
      }
    return true;
  }

  /// Names that several texts have and only one may see.
  void renameInternals() {
    std::map<std::string, unsigned> Users;
    for (const Source &S : All) {
      std::set<std::string> Own;
      for (const Item &I : S.Items)
        Own.insert(I.Name);
      for (const std::string &Name : Own)
        ++Users[Name];
    }
    for (size_t K = 0; K < All.size(); ++K)
      for (const Item &I : All[K].Items)
        if (I.Link == Bond::Internal && Users[I.Name] > 1)
          All[K].Renamed[I.Name] = I.Name + "$" + std::to_string(K);
  }

  bool keeps(const Item &I) const {
    if (I.Link == Bond::Internal)
      return !I.isDeclaration();
    auto It = Defined.find(I.Name);
    return It != Defined.end() && It->second.Is == &I;
  }
  bool defines(const std::string &Name) const { return Defined.count(Name); }

private:
  std::vector<Source> &All;
  std::map<std::string, Chosen> Defined;
};

/// Writes the whole.
class Merger {
public:
  Merger(std::vector<Source> &All, const Names &Of) : All(All), Of(Of) {}

  MergedText merge() {
    header();
    declarations();
    variables();
    for (size_t K = 0; K < All.size(); ++K)
      for (const Item &I : All[K].Items)
        if (I.IsFunction && Of.keeps(I))
          M.Text += writer(K).write(I) + "\n";
    return std::move(M);
  }

private:
  Writer writer(size_t K) const { return Writer(All[K], FirstFiles[K]); }

  void header() {
    auto number = [](const std::string &Version) {
      size_t Dot = Version.find('.');
      return std::make_pair(
          std::atoi(Version.c_str()),
          Dot == Version.npos ? 0 : std::atoi(Version.c_str() + Dot + 1));
    };
    const Source *Newest = &All[0];
    std::string Target = All[0].Target;
    for (const Source &S : All) {
      if (number(S.Version) > number(Newest->Version))
        Newest = &S;
      // "sm_70" and "sm_100": the longer one is the newer.
      if (std::make_pair(S.Target.size(), S.Target) >
          std::make_pair(Target.size(), Target))
        Target = S.Target;
    }
    M.Text = ".version " + Newest->Version + "\n.target " + Target +
             "\n.address_size 64\n\n";
    size_t Next = 1;
    for (const Source &S : All) {
      FirstFiles.push_back(Next);
      for (const std::string &File : S.Files)
        M.Text += ".file " + std::to_string(Next++) + File + "\n";
    }
  }

  /// Of all functions, those included that nobody defines.
  void declarations() {
    std::set<std::string> Seen, Named = namedByVariables();
    for (size_t K = 0; K < All.size(); ++K)
      for (const Item &I : All[K].Items) {
        bool Needed = !I.IsEntry || Named.count(nameIn(K, I.Name));
        if (I.IsFunction && Needed && Of.keeps(I))
          M.Text += writer(K).write(I, /*Prototype=*/true);
        bool Lacks =
            I.Link == Bond::Extern && I.isDeclaration() && !Of.defines(I.Name);
        if (!Lacks || !Seen.insert(I.Name).second)
          continue;
        M.Text += writer(K).write(I);
        if (!isBuiltin(I.Name))
          M.Undefined.insert(I.Name);
      }
  }

  /// Clang keeps kernels that are instances of templates by an array of them.
  std::set<std::string> namedByVariables() const {
    std::set<std::string> Names;
    for (size_t K = 0; K < All.size(); ++K)
      for (const Item &I : All[K].Items)
        if (!I.IsFunction && Of.keeps(I))
          for (const Token &T : I.Tokens)
            if (T.is(TokenKind::Name))
              Names.insert(nameIn(K, std::string(T.Text)));
    return Names;
  }

  void variables() {
    std::vector<Chosen> Left;
    std::set<std::string> Waiting;
    for (size_t K = 0; K < All.size(); ++K)
      for (const Item &I : All[K].Items)
        if (!I.IsFunction && Of.keeps(I)) {
          Left.push_back({K, &I});
          Waiting.insert(nameIn(K, I.Name));
        }
    while (!Left.empty()) {
      auto ready = [&](const Chosen &C) {
        const std::vector<Token> &T = C.Is->Tokens;
        return std::none_of(T.begin(), T.end(), [&](const Token &One) {
          std::string Name = nameIn(C.Source, std::string(One.Text));
          return One.is(TokenKind::Name) && Waiting.count(Name) &&
                 One.Text != C.Is->Name;
        });
      };
      auto Next = std::find_if(Left.begin(), Left.end(), ready);
      // A circle cannot be said in PTX; whoever reads it will tell.
      if (Next == Left.end())
        Next = Left.begin();
      M.Text += writer(Next->Source).write(*Next->Is);
      Waiting.erase(nameIn(Next->Source, Next->Is->Name));
      Left.erase(Next);
    }
    M.Text += "\n";
  }

  std::string nameIn(size_t K, const std::string &Name) const {
    auto It = All[K].Renamed.find(Name);
    return It == All[K].Renamed.end() ? Name : It->second;
  }

  std::vector<Source> &All;
  const Names &Of;
  std::vector<size_t> FirstFiles;
  MergedText M;
};

} // namespace

Result<MergedText>
gevo::gpu::ptx::mergeTexts(const std::vector<NamedText> &Texts) {
  if (Texts.empty())
    return Diagnostic{"there is nothing to merge"};
  std::vector<Source> All(Texts.size());
  for (size_t K = 0; K < Texts.size(); ++K) {
    All[K].From = &Texts[K];
    if (Result<bool> Ok = Cutter(All[K]).cut(); !Ok)
      return Ok.error();
    if (All[K].Version.empty() || All[K].Target.empty())
      return Diagnostic{Texts[K].Name + ": no PTX: .version or .target lacks"};
  }
  Names Of(All);
  if (Result<bool> Ok = Of.choose(); !Ok)
    return Ok.error();
  Of.renameInternals();
  return Merger(All, Of).merge();
}
