//===- WarpRows.cpp - Operations across the lanes of a warp ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shfl, vote, match, redux, elect, activemask, and atomics of many lanes on one
// word: warps with random members against references that see all lanes. The
// lanes that are no members must keep what they had.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Device.h"
#include "test/unit/isa/Operands.h"
#include "test/unit/isa/Tables.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>

using namespace gevo::gpu;
using namespace gevo::isa;

namespace {
/// One warp's operands and results.
struct Lanes {
  uint64_t A[32] = {}, B[32] = {}, C[32] = {}, D[32] = {}, E[32] = {};
  uint32_t Members = 0;
  bool member(unsigned L) const { return Members >> L & 1; }
};

struct WarpRow {
  std::string Pattern;
  /// $I is the form; %d and %e are results, %a to %c operands of 64 bits, %d32
  /// and so on their low words, %p is bit 0 of %a, %q a predicate that goes to
  /// %e, %m the member mask, %word the address of a word of the warp that is
  /// all ones in its low half.
  std::string Body;
  void (*Ref)(const Form &F, Lanes &W);
};

void shuffle(const Form &F, Lanes &W) {
  for (unsigned L = 0; L < 32; ++L) {
    if (!W.member(L))
      continue;
    unsigned B = W.B[L] & 31, Clamp = W.C[L] & 31, Seg = W.C[L] >> 8 & 31;
    int Max = int((L & Seg) | (Clamp & ~Seg)), Min = int(L & Seg), From;
    bool Ok;
    if (F.has("up")) {
      From = int(L) - int(B);
      Ok = From >= Max;
    } else {
      From = F.has("down")   ? int(L + B)
             : F.has("bfly") ? int(L ^ B)
                             : Min | int(B & ~Seg);
      Ok = From <= Max;
    }
    From = Ok ? From : int(L);
    // What a lane outside the members gives is not defined.
    if (W.member(unsigned(From)))
      W.D[L] = uint32_t(W.A[From]);
    else
      W.D[L] = ~uint64_t(0);
    W.E[L] = Ok;
  }
}

void vote(const Form &F, Lanes &W) {
  uint32_t Set = 0;
  for (unsigned L = 0; L < 32; ++L)
    Set |= W.member(L) && (W.A[L] & 1) ? 1u << L : 0;
  for (unsigned L = 0; L < 32; ++L) {
    if (!W.member(L))
      continue;
    if (F.has("ballot"))
      W.D[L] = Set;
    else
      W.E[L] = F.has("all")   ? Set == W.Members
               : F.has("any") ? Set != 0
                              : Set == 0 || Set == W.Members;
  }
}

void match(const Form &F, Lanes &W) {
  uint64_t Mask = F.type().mask();
  for (unsigned L = 0; L < 32; ++L) {
    if (!W.member(L))
      continue;
    uint32_t Same = 0;
    for (unsigned K = 0; K < 32; ++K)
      Same |= W.member(K) && !((W.A[K] ^ W.A[L]) & Mask) ? 1u << K : 0;
    bool All = Same == W.Members;
    W.D[L] = F.has("all") && !All ? 0 : Same;
    if (F.has("all"))
      W.E[L] = All;
  }
}

void redux(const Form &F, Lanes &W) {
  bool First = true;
  int64_t V = 0;
  for (unsigned L = 0; L < 32; ++L) {
    if (!W.member(L))
      continue;
    int64_t X = int64_t(valueOf(W.A[L], F.type()));
    V = First          ? X
        : F.has("add") ? V + X
        : F.has("min") ? std::min(V, X)
        : F.has("max") ? std::max(V, X)
        : F.has("and") ? V & X
        : F.has("or")  ? V | X
                       : V ^ X;
    First = false;
  }
  for (unsigned L = 0; L < 32; ++L)
    if (W.member(L))
      W.D[L] = uint32_t(V);
}

void elect(const Form &, Lanes &W) {
  unsigned Leader = unsigned(__builtin_ctz(W.Members));
  for (unsigned L = 0; L < 32; ++L)
    if (W.member(L)) {
      W.D[L] = Leader;
      W.E[L] = L == Leader;
    }
}

void activemask(const Form &, Lanes &W) {
  for (unsigned L = 0; L < 32; ++L)
    if (W.member(L))
      W.D[L] = W.Members;
}

/// Lanes come one after the other, in order; each gets what it found.
void meet(const Form &F, Lanes &W) {
  Type T = F.type();
  uint64_t Word = 0xffffffff & T.mask();
  for (unsigned L = 0; L < 32; ++L) {
    if (!W.member(L))
      continue;
    W.D[L] = Word;
    uint64_t B = W.A[L] & T.mask();
    __int128 X = valueOf(Word, T), Y = valueOf(B, T);
    Word = F.has("add")    ? Word + B
           : F.has("and")  ? Word & B
           : F.has("or")   ? Word | B
           : F.has("xor")  ? Word ^ B
           : F.has("exch") ? B
           : F.has("inc")  ? (Word >= B ? 0 : Word + 1)
           : F.has("dec")  ? (Word == 0 || Word > B ? B : Word - 1)
           : F.has("min")  ? (X < Y ? Word : B)
                           : (X > Y ? Word : B);
    Word &= T.mask();
  }
  for (unsigned L = 0; L < 32; ++L)
    if (W.member(L))
      W.E[L] = Word;
}

const std::vector<WarpRow> &rows() {
  static const std::vector<WarpRow> Rows = {
      {"shfl.sync{.up,.down,.bfly,.idx}.b32",
       "$I %d32|%q, %a32, %b32, %c32, %m;", shuffle},
      {"shfl{.up,.down,.bfly,.idx}.b32", "$I %d32|%q, %a32, %b32, %c32;",
       shuffle},
      {"vote.sync{.all,.any,.uni}.pred", "$I %q, %p, %m;", vote},
      {"vote{.all,.any,.uni}.pred", "$I %q, %p;", vote},
      {"vote.sync.ballot.b32", "$I %d32, %p, %m;", vote},
      {"vote.ballot.b32", "$I %d32, %p;", vote},
      {"match.any.sync.b32", "$I %d32, %a32, %m;", match},
      {"match.all.sync.b32", "$I %d32|%q, %a32, %m;", match},
      {"match.any.sync.b64", "$I %d32, %a, %m;", match},
      {"match.all.sync.b64", "$I %d32|%q, %a, %m;", match},
      {"redux.sync{.add,.min,.max}{.u32,.s32}", "$I %d32, %a32, %m;", redux},
      {"redux.sync{.and,.or,.xor}.b32", "$I %d32, %a32, %m;", redux},
      {"elect.sync", "$I %d32|%q, %m;", elect},
      {"activemask.b32", "$I %d32;", activemask},
      {"atom.global{.add,.min,.max}{.u32,.s32}",
       "$I %d32, [%word], %a32; bar.warp.sync %m; ld.global.b32 %e32, [%word];",
       meet},
      {"atom.global{.and,.or,.xor,.exch}.b32",
       "$I %d32, [%word], %a32; bar.warp.sync %m; ld.global.b32 %e32, [%word];",
       meet},
      {"atom.global{.inc,.dec}.u32",
       "$I %d32, [%word], %a32; bar.warp.sync %m; ld.global.b32 %e32, [%word];",
       meet},
      {"atom.global{.add.u64,.min.s64,.max.u64,.exch.b64,.xor.b64}",
       "$I %d, [%word], %a; bar.warp.sync %m; ld.global.b64 %e, [%word];",
       meet},
  };
  return Rows;
}

std::string textOf(const WarpRow &R, const Form &F) {
  std::string Body;
  for (size_t I = 0; I < R.Body.size(); ++I) {
    if (R.Body.compare(I, 2, "$I") == 0) {
      Body += F.Text;
      ++I;
    } else {
      Body += R.Body[I];
    }
  }
  bool Pred = Body.find("%q") != std::string::npos;
  bool Low = Body.find("%d32") != std::string::npos;
  bool LowE = Body.find("%e32") != std::string::npos;
  return ".version 8.5\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(.param .u64 p_data, .param .u64 p_words)\n{\n"
         ".reg .b64 %data, %word, %w, %a, %b, %c, %d, %e;\n"
         ".reg .b32 %a32, %b32, %c32, %d32, %e32, %m, %t, %n, %bit;\n"
         ".reg .pred %p, %q, %in;\n"
         "mov.u32 %n, %ctaid.x; mov.u32 %t, %tid.x;\n"
         "ld.param.u64 %data, [p_data]; ld.param.u64 %word, [p_words];\n"
         "mul.wide.u32 %w, %n, 8; add.u64 %word, %word, %w;\n"
         "mad.lo.u32 %n, %n, 192, %t; mul.wide.u32 %w, %n, 8;\n"
         "add.u64 %data, %data, %w;\n"
         "ld.global.b64 %a, [%data]; ld.global.b64 %b, [%data+256];\n"
         "ld.global.b64 %c, [%data+512]; ld.global.b64 %d, [%data+768];\n"
         "ld.global.b64 %e, [%data+1024]; ld.global.b32 %m, [%data+1280];\n"
         "cvt.u32.u64 %a32, %a; cvt.u32.u64 %b32, %b; cvt.u32.u64 %c32, %c;\n"
         "cvt.u32.u64 %d32, %d; cvt.u32.u64 %e32, %e;\n"
         "and.b32 %bit, %a32, 1; setp.ne.u32 %p, %bit, 0;\n"
         "and.b32 %bit, %e32, 1; setp.ne.u32 %q, %bit, 0;\n"
         "shr.u32 %bit, %m, %t; and.b32 %bit, %bit, 1; "
         "setp.ne.u32 %in, %bit, 0;\n"
         "@!%in bra OUT;\n" +
         Body + "\nOUT:\n" + (Low ? "cvt.u64.u32 %d, %d32;\n" : "") +
         (LowE ? "cvt.u64.u32 %e, %e32;\n" : "") +
         (Pred ? "selp.b64 %e, 1, 0, %q;\n" : "") +
         "st.global.b64 [%data+768], %d; st.global.b64 [%data+1024], %e;\n"
         "ret;\n}\n";
}

void runWarps(Device &D, const WarpRow &R, const Form &F, bool Portable) {
  setenv("GEVO_GPU_ISA", Portable ? "portable" : "best", 1);
  auto M = D.load(textOf(R, F));
  ASSERT_TRUE(M) << F.Text << ": " << M.error().str();
  constexpr unsigned Warps = 128;
  uint64_t Data = D.allocate(Warps * 192 * 8), Words = D.allocate(Warps * 8);
  auto *Bits = reinterpret_cast<uint64_t *>(Data);
  std::vector<Lanes> Want(Warps);
  Random Rand(11);
  for (unsigned N = 0; N < Warps; ++N) {
    Lanes &W = Want[N];
    // Whole warps, single lanes and any others.
    W.Members = N % 4 == 0 ? ~0u
                : N % 4 == 1
                    ? 1u << Rand.below(32)
                    : uint32_t(Rand.next() & Rand.next()) | 1u << N % 32;
    if (N % 8 == 3)
      W.Members |= uint32_t(Rand.next());
    // Few different values, so that lanes agree; or all the same.
    unsigned Kinds = N % 3 == 0 ? 1 : 1 + Rand.below(5);
    uint64_t Values[5];
    for (uint64_t &V : Values)
      V = Rand.below(2) ? Rand.next()
                        : specialValues({Type::Bits, 64, 1})[Rand.below(26)];
    // Both clamps and segments that are whole parts of a warp.
    uint64_t Seg = (32 - (32 >> Rand.below(6))) & 31;
    for (unsigned L = 0; L < 32; ++L) {
      W.A[L] = Values[Rand.below(Kinds)];
      W.B[L] = N % 2 ? Rand.next() : Rand.below(8);
      W.C[L] = Seg << 8 | (F.has("up") ? 0 : 31);
      if (N % 16 == 5)
        W.C[L] = Rand.next();
      W.D[L] = Rand.next();
      W.E[L] = Rand.next() & 1;
      if (R.Body.find("%d32") != std::string::npos)
        W.D[L] &= 0xffffffff;
      const uint64_t Row[6] = {W.A[L], W.B[L], W.C[L],
                               W.D[L], W.E[L], W.Members};
      for (unsigned K = 0; K < 6; ++K)
        Bits[N * 192 + K * 32 + L] = Row[K];
    }
    reinterpret_cast<uint64_t *>(Words)[N] = 0xffffffff;
    R.Ref(F, W);
  }
  uint64_t Params[2] = {Data, Words};
  LaunchOptions O;
  O.Grid = {Warps, 1, 1};
  O.Block = {32, 1, 1};
  O.Params = Params;
  O.ParamBytes = sizeof(Params);
  LaunchResult L = D.launch(*(*M)->kernel("k"), O);
  EXPECT_EQ(L.Status, LaunchStatus::Ok) << F.Text << ": " << L.Message;
  for (unsigned N = 0; N < Warps; ++N)
    for (unsigned K = 0; K < 32; ++K) {
      uint64_t GotD = Bits[N * 192 + 96 + K], GotE = Bits[N * 192 + 128 + K];
      if (Want[N].D[K] != ~uint64_t(0))
        ASSERT_EQ(GotD, Want[N].D[K])
            << F.Text << " warp " << N << " lane " << K << " members "
            << std::hex << Want[N].Members;
      ASSERT_EQ(GotE, Want[N].E[K])
          << F.Text << " warp " << N << " lane " << K << " members " << std::hex
          << Want[N].Members;
    }
  D.release(Data);
  D.release(Words);
}
} // namespace

const std::vector<std::string> &gevo::isa::warpPatterns() {
  static const std::vector<std::string> Patterns = [] {
    std::vector<std::string> P;
    for (const WarpRow &R : rows())
      P.push_back(R.Pattern);
    return P;
  }();
  return Patterns;
}

TEST(IsaTest, Warp) {
  DeviceConfig C;
  C.SmArch = 90;
  Device D(C);
  for (const WarpRow &R : rows())
    for (const Form &F : expand(R.Pattern))
      for (bool Portable : {false, true})
        runWarps(D, R, F, Portable);
}
