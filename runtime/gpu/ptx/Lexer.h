//===- Lexer.h - Tokens of PTX text -----------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts PTX text into tokens on demand. Comments and white space vanish here;
// a word that starts with a dot (a directive or an opcode's modifier) is one
// token, as is a register or label name.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_LEXER_H
#define GEVO_RUNTIME_GPU_PTX_LEXER_H

#include <cstdint>
#include <string_view>

namespace gevo::gpu::ptx {

enum class TokenKind : uint8_t {
  End,
  Error, ///< Text says what is wrong.
  Name,  ///< add, %r1, $L__BB0_2, _Z3fooi
  Dot,   ///< .f32, .reg; Text is without the dot
  Int,   ///< Value holds it; Unsigned if it had the suffix U
  Float, ///< decimal, 0f or 0d; Value holds the bits of a double or float
  String,
  Punct ///< one character, or two for shifts and comparisons
};

struct Token {
  TokenKind Kind = TokenKind::End;
  bool SpaceBefore = false; ///< White space or a line start came before it.
  bool Unsigned = false;
  bool Single = false; ///< A 0f literal: Value has 32 bits.
  std::string_view Text;
  uint64_t Value = 0;
  unsigned Line = 1;
  unsigned Column = 1;

  bool is(TokenKind K) const { return Kind == K; }
  bool isPunct(char C) const {
    return Kind == TokenKind::Punct && Text.size() == 1 && Text[0] == C;
  }
  bool isPunct(std::string_view S) const {
    return Kind == TokenKind::Punct && Text == S;
  }
  bool isDot(std::string_view S) const {
    return Kind == TokenKind::Dot && Text == S;
  }
};

/// A cursor over a text that must outlive it.
class Lexer {
public:
  explicit Lexer(std::string_view Text)
      : Cur(Text.data()), LineStart(Text.data()),
        Stop(Text.data() + Text.size()) {}

  /// The next token; End for ever once the text is used up.
  Token next();
  /// Moves past the closing brace of a block whose opening brace was the last
  /// token, without making tokens of what is inside (debug sections).
  void skipBraces();
  /// Makes every further token End.
  void stop() { Cur = Stop; }

private:
  bool skipSpace();
  void lexNumber(Token &T);
  void lexDecimalFloat(Token &T, const char *Begin);
  void fail(Token &T, std::string_view Why);

  const char *Cur;
  const char *LineStart;
  const char *Stop;
  unsigned Line = 1;
};

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_LEXER_H
