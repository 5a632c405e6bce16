//===- Cfg.cpp - Control flow of a parsed function ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Cfg.h"

#include <algorithm>

using namespace gevo::gpu::ptx;

namespace {
bool endsBlock(const Instruction &I) {
  switch (I.Op) {
  case Opcode::Bra:
  case Opcode::Brx:
  case Opcode::Ret:
  case Opcode::Exit:
  case Opcode::Trap:
    return true;
  default:
    return false;
  }
}
} // namespace

Cfg Cfg::build(const Function &F) {
  Cfg G;
  if (F.Code.empty())
    return G;
  G.findBlocks(F);
  G.findEdges(F);
  G.findPostDominators();
  return G;
}

void Cfg::findBlocks(const Function &F) {
  std::vector<bool> Leader(F.Code.size() + 1, false);
  Leader[0] = true;
  for (uint32_t Pc = 0; Pc < F.Code.size(); ++Pc) {
    const Instruction &I = F.Code[Pc];
    if (!endsBlock(I))
      continue;
    Leader[Pc + 1] = true;
    const Operand *O = F.operands(I);
    if (I.Op == Opcode::Bra)
      Leader[O[0].Index] = true;
    else if (I.Op == Opcode::Brx)
      for (uint32_t T : F.TargetLists[O[1].Index])
        Leader[T] = true;
  }
  BlockOf.resize(F.Code.size());
  for (uint32_t Pc = 0; Pc < F.Code.size(); ++Pc) {
    if (Leader[Pc]) {
      BasicBlock B;
      B.Begin = Pc;
      Blocks.push_back(B);
    }
    Blocks.back().End = Pc + 1;
    BlockOf[Pc] = uint32_t(Blocks.size() - 1);
  }
}

void Cfg::findEdges(const Function &F) {
  for (uint32_t B = 0; B < Blocks.size(); ++B) {
    BasicBlock &Block = Blocks[B];
    const Instruction &Last = F.Code[Block.End - 1];
    bool Falls = Last.Guard != None || !endsBlock(Last);
    const Operand *O = F.operands(Last);
    // A label may stand behind the last instruction; the parser appends a
    // return there, so the index is valid.
    if (Last.Op == Opcode::Bra)
      Block.Successors.push_back(BlockOf[O[0].Index]);
    else if (Last.Op == Opcode::Brx)
      for (uint32_t T : F.TargetLists[O[1].Index])
        Block.Successors.push_back(BlockOf[T]);
    else if (Last.Op == Opcode::Ret)
      Block.Returns = true;
    else if (Last.Op == Opcode::Exit || Last.Op == Opcode::Trap)
      Block.Exits = true;
    if (Falls && B + 1 < Blocks.size())
      Block.Successors.push_back(B + 1);
    std::sort(Block.Successors.begin(), Block.Successors.end());
    Block.Successors.erase(
        std::unique(Block.Successors.begin(), Block.Successors.end()),
        Block.Successors.end());
    for (uint32_t S : Block.Successors)
      Blocks[S].Predecessors.push_back(B);
  }
}

/// Cooper, Harvey and Kennedy's iteration on the reversed graph. Ways that end
/// the thread do not count unless nothing returns: lanes that exit are not
/// waited for.
void Cfg::findPostDominators() {
  uint32_t N = uint32_t(Blocks.size());
  bool AnyReturn = false;
  for (const BasicBlock &B : Blocks)
    AnyReturn |= B.Returns;
  auto IsRoot = [&](const BasicBlock &B) {
    return B.Returns || (!AnyReturn && B.Exits);
  };
  // Post-order of the reversed graph; node N is the return.
  std::vector<uint32_t> Order, Number(N + 1, None);
  std::vector<std::pair<uint32_t, uint32_t>> Stack;
  std::vector<uint32_t> Roots;
  for (uint32_t B = 0; B < N; ++B)
    if (IsRoot(Blocks[B]))
      Roots.push_back(B);
  std::vector<bool> Seen(N + 1, false);
  Seen[N] = true;
  Stack.push_back({N, 0});
  while (!Stack.empty()) {
    uint32_t B = Stack.back().first;
    const auto &Next = B == N ? Roots : Blocks[B].Predecessors;
    if (Stack.back().second < Next.size()) {
      uint32_t S = Next[Stack.back().second++];
      if (!Seen[S]) {
        Seen[S] = true;
        Stack.push_back({S, 0});
      }
      continue;
    }
    Number[B] = uint32_t(Order.size());
    Order.push_back(B);
    Stack.pop_back();
  }
  std::vector<uint32_t> Idom(N + 1, None);
  Idom[N] = N;
  auto Intersect = [&](uint32_t A, uint32_t B) {
    while (A != B) {
      while (Number[A] < Number[B])
        A = Idom[A];
      while (Number[B] < Number[A])
        B = Idom[B];
    }
    return A;
  };
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (auto It = Order.rbegin(); It != Order.rend(); ++It) {
      uint32_t B = *It;
      if (B == N)
        continue;
      uint32_t New = IsRoot(Blocks[B]) ? N : None;
      for (uint32_t S : Blocks[B].Successors)
        if (Idom[S] != None)
          New = New == None ? S : Intersect(New, S);
      if (New != Idom[B]) {
        Idom[B] = New;
        Changed = true;
      }
    }
  }
  PostDominator.resize(N);
  for (uint32_t B = 0; B < N; ++B)
    PostDominator[B] = Idom[B] == N ? Return : Idom[B];
}
