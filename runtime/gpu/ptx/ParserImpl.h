//===- ParserImpl.h - State of the PTX parser -------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The class that Parser.cpp (declarations), ParseBody.cpp (instructions) and
// ParseExpr.cpp (constants and initialisers) implement together. Private to
// this folder.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_PARSERIMPL_H
#define GEVO_RUNTIME_GPU_PTX_PARSERIMPL_H

#include "runtime/gpu/ptx/Lexer.h"
#include "runtime/gpu/ptx/Module.h"
#include "runtime/gpu/ptx/Result.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gevo::gpu::ptx {

/// Bounds on what a text may ask for, so that no text exhausts the process.
constexpr uint32_t MaxRegistersPerFunction = 1u << 20;
constexpr uint64_t MaxVariableBytes = uint64_t(1) << 36;
constexpr uint32_t MaxParamBytes = 32764;
constexpr uint32_t MaxScopeDepth = 256;
constexpr uint32_t MaxExpressionDepth = 64;
constexpr uint32_t MaxAlign = 1u << 16;

/// The value of a constant expression: an integer, or a float of 64 bits, or of
/// 32 where a single literal of that size stands alone.
struct Constant {
  uint64_t Bits = 0;
  bool IsReal = false;
  bool Single = false;

  static Constant ofReal(double D);
  double real() const; ///< Of an integer, too, as a signed one.
  bool isTrue() const { return IsReal ? real() != 0 : Bits != 0; }
};

class Parser {
public:
  explicit Parser(std::string_view Text) : Lex(Text) {}
  Result<std::unique_ptr<Module>> run();

private:
  /// A .reg declaration: one register, a vector, or a numbered range.
  struct RegisterDecl {
    uint32_t First = 0;
    uint32_t Count = 1;
    uint8_t VectorLength = 1;
  };
  struct Range {
    std::string_view Prefix;
    RegisterDecl Decl;
  };
  /// A use of a label that has not been seen yet.
  struct Fixup {
    std::string_view Name;
    uint32_t Operand; ///< In Function::Operands, or ...
    uint32_t List;    ///< ... in this target list (None if Operand counts)
    uint32_t Element;
    Token At;
  };
  struct Scope {
    std::vector<Range> Ranges;
    std::unordered_map<std::string_view, RegisterDecl> Registers;
    std::unordered_map<std::string_view, uint32_t> Labels;
    std::unordered_map<std::string_view, uint32_t> Variables;
    std::unordered_map<std::string_view, uint32_t> TargetLists;
    std::unordered_map<std::string_view, uint32_t> Prototypes;
    std::vector<Fixup> Fixups;
  };
  /// Qualifiers in front of a variable.
  struct Declarator {
    Linkage Link = Linkage::Internal;
    Space Where = Space::Global;
    Mod Type = Mod::None;
    uint32_t Align = 0;
    uint32_t Vector = 1;
    bool Managed = false;
  };

  // Parser.cpp: tokens, errors, declarations.
  void advance();
  bool accept(char C);
  bool expect(char C, const char *After);
  bool acceptDot(std::string_view S);
  std::nullptr_t error(const Token &At, std::string Message);
  std::nullptr_t error(std::string Message) {
    return error(Tok, std::move(Message));
  }
  bool failed() const { return Failed; }
  static std::string quote(const Token &T);
  void parseTopLevel();
  void parseVersion();
  void parseTarget();
  void parseFile();
  void parseAlias();
  void skipSection();
  void parseLinked();
  void parseVariables(Declarator D, bool Local);
  bool parseDeclarator(Declarator &D);
  uint32_t parseOneVariable(const Declarator &D, bool IsParam);
  void parseAttribute(Declarator &D);
  uint32_t declare(Variable V, const Token &At, bool Local);
  void parseFunction(Linkage Link);
  void parseFormals(std::vector<Formal> &Out, bool IsKernel);
  void parseFunctionDirectives();
  uint32_t declareFunction(Function F, const Token &At);
  void parseTriple(uint32_t (&Out)[3]);
  uint32_t parseCount(const char *What, uint64_t Max);

  // ParseBody.cpp: statements.
  void parseBody();
  void parseStatement();
  void openScope();
  void closeScope();
  void parseRegisters();
  void parseLoc();
  void parseLabel(const Token &Name);
  void parseTargetList(const Token &Name);
  void parsePrototype(const Token &Name);
  void parseOperands(Instruction &I, const OpcodeInfo &Info);
  Operand parseOperand(bool WantPair);
  Operand parseNameOperand();
  void parsePart(PartSelect &P);
  Operand parseVectorOperand();
  Operand parseAddress();
  void parseSubscript(Operand &O);
  void parseLabelOperand(Instruction &I, bool TargetList);
  void parseCall(Instruction &I);
  std::vector<Operand> parseCallList();
  bool findRegister(std::string_view Name, RegisterDecl &Out, uint32_t &Index);
  uint32_t findSymbol(std::string_view Name) const;
  bool parsePredicate(uint32_t &Reg);

  // ParseOpcode.cpp: instructions up to their operands.
  void parseInstruction();
  bool parseOpcode(Instruction &I);
  void refuse(Instruction I, const Token &At, std::string Text);
  std::string textOf(const Instruction &I, const OpcodeInfo &Info) const;
  bool parseModifiers(Instruction &I, const OpcodeInfo &Info, const Token &At);
  bool checkForm(const Instruction &I, const OpcodeInfo &Info, const Token &At);
  void splitMove(const Instruction &I, const Token &At);
  void checkOperandCount(const Instruction &I, const OpcodeInfo &Info,
                         const Token &At);

  // ParseExpr.cpp: constants.
  int64_t parseConstant();
  Constant parseValue();
  Constant parseTernary(unsigned Depth);
  Constant parseBinary(unsigned MinPrec, unsigned Depth);
  Constant parseUnary(unsigned Depth);
  Constant parseCast(unsigned Depth);
  bool applyReal(std::string_view Op, Constant &Left, const Constant &Right,
                 const Token &At);
  static bool applyBinary(std::string_view Op, int64_t A, int64_t B,
                          bool Unsigned, int64_t &Out);
  void parseInitialiser(Variable &V, uint64_t &Elements, unsigned ElementBytes);
  void parseInitList(Variable &V, uint64_t &Element, unsigned ElementBytes,
                     const std::vector<uint64_t> &Dims, unsigned Level);
  void parseInitValue(Variable &V, uint64_t Element, unsigned ElementBytes);

  Lexer Lex;
  Token Tok;
  Token Ahead; ///< Valid if HasAhead.
  bool HasAhead = false;
  const Token &peek();
  bool Failed = false;
  bool ExprUnsigned = false;
  bool Parts = false; ///< Operands may name a part of a register.
  Diagnostic Error;
  std::unique_ptr<Module> M = std::make_unique<Module>();
  Function *F = nullptr;
  uint32_t FunctionIndex = None;
  std::vector<Scope> Scopes;
  std::unordered_set<std::string> KnownForms; ///< Opcode and modifiers.
  uint32_t CurrentLoc = None;
};

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_PARSERIMPL_H
