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
#include <cstdlib>
#include <map>
#include <sstream>
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

/// \p V, or "-" where there is nothing that it would be a ratio of.
std::string ratio(const char *Format, double V, uint64_t Whole) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), Format, V);
  return Whole ? Text : "-";
}

/// Where \p L is, for people; of PTX its function too, if there are \p Several.
std::string placeText(const HotLine &L, bool Several) {
  if (L.File == AnchorFile)
    return L.Function + ":" + anchorName(L);
  // Compilers give what they made themselves the line 0.
  std::string Text = (L.File.empty() ? "PTX" : L.File) +
                     (L.Line ? ":" + std::to_string(L.Line) : ", no line");
  if (L.File.empty() && Several)
    Text += " in " + L.Function;
  if (!L.Code.empty())
    Text += ": " + L.Code;
  if (!L.CallerFile.empty())
    Text +=
        ", called near " + L.CallerFile + ":" + std::to_string(L.CallerLine);
  return Text;
}

/// Gives those of \p Lines that are lines of \p Ptx their code, with single
/// blanks and without what is no ASCII.
void addCode(std::vector<HotLine> &Lines, std::string_view Ptx) {
  std::map<uint32_t, std::string> Wanted;
  for (const HotLine &L : Lines)
    if (L.File.empty())
      Wanted[L.Line];
  uint32_t Number = 0;
  for (auto &[Line, Code] : Wanted) {
    for (; Number + 1 < Line && !Ptx.empty(); ++Number)
      Ptx.remove_prefix(std::min(Ptx.find('\n'), Ptx.size() - 1) + 1);
    for (char C : Ptx.substr(0, Ptx.find('\n'))) {
      bool Blank = C == ' ' || C == '\t' || C == '\r';
      if (Blank ? !Code.empty() && Code.back() != ' ' : C > ' ' && C < 127)
        Code += Blank ? ' ' : C;
    }
  }
  for (HotLine &L : Lines)
    if (L.File.empty())
      L.Code = Wanted[L.Line];
}

} // namespace

std::vector<HotLine> gevo::gpu::timing::hotLines(const Kernel &K,
                                                 const LaunchTiming &T,
                                                 LineKind Kind,
                                                 std::string_view Ptx) {
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
                     std::get<3>(Key), std::get<4>(Key), Cost, ""});
  addCode(Lines, Ptx);
  sortByCost(Lines);
  return Lines;
}

void gevo::gpu::timing::sortByCost(std::vector<HotLine> &Lines) {
  std::sort(Lines.begin(), Lines.end(), [](const HotLine &A, const HotLine &B) {
    uint64_t X = A.cycles(), Y = B.cycles();
    return std::tie(Y, A.Function, A.File, A.Line, A.CallerFile, A.CallerLine) <
           std::tie(X, B.Function, B.File, B.Line, B.CallerFile, B.CallerLine);
  });
}

std::string gevo::gpu::timing::placeOf(const HotLine &L) {
  return L.Function + '\n' + L.File + '\n' + std::to_string(L.Line) + '\n' +
         L.CallerFile + '\n' + std::to_string(L.CallerLine) + '\n' + L.Code;
}

HotLine gevo::gpu::timing::lineAt(const std::string &Place) {
  std::istringstream In(Place);
  auto Next = [&In] {
    std::string Part;
    std::getline(In, Part);
    return Part;
  };
  auto NextNumber = [&Next] {
    return uint32_t(std::strtoul(Next().c_str(), nullptr, 10));
  };
  HotLine L;
  L.Function = Next();
  L.File = Next();
  L.Line = NextNumber();
  L.CallerFile = Next();
  L.CallerLine = NextNumber();
  L.Code = Next();
  return L;
}

std::string gevo::gpu::timing::hotLinesText(const std::vector<HotLine> &Lines,
                                            size_t Most) {
  uint64_t Total = 0;
  bool Several = false;
  for (const HotLine &L : Lines) {
    Total += L.cycles();
    Several |= L.Function != Lines[0].Function;
  }
  std::string Out =
      "  time     issues  lanes  sectors/req  conflicts  L1 hits  "
      "waits for     line\n";
  for (size_t K = 0; K < Lines.size() && K < Most; ++K) {
    const HotLine &L = Lines[K];
    const InstructionProfile &C = L.Cost;
    char Row[160];
    std::snprintf(
        Row, sizeof(Row), "%5.1f %% %10llu  %5.1f  %11s  %9llu  %7s  %-13s ",
        100 * share(L.cycles(), Total), (unsigned long long)C.Issues,
        share(C.Lanes, C.Issues),
        ratio("%.1f", share(C.Sectors, C.Requests), C.Sectors).c_str(),
        (unsigned long long)C.BankConflicts,
        ratio("%.0f %%", 100 * share(C.L1Hits, C.Sectors), C.Sectors).c_str(),
        mainStall(C));
    Out += Row + placeText(L, Several) + "\n";
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
    if (!L.Code.empty())
      Field("code", quoted(L.Code));
    if (!L.CallerFile.empty()) {
      Field("caller_file", quoted(L.CallerFile));
      Count("caller_line", L.CallerLine);
    }
    Count("cycles", L.cycles());
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
