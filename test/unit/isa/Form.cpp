//===- Form.cpp - Instructions as patterns of their words -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Form.h"

#include <cassert>

using namespace gevo::isa;

Type Type::parse(std::string_view N) {
  static const struct {
    std::string_view Name;
    Type T;
  } Names[] = {{"u8", {Unsigned, 8, 1}},     {"u16", {Unsigned, 16, 1}},
               {"u32", {Unsigned, 32, 1}},   {"u64", {Unsigned, 64, 1}},
               {"s8", {Signed, 8, 1}},       {"s16", {Signed, 16, 1}},
               {"s32", {Signed, 32, 1}},     {"s64", {Signed, 64, 1}},
               {"b8", {Bits, 8, 1}},         {"b16", {Bits, 16, 1}},
               {"b32", {Bits, 32, 1}},       {"b64", {Bits, 64, 1}},
               {"b128", {Bits, 128, 1}},     {"f16", {Float, 16, 1}},
               {"f32", {Float, 32, 1}},      {"f64", {Float, 64, 1}},
               {"bf16", {Brain, 16, 1}},     {"f16x2", {Float, 16, 2}},
               {"bf16x2", {Brain, 16, 2}},   {"tf32", {Tf32, 32, 1}},
               {"u16x2", {Unsigned, 16, 2}}, {"s16x2", {Signed, 16, 2}},
               {"e4m3x2", {Bits, 16, 1}},    {"e5m2x2", {Bits, 16, 1}},
               {"u4", {Unsigned, 4, 1}},     {"s4", {Signed, 4, 1}},
               {"u2", {Unsigned, 2, 1}},     {"s2", {Signed, 2, 1}},
               {"pred", {Pred, 1, 1}}};
  for (const auto &Entry : Names)
    if (Entry.Name == N)
      return Entry.T;
  return {};
}

Form::Form(std::string Whole) : Text(std::move(Whole)) {
  for (size_t At = 0; At <= Text.size();) {
    size_t End = Text.find('.', At);
    End = End == std::string::npos ? Text.size() : End;
    Words.push_back(Text.substr(At, End - At));
    At = End + 1;
  }
  static const struct {
    std::string_view Word;
    Round R;
  } Directions[] = {
      {"rn", Round::Nearest}, {"rni", Round::Nearest}, {"rz", Round::Zero},
      {"rzi", Round::Zero},   {"rm", Round::Down},     {"rmi", Round::Down},
      {"rp", Round::Up},      {"rpi", Round::Up},      {"rna", Round::Away}};
  for (const std::string &W : Words) {
    Keys.push_back(wordKey(W));
    if (Type T = Type::parse(W); T.K != Type::None)
      Types.push_back(T);
    for (const auto &D : Directions)
      if (D.Word == W)
        Direction = D.R;
  }
}

std::string_view
Form::oneOf(std::initializer_list<std::string_view> List) const {
  for (std::string_view W : List)
    if (has(W))
      return W;
  return "";
}

std::vector<Form> gevo::isa::expand(std::string_view Pattern) {
  std::vector<std::string> Done = {""};
  while (!Pattern.empty()) {
    size_t Open = Pattern.find('{');
    std::string_view Plain = Pattern.substr(0, Open);
    for (std::string &S : Done)
      S += Plain;
    if (Open == std::string_view::npos)
      break;
    size_t Close = Pattern.find('}', Open);
    assert(Close != std::string_view::npos && "a pattern's braces match");
    std::string_view Choices = Pattern.substr(Open + 1, Close - Open - 1);
    std::vector<std::string> Next;
    for (const std::string &S : Done)
      for (size_t At = 0; At <= Choices.size();) {
        size_t End = Choices.find(',', At);
        End = End == std::string_view::npos ? Choices.size() : End;
        Next.push_back(S + std::string(Choices.substr(At, End - At)));
        At = End + 1;
      }
    Done = std::move(Next);
    Pattern = Pattern.substr(Close + 1);
  }
  std::vector<Form> Forms;
  for (std::string &S : Done)
    Forms.emplace_back(std::move(S));
  return Forms;
}
