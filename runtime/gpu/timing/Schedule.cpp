//===- Schedule.cpp - The order of straight-line code ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp issues in order, so the assembler's order decides how much of the
// latency of loads is hidden. Here: list scheduling by the longest path to the
// end of the region, loads counted as if they hit in L2. What would have to
// wait lets loads go first that need not: of "v = val[k]" and "x[col[k]]" the
// address of the latter is not computed before v is on its way. No access
// passes a division, reciprocal or root that the assembler makes with a branch
// around the call for rare operands.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Lowering.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

using namespace gevo::gpu::timing;

namespace {

/// One instruction with all its micro-operations.
struct Node {
  uint32_t Instruction = 0;
  uint32_t First = 0, Count = 0;
  uint64_t Latency = 0;
  uint64_t Height = 0; ///< Longest path to the end.
  uint64_t Ready = 0;  ///< When those that are placed let it issue.
  bool Loads = false;
  bool Branches = false;
  uint32_t Waits = 0; ///< Predecessors that are not placed yet.
  struct Edge {
    uint32_t To;
    bool ForResult; ///< And not only for the order.
  };
  std::vector<Edge> Successors;
};

class Scheduling {
public:
  Scheduling(const Profile &P, CostFunction &F) : P(P), F(F) {}
  void collect(uint32_t Begin, uint32_t End);
  void connect(const std::vector<uint8_t> &MemoryClass);
  std::vector<uint32_t> order();
  std::vector<Node> Nodes;

private:
  void edge(uint32_t From, uint32_t To, bool ForResult) {
    if (From == To)
      return;
    Nodes[From].Successors.push_back({To, ForResult});
    ++Nodes[To].Waits;
  }
  uint64_t latencyOf(const Uop &U) const;

  const Profile &P;
  CostFunction &F;
};

uint64_t Scheduling::latencyOf(const Uop &U) const {
  switch (U.Kind) {
  case UopKind::Load:
  case UopKind::Atomic:
    return P.L2Latency;
  case UopKind::Alu:
    return U.Latency;
  default:
    return 1;
  }
}

void Scheduling::collect(uint32_t Begin, uint32_t End) {
  for (uint32_t K = Begin; K < End; ++K) {
    Node N;
    N.Instruction = K;
    N.First = F.FirstUop[K];
    N.Count = F.FirstUop[K + 1] - N.First;
    for (uint32_t U = 0; U < N.Count; ++U) {
      N.Latency += latencyOf(F.Uops[N.First + U]);
      N.Loads |= F.Uops[N.First + U].Kind == UopKind::Load;
      N.Branches |= F.Uops[N.First + U].Pipe == Unit::Branch;
    }
    if (N.Count)
      Nodes.push_back(std::move(N));
  }
}

void Scheduling::connect(const std::vector<uint8_t> &MemoryClass) {
  struct Access {
    uint32_t Writer = NoIndex;
    std::vector<uint32_t> Readers;
  };
  constexpr uint8_t All = WritesGlobal | WritesShared | WritesLocal;
  std::unordered_map<uint32_t, Access> Last; // by register; only looked up
  Access Spaces[3];
  auto Read = [&](Access &A, uint32_t N, bool Register) {
    if (A.Writer != NoIndex)
      edge(A.Writer, N, Register);
    A.Readers.push_back(N);
  };
  auto Write = [&](Access &A, uint32_t N, bool Register) {
    if (A.Writer != NoIndex)
      edge(A.Writer, N, Register);
    for (uint32_t R : A.Readers)
      edge(R, N, false);
    A.Readers.clear();
    A.Writer = N;
  };
  for (uint32_t N = 0; N < Nodes.size(); ++N) {
    uint8_t Class = Nodes[N].Branches ? All : MemoryClass[Nodes[N].Instruction];
    for (unsigned S = 0; S < 3; ++S) {
      if (Class >> (2 * S) & 1)
        Read(Spaces[S], N, false);
      if (Class >> (2 * S) & 2)
        Write(Spaces[S], N, false);
    }
    for (uint32_t K = 0; K < Nodes[N].Count; ++K) {
      const Uop &U = F.Uops[Nodes[N].First + K];
      for (unsigned R = 0; R < U.NumSources; ++R)
        Read(Last[F.sources(U)[R]], N, true);
      // Temporaries inside an instruction order nothing outside of it.
      bool Temporary = K + 1 < Nodes[N].Count;
      for (unsigned R = 0; R < U.NumResults && !Temporary; ++R)
        Write(Last[F.results(U)[R]], N, true);
    }
  }
}

std::vector<uint32_t> Scheduling::order() {
  for (uint32_t N = uint32_t(Nodes.size()); N-- > 0;) {
    uint64_t Below = 0;
    for (Node::Edge E : Nodes[N].Successors)
      Below = std::max(Below, Nodes[E.To].Height);
    Nodes[N].Height = Below + Nodes[N].Latency;
  }
  // The highest first; the program's order between equals. Where that would
  // wait, the highest load that need not goes before.
  auto Before = [&](uint32_t A, uint32_t B) {
    return std::make_tuple(~Nodes[A].Height, A) <
           std::make_tuple(~Nodes[B].Height, B);
  };
  std::set<uint32_t, decltype(Before)> Free(Before), Loads(Before);
  auto Push = [&](uint32_t N) {
    Free.insert(N);
    if (Nodes[N].Loads)
      Loads.insert(N);
  };
  for (uint32_t N = 0; N < Nodes.size(); ++N)
    if (!Nodes[N].Waits)
      Push(N);
  std::vector<uint32_t> Order;
  uint64_t Now = 0;
  while (!Free.empty()) {
    uint32_t N = *Free.begin();
    if (Nodes[N].Ready > Now) {
      auto It = std::find_if(Loads.begin(), Loads.end(),
                             [&](uint32_t L) { return Nodes[L].Ready <= Now; });
      N = It == Loads.end() ? N : *It;
    }
    Free.erase(N);
    Loads.erase(N);
    Order.push_back(N);
    Now = std::max(Now, Nodes[N].Ready);
    for (Node::Edge E : Nodes[N].Successors) {
      Node &To = Nodes[E.To];
      To.Ready = std::max(To.Ready, Now + (E.ForResult ? Nodes[N].Latency : 1));
      if (--To.Waits == 0)
        Push(E.To);
    }
    Now += Nodes[N].Count;
  }
  return Order;
}

} // namespace

void gevo::gpu::timing::scheduleRegion(
    const Profile &P, CostFunction &F, uint32_t Begin, uint32_t End,
    const std::vector<uint8_t> &MemoryClass) {
  Scheduling S(P, F);
  S.collect(Begin, End);
  S.connect(MemoryClass);
  Region R;
  R.Begin = Begin;
  R.End = End;
  R.FirstUop = uint32_t(F.Uops.size());
  for (uint32_t N : S.order())
    for (uint32_t K = 0; K < S.Nodes[N].Count; ++K) {
      Uop U = F.Uops[S.Nodes[N].First + K];
      F.Uops.push_back(U);
    }
  R.NumUops = uint32_t(F.Uops.size()) - R.FirstUop;
  F.RegionAt[Begin] = uint32_t(F.Regions.size());
  F.Regions.push_back(R);
}
