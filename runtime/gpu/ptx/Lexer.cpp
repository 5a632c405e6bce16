//===- Lexer.cpp - Tokens of PTX text -------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Lexer.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace gevo::gpu::ptx;

namespace {
bool isDigit(char C) { return C >= '0' && C <= '9'; }
bool isNameStart(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_' ||
         C == '$' || C == '%';
}
bool isNameChar(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || isDigit(C) ||
         C == '_' || C == '$';
}
int hexDigit(char C) {
  if (isDigit(C))
    return C - '0';
  if (C >= 'a' && C <= 'f')
    return C - 'a' + 10;
  if (C >= 'A' && C <= 'F')
    return C - 'A' + 10;
  return -1;
}
} // namespace

void Lexer::fail(Token &T, std::string_view Why) {
  T.Kind = TokenKind::Error;
  T.Text = Why;
  stop();
}

/// Returns false when a comment has no end.
bool Lexer::skipSpace() {
  while (Cur != Stop) {
    char C = *Cur;
    if (C == '\n') {
      ++Line;
      LineStart = ++Cur;
    } else if (C == ' ' || C == '\t' || C == '\r' || C == '\0' || C == '\f' ||
               C == '\v') {
      ++Cur;
    } else if (C == '/' && Stop - Cur > 1 && Cur[1] == '/') {
      const void *NL = std::memchr(Cur, '\n', size_t(Stop - Cur));
      Cur = NL ? static_cast<const char *>(NL) : Stop;
    } else if (C == '/' && Stop - Cur > 1 && Cur[1] == '*') {
      Cur += 2;
      while (true) {
        if (Stop - Cur < 2) {
          Cur = Stop;
          return false;
        }
        if (Cur[0] == '*' && Cur[1] == '/')
          break;
        if (*Cur == '\n') {
          ++Line;
          LineStart = Cur + 1;
        }
        ++Cur;
      }
      Cur += 2;
    } else if (C == '#') {
      // A preprocessor line marker.
      const void *NL = std::memchr(Cur, '\n', size_t(Stop - Cur));
      Cur = NL ? static_cast<const char *>(NL) : Stop;
    } else {
      break;
    }
  }
  return true;
}

void Lexer::lexDecimalFloat(Token &T, const char *Begin) {
  while (Cur != Stop && isDigit(*Cur))
    ++Cur;
  if (Cur != Stop && *Cur == '.') {
    ++Cur;
    while (Cur != Stop && isDigit(*Cur))
      ++Cur;
  }
  if (Cur != Stop && (*Cur == 'e' || *Cur == 'E')) {
    ++Cur;
    if (Cur != Stop && (*Cur == '+' || *Cur == '-'))
      ++Cur;
    while (Cur != Stop && isDigit(*Cur))
      ++Cur;
  }
  T.Kind = TokenKind::Float;
  T.Text = std::string_view(Begin, size_t(Cur - Begin));
  // Whatever the program's locale is.
  double D = 0;
  if (std::from_chars(Begin, Cur, D).ec == std::errc::result_out_of_range)
    D = std::strtod(std::string(T.Text).c_str(), nullptr);
  std::memcpy(&T.Value, &D, 8);
}

void Lexer::lexNumber(Token &T) {
  const char *Begin = Cur;
  T.Kind = TokenKind::Int;
  char Second = Stop - Cur > 1 ? Cur[1] : '\0';
  if (*Cur == '0' &&
      (Second == 'f' || Second == 'F' || Second == 'd' || Second == 'D')) {
    bool Single = Second == 'f' || Second == 'F';
    unsigned Digits = Single ? 8 : 16;
    Cur += 2;
    for (unsigned I = 0; I < Digits; ++I, ++Cur) {
      int H = Cur != Stop ? hexDigit(*Cur) : -1;
      if (H < 0)
        return fail(T, Single ? "a 0f literal has 8 hexadecimal digits"
                              : "a 0d literal has 16 hexadecimal digits");
      T.Value = T.Value << 4 | unsigned(H);
    }
    T.Kind = TokenKind::Float;
    T.Single = Single;
    T.Text = std::string_view(Begin, size_t(Cur - Begin));
    return;
  }
  unsigned Base = 10;
  if (*Cur == '0' && (Second == 'x' || Second == 'X')) {
    Base = 16;
    Cur += 2;
  } else if (*Cur == '0' && (Second == 'b' || Second == 'B')) {
    Base = 2;
    Cur += 2;
  } else if (*Cur == '0' && isDigit(Second)) {
    Base = 8;
  }
  unsigned Digits = 0;
  bool Overflow = false;
  while (Cur != Stop) {
    int H = hexDigit(*Cur);
    if (H < 0 || unsigned(H) >= Base)
      break;
    unsigned __int128 Wide = (unsigned __int128)T.Value * Base + unsigned(H);
    Overflow |= (Wide >> 64) != 0;
    T.Value = uint64_t(Wide);
    ++Cur;
    ++Digits;
  }
  if (!Digits)
    return fail(T, "a number without digits");
  if (Base == 10 || Base == 8)
    if (Cur != Stop && (*Cur == '.' || *Cur == 'e' || *Cur == 'E')) {
      T.Value = 0;
      Cur = Begin;
      return lexDecimalFloat(T, Begin);
    }
  if (Cur != Stop && (*Cur == 'U' || *Cur == 'u')) {
    T.Unsigned = true;
    ++Cur;
  }
  if (Overflow)
    return fail(T, "the number does not fit in 64 bits");
  T.Text = std::string_view(Begin, size_t(Cur - Begin));
}

Token Lexer::next() {
  Token T;
  const char *Before = Cur;
  bool Closed = skipSpace();
  T.SpaceBefore = Cur != Before;
  T.Line = Line;
  T.Column = unsigned(Cur - LineStart) + 1;
  if (!Closed) {
    fail(T, "a comment without an end");
    return T;
  }
  if (Cur == Stop)
    return T;
  const char *Begin = Cur;
  char C = *Cur;
  if (isNameStart(C)) {
    ++Cur;
    while (Cur != Stop && isNameChar(*Cur))
      ++Cur;
    // A % alone is the remainder of constants.
    T.Kind = C == '%' && Cur == Begin + 1 ? TokenKind::Punct : TokenKind::Name;
  } else if (C == '.' && Stop - Cur > 1 && isNameChar(Cur[1]) &&
             !isDigit(Cur[1])) {
    ++Cur;
    ++Begin;
    while (Cur != Stop && (isNameChar(*Cur) ||
                           (*Cur == ':' && Stop - Cur > 2 && Cur[1] == ':'))) {
      Cur += *Cur == ':' ? 2 : 1;
    }
    T.Kind = TokenKind::Dot;
  } else if (isDigit(C)) {
    lexNumber(T);
    return T;
  } else if (C == '.' && Stop - Cur > 1 && isDigit(Cur[1])) {
    lexDecimalFloat(T, Begin);
    return T;
  } else if (C == '"') {
    ++Cur;
    ++Begin;
    while (Cur != Stop && *Cur != '"' && *Cur != '\n')
      Cur += *Cur == '\\' && Stop - Cur > 1 && Cur[1] != '\n' ? 2 : 1;
    if (Cur == Stop || *Cur != '"') {
      fail(T, "a string without an end");
      return T;
    }
    T.Kind = TokenKind::String;
    T.Text = std::string_view(Begin, size_t(Cur - Begin));
    ++Cur;
    return T;
  } else {
    static const char *const Pairs[] = {
        "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    ++Cur;
    for (const char *P : Pairs)
      if (C == P[0] && Cur != Stop && *Cur == P[1]) {
        ++Cur;
        break;
      }
    T.Kind = TokenKind::Punct;
  }
  T.Text = std::string_view(Begin, size_t(Cur - Begin));
  return T;
}

void Lexer::skipBraces() {
  unsigned Depth = 1;
  while (Cur != Stop && Depth) {
    switch (*Cur++) {
    case '{':
      ++Depth;
      break;
    case '}':
      --Depth;
      break;
    case '\n':
      ++Line;
      LineStart = Cur;
      break;
    case '"':
      while (Cur != Stop && *Cur != '"' && *Cur != '\n')
        ++Cur;
      if (Cur != Stop && *Cur == '"')
        ++Cur;
      break;
    default:
      break;
    }
  }
}
