//===- Straighten.cpp - Code without needless jumps -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is a list of pieces: instructions in a row of which only the last
// leaves for sure. A piece that begins where one jump alone leads, the end of
// another piece, is put behind that one, and the jump goes. Of a branch with a
// jump behind it the branch takes the jump's place if that makes the rest the
// next:
//
//   @%p1 bra EXIT; bra LOOP;   becomes   @!%p1 bra LOOP;
//   EXIT: ...                            EXIT: ...
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Straighten.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu::ptx;

namespace {

class Layout {
public:
  explicit Layout(Function &F) : F(F) {}
  void run();

private:
  struct Piece {
    uint32_t Begin, End;
    uint32_t Next = None; ///< The piece that comes in the place of its jump.
    bool Follows = false; ///< Is the next of another one.
  };

  /// True if nothing comes behind \p I but by a jump. What is behind a trap
  /// stays: reports look for source lines there.
  static bool leaves(const Instruction &I) {
    return I.Guard == None && (I.Op == Opcode::Bra || I.Op == Opcode::Brx ||
                               I.Op == Opcode::Ret || I.Op == Opcode::Exit);
  }
  static bool jumps(const Instruction &I) {
    return I.Op == Opcode::Bra && I.Guard == None;
  }
  static bool branches(const Instruction &I) {
    return I.Op == Opcode::Bra && I.Guard != None;
  }
  uint32_t &target(const Instruction &I) {
    return F.Operands[I.FirstOperand].Index;
  }
  std::vector<uint32_t> &targets(const Instruction &I) {
    return F.TargetLists[F.operands(I)[1].Index];
  }
  template <typename Fn> void forTargets(Fn Do);
  void place(const std::vector<uint32_t> &Order);
  template <typename Fn> void keep(Fn Wanted);
  void findReached();
  void thread();
  void findPieces();
  bool canFollow(uint32_t At, uint32_t Piece) const;
  void orient();
  bool link();
  void join();

  Function &F;
  std::vector<bool> Reached;   ///< By instruction.
  std::vector<uint32_t> Jumps; ///< By instruction: that lead there.
  std::vector<Piece> Pieces;
  std::vector<uint32_t> PieceAt; ///< By first instruction, or None.
};

/// Calls \p Do with each target, once.
template <typename Fn> void Layout::forTargets(Fn Do) {
  std::vector<bool> Seen(F.TargetLists.size(), false);
  for (const Instruction &I : F.Code) {
    if (I.Op == Opcode::Bra)
      Do(target(I));
    if (I.Op != Opcode::Brx || Seen[F.operands(I)[1].Index])
      continue;
    Seen[F.operands(I)[1].Index] = true;
    for (uint32_t &T : targets(I))
      Do(T);
  }
}

/// Makes the code that of the places in \p Order. A jump to an instruction that
/// is not there leads to the one that followed it.
void Layout::place(const std::vector<uint32_t> &Order) {
  std::vector<uint32_t> NewPlace(F.Code.size() + 1, None);
  std::vector<Instruction> Code;
  for (uint32_t K : Order) {
    NewPlace[K] = uint32_t(Code.size());
    Code.push_back(F.Code[K]);
  }
  // The assembler may have given the branch before a jump the line of that.
  for (uint32_t K = 1; K < F.Code.size(); ++K)
    if (NewPlace[K] == None && NewPlace[K - 1] != None && jumps(F.Code[K]) &&
        branches(F.Code[K - 1]))
      Code[NewPlace[K - 1]].JumpLine = F.Code[K].Line;
  for (size_t K = F.Code.size(); K-- > 0;)
    if (NewPlace[K] == None)
      NewPlace[K] = NewPlace[K + 1];
  F.Code = std::move(Code);
  forTargets([&](uint32_t &T) { T = NewPlace[T]; });
}

/// Drops what \p Wanted is false for, but for the return at the end.
template <typename Fn> void Layout::keep(Fn Wanted) {
  std::vector<uint32_t> Order;
  for (uint32_t K = 0; K < F.Code.size(); ++K)
    if (K + 1 == F.Code.size() || Wanted(K))
      Order.push_back(K);
  if (Order.size() != F.Code.size())
    place(Order);
}

void Layout::findReached() {
  Reached.assign(F.Code.size(), false);
  std::vector<uint32_t> Work(1, 0);
  while (!Work.empty()) {
    uint32_t K = Work.back();
    Work.pop_back();
    for (; !Reached[K]; ++K) {
      Reached[K] = true;
      const Instruction &I = F.Code[K];
      if (I.Op == Opcode::Bra)
        Work.push_back(target(I));
      else if (I.Op == Opcode::Brx)
        Work.insert(Work.end(), targets(I).begin(), targets(I).end());
      if (leaves(I))
        break;
    }
  }
}

/// A jump to a jump leads where that one does.
void Layout::thread() {
  forTargets([&](uint32_t &T) {
    // As often as there are instructions: some jump in a circle.
    for (size_t K = 0; K < F.Code.size() && jumps(F.Code[T]); ++K)
      T = target(F.Code[T]);
  });
}

void Layout::findPieces() {
  PieceAt.assign(F.Code.size(), None);
  uint32_t Begin = 0;
  for (uint32_t K = 0; K < F.Code.size(); ++K)
    if (leaves(F.Code[K])) {
      PieceAt[Begin] = uint32_t(Pieces.size());
      Pieces.push_back({Begin, K + 1});
      Begin = K + 1;
    }
  assert(Begin == F.Code.size() && "functions end with a return");
  Jumps.assign(F.Code.size(), 0);
  forTargets([&](uint32_t &T) { ++Jumps[T]; });
}

/// Is \p At the beginning of a piece that nothing but the jump at the end of
/// \p Piece leads to?
bool Layout::canFollow(uint32_t At, uint32_t Piece) const {
  // The first piece is where the function is entered.
  uint32_t To = PieceAt[At];
  return To != None && To != 0 && To != Piece && Jumps[At] == 1;
}

/// Of a branch and a jump behind it, makes the jump the one that can go.
void Layout::orient() {
  for (uint32_t P = 0; P < Pieces.size(); ++P) {
    uint32_t End = Pieces[P].End;
    if (End - Pieces[P].Begin < 2 || !jumps(F.Code[End - 1]) ||
        !branches(F.Code[End - 2]))
      continue;
    uint32_t &Jump = target(F.Code[End - 1]), &Branch = target(F.Code[End - 2]);
    if (canFollow(Jump, P) || (Branch != End && !canFollow(Branch, P)))
      continue;
    std::swap(Jump, Branch);
    F.Code[End - 2].GuardNegated = !F.Code[End - 2].GuardNegated;
  }
}

/// Finds the pieces that can follow others; false if there are none.
bool Layout::link() {
  bool Any = false;
  for (uint32_t P = 0; P < Pieces.size(); ++P) {
    const Instruction &Last = F.Code[Pieces[P].End - 1];
    // Jumps to jumps are left where they go in a circle.
    bool Circle =
        Pieces[P].End - Pieces[P].Begin == 1 && Jumps[Pieces[P].Begin];
    if (!jumps(Last) || Circle)
      continue;
    if (!canFollow(target(Last), P))
      continue;
    uint32_t To = PieceAt[target(Last)];
    // Nothing comes before itself.
    uint32_t End = To;
    while (Pieces[End].Next != None)
      End = Pieces[End].Next;
    if (End == P)
      continue;
    Pieces[P].Next = To;
    Pieces[To].Follows = Any = true;
  }
  return Any;
}

void Layout::join() {
  std::vector<uint32_t> Order;
  for (const Piece &First : Pieces)
    for (const Piece *P = First.Follows ? nullptr : &First; P;
         P = P->Next == None ? nullptr : &Pieces[P->Next])
      for (uint32_t K = P->Begin; K < P->End; ++K)
        if (P->Next == None || K + 1 < P->End)
          Order.push_back(K);
  Instruction Return = F.Code.back();
  bool Moved = Order.back() + 1 != F.Code.size();
  place(Order);
  // Lanes that return go to the last instruction.
  if (Moved)
    F.Code.push_back(Return);
}

void Layout::run() {
  auto IsBranch = [](const Instruction &I) { return I.Op == Opcode::Bra; };
  if (std::none_of(F.Code.begin(), F.Code.end(), IsBranch))
    return;
  thread();
  findReached();
  keep([&](uint32_t K) { return Reached[K]; });
  auto LeadsOn = [&](uint32_t K) {
    return !IsBranch(F.Code[K]) || target(F.Code[K]) != K + 1;
  };
  keep(LeadsOn);
  findPieces();
  orient();
  if (link())
    join();
  keep(LeadsOn); // What one led to may be next now.
}

} // namespace

void gevo::gpu::ptx::straighten(Function &F) { Layout(F).run(); }
