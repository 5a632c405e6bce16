//===- HotLines.cpp - Where a launch spent its time -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/HotLines.h"
#include "runtime/gpu/ptx/Module.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>
#include <tuple>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

std::string quoted(const std::string &Text) {
  std::string Out = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Out += '\\';
    if (static_cast<unsigned char>(C) < 0x20) {
      char Escape[8];
      std::snprintf(Escape, sizeof(Escape), "\\u%04x", unsigned(C));
      Out += Escape;
      continue;
    }
    Out += C;
  }
  return Out + "\"";
}

/// Compilers put the folder of the compilation in front.
bool isAnchorFile(const std::string &Name) {
  std::string_view Wanted = AnchorFile;
  return Name.size() >= Wanted.size() &&
         Name.compare(Name.size() - Wanted.size(), Wanted.size(), Wanted) ==
             0 &&
         (Name.size() == Wanted.size() ||
          Name[Name.size() - Wanted.size() - 1] == '/');
}

/// "i12" of a line of AnchorFile.
std::string anchorName(const HotLine &L) {
  return "i" + std::to_string(L.Line - 1);
}

/// The reason that costs most, "" if none.
const char *mainStall(const InstructionProfile &C) {
  unsigned Most = 0;
  for (unsigned K = 1; K < NumStalls; ++K)
    if (C.Stalls[K] > C.Stalls[Most])
      Most = K;
  return C.Stalls[Most] ? stallName(Stall(Most)) : "";
}

std::string number(double V) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.2f", V);
  return Text;
}

double share(uint64_t Part, uint64_t Whole) {
  return Whole ? double(Part) / double(Whole) : 0;
}

} // namespace

std::vector<HotLine> gevo::gpu::timing::hotLines(const Kernel &K,
                                                 const LaunchTiming &T,
                                                 LineKind Kind) {
  const ptx::Module &M = K.module().source();
  std::map<
      std::tuple<std::string, std::string, uint32_t, std::string, uint32_t>,
      InstructionProfile>
      Sums;
  for (size_t N = 0; N < T.Profile.size(); ++N) {
    const ptx::Function &F = *K.functions()[N];
    for (size_t I = 0; I < T.Profile[N].size(); ++I) {
      const InstructionProfile &C = T.Profile[N][I];
      if (!C.Issues)
        continue;
      const ptx::Instruction &Inst = F.Code[I];
      std::string File, CallerFile;
      uint32_t Line = Inst.Line, CallerLine = 0;
      if (Kind != LineKind::Ptx && Inst.Loc != ptx::None) {
        const ptx::SourceLoc &L = M.Locs[Inst.Loc];
        std::string Name = L.File < M.Files.size() ? M.Files[L.File] : "";
        bool IsAnchor = isAnchorFile(Name) && L.Line;
        if (IsAnchor == (Kind == LineKind::Anchor)) {
          File = IsAnchor ? AnchorFile : Name;
          Line = L.Line;
        }
      }
      if (Kind == LineKind::Anchor && File.empty())
        continue;
      const ptx::SourceLoc *Caller = Kind == LineKind::Source && !File.empty()
                                         ? ptx::callerOf(M, F, uint32_t(I))
                                         : nullptr;
      if (Caller && Caller->File < M.Files.size()) {
        CallerFile = M.Files[Caller->File];
        CallerLine = Caller->Line;
      }
      Sums[{F.Name, File, Line, CallerFile, CallerLine}].add(C);
    }
  }
  std::vector<HotLine> Lines;
  for (auto &[Key, Cost] : Sums)
    Lines.push_back({std::get<0>(Key), std::get<1>(Key), std::get<2>(Key),
                     std::get<3>(Key), std::get<4>(Key), Cost});
  std::sort(Lines.begin(), Lines.end(), [](const HotLine &A, const HotLine &B) {
    uint64_t X = A.cycles(), Y = B.cycles();
    return std::tie(Y, A.Function, A.File, A.Line, A.CallerFile, A.CallerLine) <
           std::tie(X, B.Function, B.File, B.Line, B.CallerFile, B.CallerLine);
  });
  return Lines;
}

std::string gevo::gpu::timing::hotLinesText(const std::vector<HotLine> &Lines,
                                            size_t Most) {
  uint64_t Total = 0;
  for (const HotLine &L : Lines)
    Total += L.cycles();
  std::string Out =
      "  time     issues  lanes  sectors/req  conflicts  L1 hits  "
      "waits for     line\n";
  for (size_t K = 0; K < Lines.size() && K < Most; ++K) {
    const HotLine &L = Lines[K];
    const InstructionProfile &C = L.Cost;
    char Row[160];
    std::snprintf(Row, sizeof(Row),
                  "%5.1f %% %10llu  %5.1f  %11.1f  %9llu  %5.0f %%  %-13s ",
                  100 * share(L.cycles(), Total), (unsigned long long)C.Issues,
                  share(C.Lanes, C.Issues), share(C.Sectors, C.Requests),
                  (unsigned long long)C.BankConflicts,
                  100 * share(C.L1Hits, C.Sectors), mainStall(C));
    Out += Row;
    if (L.File == AnchorFile)
      Out += L.Function + ":" + anchorName(L) + "\n";
    else
      Out += (L.File.empty() ? L.Function + ".ptx" : L.File) + ":" +
             std::to_string(L.Line) +
             (L.CallerFile.empty() ? "\n"
                                   : ", called near " + L.CallerFile + ":" +
                                         std::to_string(L.CallerLine) + "\n");
  }
  return Out;
}

std::string gevo::gpu::timing::hotLinesJson(const std::vector<HotLine> &Lines) {
  std::string Out = "[";
  for (const HotLine &L : Lines) {
    const InstructionProfile &C = L.Cost;
    if (Out.size() > 1)
      Out += ",";
    auto Field = [&](const char *Key, const std::string &Value) {
      if (Out.back() != '{')
        Out += ",";
      Out += quoted(Key) + ":" + Value;
    };
    auto Count = [&](const char *Key, uint64_t V) {
      Field(Key, std::to_string(V));
    };
    Out += "{";
    Field("function", quoted(L.Function));
    if (L.File == AnchorFile) {
      Field("anchor", quoted(anchorName(L)));
    } else {
      if (!L.File.empty())
        Field("file", quoted(L.File));
      Count("line", L.Line);
    }
    if (!L.CallerFile.empty()) {
      Field("caller_file", quoted(L.CallerFile));
      Count("caller_line", L.CallerLine);
    }
    Count("issues", C.Issues);
    Field("active_lanes", number(share(C.Lanes, C.Issues)));
    Count("requests", C.Requests);
    Count("sectors", C.Sectors);
    Count("l1_hits", C.L1Hits);
    Count("l2_hits", C.L2Hits);
    Count("bank_conflicts", C.BankConflicts);
    std::string Stalls = "{";
    for (unsigned K = 0; K < NumStalls; ++K)
      if (C.Stalls[K])
        Stalls += (Stalls.size() > 1 ? "," : "") + quoted(stallName(Stall(K))) +
                  ":" + std::to_string(C.Stalls[K]);
    Field("stalls", Stalls + "}");
    Out += "}";
  }
  return Out + "]";
}
