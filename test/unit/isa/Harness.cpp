//===- Harness.cpp - Running the rows of the differential tests -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Harness.h"
#include "runtime/gpu/exec/Device.h"
#include "test/unit/isa/FloatReference.h"
#include "test/unit/isa/Operands.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <tuple>

using namespace gevo::gpu;
using namespace gevo::isa;

namespace {
constexpr unsigned BlockSize = 256;
constexpr unsigned ScratchBytes = 32;
const char DstNames[] = "defg", SrcNames[] = "abch";

std::string registerName(char Kind, unsigned Bits, unsigned Index) {
  return std::string("%") + Kind + (Bits == 1 ? "p" : std::to_string(Bits)) +
         "_" + std::to_string(Index);
}
std::string declare(const std::string &Name, unsigned Bits) {
  return ".reg " + (Bits == 1 ? ".pred" : ".b" + std::to_string(Bits)) + " " +
         Name + ";\n";
}
std::string load(const std::string &Name, unsigned Bits, uint64_t Offset) {
  std::string At = "[%in+" + std::to_string(Offset) + "];\n";
  if (Bits == 1)
    return "ld.global.b32 %word, " + At + "setp.ne.b32 " + Name +
           ", %word, 0;\n";
  return "ld.global.b" + std::to_string(Bits) + " " + Name + ", " + At;
}
std::string store(const std::string &Name, unsigned Bits, uint64_t Offset) {
  std::string At = "[%out+" + std::to_string(Offset) + "], ";
  if (Bits == 1)
    return "selp.b32 %word, 1, 0, " + Name + ";\nst.global.b32 " + At +
           "%word;\n";
  return "st.global.b" + std::to_string(Bits) + " " + At + Name + ";\n";
}

/// The statements with their placeholders filled in, each behind \p Guard.
std::string statements(const Row &R, std::string_view Body, const Form &F,
                       uint64_t Immediate, const std::vector<std::string> &Dst,
                       const std::vector<std::string> &Src,
                       const std::string &Guard) {
  std::string Out = Guard;
  for (size_t I = 0; I < Body.size(); ++I) {
    if (Body[I] == ';') {
      Out += ";\n" + (I + 1 < Body.size() ? Guard : std::string());
      continue;
    }
    if (Body[I] != '$') {
      Out += Body[I];
      continue;
    }
    char C = Body[++I];
    if (C == 'I')
      Out += F.Text;
    else if (C >= '1' && C <= '3')
      Out += (*R.Parts)[Immediate][size_t(C - '1')];
    else if (C == 'i')
      Out += std::to_string(Immediate);
    else if (C == 'T')
      Out += "b" + std::to_string(F.type().bits());
    else if (C == 'z')
      Out += std::to_string(F.type().bits() / 8);
    else if (C == 'm')
      Out += "%scratch";
    else if (C == 's')
      Out += "%shared";
    else if (const char *D = std::strchr(DstNames, C))
      Out += Dst[size_t(D - DstNames)];
    else if (const char *S = std::strchr(SrcNames, C))
      Out += Src[size_t(S - SrcNames)];
  }
  return Out;
}

/// "$I $d|$e, $a, $b;"
std::string plainBody(const Shape &S) {
  std::string Body = "$I ";
  for (size_t K = 0; K < S.Dst.size(); ++K)
    Body += (K ? "|$" : "$") + std::string(1, DstNames[K]);
  for (size_t K = 0; K < S.Src.size(); ++K)
    Body += ", $" + std::string(1, SrcNames[K]);
  return Body + (S.HasImmediate ? ", $i;" : ";");
}

/// Can the first destination's register be that of the first source?
bool canBeInPlace(const Row &R, const Shape &S) {
  return R.Body.empty() && !S.Src.empty() && !S.Dst.empty() &&
         S.Dst[0].registerBits() == S.Src[0].registerBits();
}

class Runner {
public:
  Runner() : D(config()) {
    uint64_t Lanes = operandCount();
    In = D.allocate(Lanes * 8 * (2 * MaxOperands + 1));
    Out = D.allocate(Lanes * 8 * 3 * MaxOperands);
    Scratch = D.allocate(Lanes * ScratchBytes);
  }
  void run(const Row &R, const Form &F, uint64_t Immediate, unsigned Lanes);

private:
  static DeviceConfig config() {
    DeviceConfig C;
    C.SmArch = 90;
    return C;
  }
  const std::vector<std::vector<uint64_t>> &operandsFor(const Shape &S);
  bool launch(const Row &R, const Form &F, uint64_t Immediate, bool Portable,
              std::vector<uint64_t> &Results, size_t NumResults);

  Device D;
  unsigned Count = 0; ///< Lanes of the form that runs.
  uint64_t In, Out, Scratch;
  std::vector<OperandSpec> LastSrc; ///< Whose operands are in place.
  std::vector<std::vector<uint64_t>> Operands;
};

/// The sources; behind them who takes part, and what destinations hold.
const std::vector<std::vector<uint64_t>> &Runner::operandsFor(const Shape &S) {
  if (!Operands.empty() && Operands[0].size() == Count && S.Src == LastSrc)
    return Operands;
  LastSrc = S.Src;
  Operands = makeOperands(S.Src, Count, 1);
  Random Rand(7);
  for (size_t K = 0; K < 1 + MaxOperands; ++K) {
    std::vector<uint64_t> V(Count);
    for (uint64_t &X : V)
      X = K ? Rand.next() : Rand.next() & 1;
    Operands.push_back(std::move(V));
  }
  for (size_t K = 0; K < Operands.size(); ++K)
    std::memcpy(reinterpret_cast<char *>(In) + K * Count * 8,
                Operands[K].data(), Count * 8);
  return Operands;
}

bool Runner::launch(const Row &R, const Form &F, uint64_t Immediate,
                    bool Portable, std::vector<uint64_t> &Results,
                    size_t NumResults) {
  // The set of handlers is chosen when a module is loaded.
  setenv("GEVO_GPU_ISA", Portable ? "portable" : "best", 1);
  auto M = D.load(kernelText(R, F, Immediate, Count));
  if (!M) {
    ADD_FAILURE() << F.Text << ": " << M.error().str();
    return false;
  }
  std::memset(reinterpret_cast<void *>(Out), 0, NumResults * Count * 8);
  uint64_t Params[8] = {In, Out, Scratch, 0};
  for (unsigned K = 0; K < 4; ++K)
    Params[4 + K] = knownWord(K);
  LaunchOptions O;
  O.Grid = {Count / BlockSize, 1, 1};
  O.Block = {BlockSize, 1, 1};
  O.Params = Params;
  O.ParamBytes = sizeof(Params);
  LaunchResult L = D.launch(*(*M)->kernel("k"), O);
  if (L.Status != LaunchStatus::Ok) {
    ADD_FAILURE() << F.Text << ": " << L.Message;
    return false;
  }
  Results.resize(NumResults * Count);
  std::memcpy(Results.data(), reinterpret_cast<void *>(Out),
              Results.size() * 8);
  return true;
}

bool meets(const Want &W, uint64_t Got, Type T) {
  switch (W.K) {
  case Want::Exact:
    return Got == W.Bits;
  case Want::Nan:
    return isNan(Got, T);
  case Want::Between: {
    double V = isNan(Got, T) ? 0 : decode(Got, T);
    return !isNan(Got, T) && V >= W.Lo && V <= W.Hi;
  }
  case Want::Anything:
    return true;
  }
  return false;
}

uint64_t lowBits(unsigned Bits) {
  return Bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << Bits) - 1;
}

std::string hex(uint64_t V) {
  char Buffer[32];
  std::snprintf(Buffer, sizeof(Buffer), "0x%" PRIx64, V);
  return Buffer;
}
std::string show(const Want &W) {
  return W.K == Want::Exact ? hex(W.Bits)
         : W.K == Want::Nan ? "NaN"
                            : "a value in [" + std::to_string(W.Lo) + ", " +
                                  std::to_string(W.Hi) + "]";
}

/// What a register holds: an integer is extended to it.
uint64_t inRegister(uint64_t Bits, const OperandSpec &S) {
  uint64_t Mask = lowBits(S.registerBits());
  if (S.T.isSigned() && S.T.Parts == 1)
    return uint64_t(signExtend(Bits & S.T.mask(), S.T.Size)) & Mask;
  return Bits & Mask;
}

void Runner::run(const Row &R, const Form &F, uint64_t Immediate,
                 unsigned Lanes) {
  Count = Lanes;
  Shape S = shapeOf(R, F);
  size_t NumDst = S.Dst.size(), NumSrc = S.Src.size();
  const auto &Operands = operandsFor(S);
  size_t Variants = canBeInPlace(R, S) ? 3 : 2;
  std::vector<uint64_t> Results, Portable;
  if (!launch(R, F, Immediate, false, Results, Variants * NumDst) ||
      !launch(R, F, Immediate, true, Portable, Variants * NumDst))
    return;
  unsigned Failures = 0;
  for (unsigned I = 0; I < Count && Failures < 3; ++I) {
    uint64_t Ins[MaxOperands + 1] = {};
    for (size_t K = 0; K < NumSrc; ++K)
      Ins[K] = Operands[K][I] & lowBits(S.Src[K].T.bits());
    Ins[NumSrc] = Immediate;
    auto Shown = [&] {
      std::string Text = F.Text;
      for (size_t K = 0; K < NumSrc + S.HasImmediate; ++K)
        Text += " " + hex(Ins[K]);
      return Text;
    };
    Want W[2 * MaxOperands];
    R.Ref(F, Ins, W);
    const Want *Next = W;
    for (size_t K = 0; K < NumDst; ++K) {
      const OperandSpec &Dst = S.Dst[K];
      auto Result = [&](size_t Variant) {
        return Results[(Variant * NumDst + K) * Count + I];
      };
      uint64_t Got = Result(0);
      for (unsigned P = 0; P < Dst.T.Parts; ++P, ++Next) {
        Want Wanted = *Next;
        uint64_t Part = Got >> (P * Dst.T.Size % 64);
        Part &= Dst.T.Parts > 1 ? Dst.T.mask() : ~uint64_t(0);
        if (Wanted.K == Want::Exact && Dst.T.Parts == 1)
          Wanted.Bits = inRegister(Wanted.Bits, Dst);
        if (!meets(Wanted, Part, Dst.T.part())) {
          ++Failures;
          ADD_FAILURE() << Shown() << ": result " << K << " part " << P
                        << " is " << hex(Got) << ", wanted " << show(Wanted);
        }
      }
      if (!(Operands[NumSrc][I] & 1)) {
        unsigned Bits = Dst.registerBits();
        // A predicate is loaded from a word.
        uint64_t Had = Operands[NumSrc + 1 + K][I];
        Had = Bits == 1 ? uint32_t(Had) != 0 : Had & lowBits(Bits);
        if (Result(1) != Had && ++Failures)
          ADD_FAILURE() << F.Text << ": an inactive lane's result " << K
                        << " changed to " << hex(Result(1));
      } else if (Result(1) != Got && ++Failures) {
        ADD_FAILURE() << Shown() << ": " << hex(Got) << " in a whole warp, "
                      << hex(Result(1)) << " under a predicate";
      }
      if (Variants > 2 && Result(2) != Got && ++Failures)
        ADD_FAILURE() << Shown() << ": " << hex(Got) << ", but "
                      << hex(Result(2)) << " in place";
    }
  }
  if (!Failures && Results != Portable)
    ADD_FAILURE() << F.Text << ": the sets of handlers differ";
}
} // namespace

unsigned gevo::isa::operandCount() {
  const char *Wish = std::getenv("GEVO_ISA_OPERANDS");
  unsigned N = Wish ? unsigned(std::atoi(Wish)) : 4096;
  return N < BlockSize ? BlockSize : N / BlockSize * BlockSize;
}

unsigned OperandSpec::registerBits() const {
  unsigned Bits = T.bits();
  if (Bits == 1)
    return 1;
  Bits = Bits < 16 ? 16 : Bits;
  return Wider ? (Bits < 32 ? 32 : 64) : Bits;
}

Shape gevo::isa::shapeOf(const Row &R, const Form &F) {
  Shape S;
  std::string_view Text = R.Signature;
  bool Source = false;
  while (!Text.empty()) {
    size_t End = Text.find_first_of("=,|");
    std::string_view Word = Text.substr(0, End);
    OperandSpec O;
    while (!Word.empty() && std::strchr("^~!", Word.back())) {
      O.Wider |= Word.back() == '^';
      O.Small |= Word.back() == '~';
      O.NonZero |= Word.back() == '!';
      Word.remove_suffix(1);
    }
    O.T = Word == "T"   ? F.type(0)
          : Word == "U" ? F.type(1)
          : Word == "V" ? F.type(2)
          : Word == "p" ? Type{Type::Pred, 1, 1}
                        : Type::parse(Word);
    if (Word == "W") {
      O.T = F.type(0);
      O.T.Size *= 2;
    }
    if (Word == "#")
      S.HasImmediate = true;
    else if (!Word.empty())
      (Source ? S.Src : S.Dst).push_back(O);
    Source |= End != std::string_view::npos && Text[End] == '=';
    Text = End == std::string_view::npos ? "" : Text.substr(End + 1);
  }
  return S;
}

std::string gevo::isa::kernelText(const Row &R, const Form &F,
                                  uint64_t Immediate, unsigned Lanes) {
  Shape S = shapeOf(R, F);
  std::string Head, Loads, Code, Stores;
  uint64_t Stride = uint64_t(Lanes) * 8;
  std::vector<std::string> Src;
  for (size_t K = 0; K < S.Src.size(); ++K) {
    unsigned Bits = S.Src[K].registerBits();
    Src.push_back(registerName('s', Bits, unsigned(K)));
    Head += declare(Src[K], Bits);
    Loads += load(Src[K], Bits, K * Stride);
  }
  Loads += load("%act", 1, S.Src.size() * Stride);
  std::string Body = R.Body.empty() ? plainBody(S) : R.Body;
  for (unsigned Variant = 0; Variant < (canBeInPlace(R, S) ? 3u : 2u);
       ++Variant) {
    std::vector<std::string> Dst, From = Src;
    for (size_t K = 0; K < S.Dst.size(); ++K) {
      unsigned Bits = S.Dst[K].registerBits();
      Dst.push_back(registerName("xyz"[Variant], Bits, unsigned(K)));
      Head += declare(Dst[K], Bits);
      Loads += load(Dst[K], Bits, (S.Src.size() + 1 + K) * Stride);
      Stores += store(Dst[K], Bits, (Variant * S.Dst.size() + K) * Stride);
    }
    if (Variant == 2) {
      unsigned Bits = S.Dst[0].registerBits();
      Code += "mov." + (Bits == 1 ? "pred" : "b" + std::to_string(Bits)) + " " +
              Dst[0] + ", " + Src[0] + ";\n";
      From[0] = Dst[0];
    }
    Code += statements(R, Body, F, Immediate, Dst, From,
                       Variant == 1 ? "@%act " : "");
  }
  std::string Known;
  for (unsigned K = 0; K < 4; ++K)
    Known += (K ? ", " : "") + std::to_string(knownWord(K)) + "U";
  return ".version 8.5\n.target sm_90\n.address_size 64\n"
         ".shared .align 32 .b8 pad[8192];\n"
         ".const .align 16 .b64 bytes[4] = {" +
         Known +
         "};\n"
         ".visible .entry k(.param .u64 p_in, .param .u64 p_out, "
         ".param .u64 p_scratch, .param .align 16 .b8 p_bytes[32])\n{\n"
         ".local .align 16 .b8 local[32]; .reg .b64 %ones, %other; "
         ".reg .pred %c1;\n"
         ".reg .b32 %word, %id, %n, %shared; .reg .pred %act;\n"
         ".reg .b64 %in, %out, %scratch, %wide; .reg .b128 %quad, %quad2;\n" +
         Head +
         "mov.u32 %id, %ctaid.x; mov.u32 %n, %tid.x;\n"
         "mul.lo.u32 %shared, %n, 32; mov.u32 %word, pad; "
         "add.u32 %shared, %shared, %word;\n"
         "mad.lo.u32 %id, %id, 256, %n;\n"
         "ld.param.u64 %in, [p_in]; ld.param.u64 %out, [p_out];\n"
         "ld.param.u64 %scratch, [p_scratch];\n"
         "mul.wide.u32 %wide, %id, 8; add.u64 %in, %in, %wide; "
         "add.u64 %out, %out, %wide;\n"
         "mul.wide.u32 %wide, %id, 32; add.u64 %scratch, %scratch, %wide;\n"
         "mov.b64 %ones, -1;\n" +
         Loads + Code + Stores + "ret;\n}\n";
}

std::vector<std::vector<Form>>
gevo::isa::formsOf(const std::vector<Row> &Table) {
  std::vector<std::vector<Form>> Forms;
  // Opcode and two words, which may be the same.
  std::set<std::tuple<std::string, std::string, std::string>> Seen;
  for (const Row &R : Table) {
    std::vector<Form> All = expand(R.Pattern);
    if (!R.Sample) {
      Forms.push_back(std::move(All));
      continue;
    }
    Forms.emplace_back();
    // In an order in which neighbours differ in much.
    size_t Step = All.size() * 5 / 8 + 1;
    while (std::gcd(Step, All.size()) != 1)
      ++Step;
    for (size_t K = 0; K < All.size(); ++K) {
      const Form &F = All[K * Step % All.size()];
      bool New = Forms.back().empty();
      for (const std::string &A : F.Words)
        for (const std::string &B : F.Words)
          New |= A <= B && Seen.insert({F.opcode(), A, B}).second;
      if (New)
        Forms.back().push_back(F);
    }
  }
  return Forms;
}

void gevo::isa::runRows(const std::vector<Row> &Rows) {
  Runner Run;
  std::vector<std::vector<Form>> All = formsOf(Rows);
  for (size_t Index = 0; Index < Rows.size(); ++Index) {
    const Row &R = Rows[Index];
    const std::vector<Form> &Forms = All[Index];
    std::vector<uint64_t> Variants = R.Immediates;
    for (size_t K = 0; R.Parts && K < R.Parts->size(); ++K)
      Variants.push_back(K);
    if (Variants.empty())
      Variants.push_back(0);
    // Rows of very many forms share their operands out.
    uint64_t Kernels = Forms.size() * Variants.size();
    uint64_t Lanes = uint64_t(operandCount()) * 32 / Kernels;
    Lanes = std::min<uint64_t>(Lanes, operandCount()) / BlockSize * BlockSize;
    Lanes = std::max<uint64_t>(Lanes, BlockSize);
    for (const Form &F : Forms)
      for (uint64_t V : Variants)
        Run.run(R, F, V, unsigned(Lanes));
  }
}
