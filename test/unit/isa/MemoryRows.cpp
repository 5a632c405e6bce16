//===- MemoryRows.cpp - Loads, stores, atomics ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One lane's accesses to memory of its own: what a load makes of the bytes
// that were stored, what a store leaves of those around it, what an atomic
// returns and leaves. Lanes that meet at a word are tested with the warps.
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/FloatReference.h"
#include "test/unit/isa/Tables.h"

using namespace gevo::isa;

namespace {
unsigned vectorSize(const Form &F) {
  return F.has("v4") ? 4 : F.has("v2") ? 2 : 1;
}

/// The elements of the 16 bytes that In[0] and In[1] hold.
uint64_t element(const uint64_t *In, Type T, unsigned K) {
  unsigned Bit = K * T.Size;
  return (Bit < 64 ? In[0] >> Bit : In[1] >> (Bit - 64)) & T.mask();
}
void load(const Form &F, const uint64_t *In, Want *Out) {
  for (unsigned K = 0; K < vectorSize(F); ++K)
    Out[K] = Want::exact(element(In, F.type(), K));
}

/// Stores elements into bytes that are all ones and reads 16 bytes back.
void store(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  unsigned __int128 All = ~(unsigned __int128)0;
  for (unsigned K = 0; K < vectorSize(F); ++K) {
    unsigned Bit = K * T.Size;
    All &= ~((unsigned __int128)T.mask() << Bit);
    All |= (unsigned __int128)(In[K] & T.mask()) << Bit;
  }
  Out[0] = Want::exact(uint64_t(All));
  Out[1] = Want::exact(uint64_t(All >> 64));
}

/// Both words through a 128-bit register.
void through(const Form &, const uint64_t *In, Want *Out) {
  Out[0] = Want::exact(In[0]);
  Out[1] = Want::exact(In[1]);
}

/// What the constant bytes hold at offset 16.
void known(const Form &F, const uint64_t *, Want *Out) {
  const uint64_t Words[2] = {knownWord(2), knownWord(3)};
  load(F, Words, Out);
}

void knownPair(const Form &, const uint64_t *, Want *Out) {
  Out[0] = Want::exact(knownWord(2));
  Out[1] = Want::exact(knownWord(3));
}

/// \name Atomics
/// @{
/// The new value of a word, or of one part of it.
Want combine(const Form &F, Type T, bool Flush, uint64_t Old, uint64_t B,
             uint64_t C) {
  if (T.isFloat()) {
    if (Flush) {
      Old = flush(Old, T);
      B = flush(B, T);
    }
    if (!F.has("add")) {
      // The smaller or larger number; -0 is below +0.
      if (isNan(Old, T) || isNan(B, T))
        return isNan(Old, T) && isNan(B, T)
                   ? Want::nan()
                   : Want::exact(isNan(B, T) ? Old : B);
      double X = decode(Old, T), Y = decode(B, T);
      bool Less = X < Y || (X == Y && isNegative(Old, T));
      return Want::exact(Less == F.has("min") ? Old : B);
    }
    Real X(Old, T), Y(B, T);
    uint64_t Bits =
        rounded(T, Round::Nearest, [&](mpfr_ptr R, mpfr_rnd_t Direction) {
          return mpfr_add(R, X.get(), Y.get(), Direction);
        });
    return floatWant(Flush ? flush(Bits, T) : Bits, T);
  }
  __int128 X = valueOf(Old, T), Y = valueOf(B, T);
  uint64_t V = F.has("and")    ? Old & B
               : F.has("or")   ? Old | B
               : F.has("xor")  ? Old ^ B
               : F.has("exch") ? B
               : F.has("cas")  ? (Old == B ? C : Old)
               : F.has("add")  ? Old + B
               : F.has("inc")  ? (Old >= B ? 0 : Old + 1)
               : F.has("dec")  ? (Old == 0 || Old > B ? B : Old - 1)
               : F.has("min")  ? (X < Y ? Old : B)
                               : (X > Y ? Old : B);
  return Want::exact(V & T.mask());
}

/// atom: the old value, then the new one. f32 in global memory is flushed.
template <bool Global> void atom(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  bool Flush = Global && T == Type{Type::Float, 32, 1};
  for (unsigned P = 0; P < T.Parts; ++P) {
    unsigned Shift = P * T.Size % 64;
    auto Part = [&](unsigned K) { return In[K] >> Shift & T.mask(); };
    Out[P] = Want::exact(Part(0));
    Out[T.Parts + P] = combine(F, T.part(), Flush, Part(0), Part(1), Part(2));
  }
}
/// red: the new value alone.
template <bool Global> void red(const Form &F, const uint64_t *In, Want *Out) {
  Want Both[4];
  atom<Global>(F, In, Both);
  for (unsigned P = 0; P < F.type().Parts; ++P)
    Out[P] = Both[F.type().Parts + P];
}
/// Two elements of one word each: $a and $b are memory, $c and $h operands.
void redVector(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  bool Flush = T == Type{Type::Float, 32, 1};
  unsigned Next = 0;
  for (unsigned K = 0; K < 2; ++K)
    for (unsigned P = 0; P < T.Parts; ++P) {
      unsigned Shift = P * T.Size;
      Out[Next++] = combine(F, T.part(), Flush, In[K] >> Shift & T.mask(),
                            In[2 + K] >> Shift & T.mask(), 0);
    }
}
/// The old values, then the new ones.
void atomVector(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  for (unsigned K = 0; K < 2; ++K)
    for (unsigned P = 0; P < T.Parts; ++P)
      *Out++ = Want::exact(In[K] >> (P * T.Size) & T.mask());
  redVector(F, In, Out);
}

/// 128 bits: $a and $b are memory, $c and $h the new value.
void exchange128(const Form &, const uint64_t *In, Want *Out) {
  for (unsigned K = 0; K < 4; ++K)
    Out[K] = Want::exact(In[K]);
}
/// The value compared with is $a and $c.
void swap128(const Form &, const uint64_t *In, Want *Out) {
  exchange128(Form(""), In, Out);
  if (In[1] != In[2])
    for (unsigned K : {0, 1})
      Out[2 + K] = Want::exact(In[K]);
}
/// @}
} // namespace

#define GEVO_SMALL                                                             \
  "{.b8,.b16,.b32,.b64,.u8,.u16,.u32,.u64,.s8,.s16,.s32,.s64,.f32,.f64}"
#define GEVO_FOUR "{.b8,.b16,.b32,.u8,.u16,.u32,.s8,.s16,.s32,.f32}"
#define GEVO_SHARED "{.shared,.shared::cta,.shared::cluster}"
#define GEVO_L1                                                                \
  ".L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,"   \
  ".L1::no_allocate"
#define GEVO_PREFETCH "{,.L2::64B,.L2::128B,.L2::256B}"
#define GEVO_SCOPE "{.cta,.cluster,.gpu,.sys}"
#define GEVO_REDSEM "{,.relaxed,.release}{,.cta,.cluster,.gpu,.sys}"
#define GEVO_SEM                                                               \
  "{,.relaxed,.acquire,.release,.acq_rel}{,.cta,.cluster,.gpu,.sys}"

namespace {
/// The rows of one kind of load or store in one place. \p Words are what comes
/// before the vector and the type; \p Plain: the types of vectors and wider
/// registers, too, which the other words have nothing to do with.
void accesses(std::vector<Row> &Rows, bool Load, const std::string &Words,
              const std::string &At, bool Plain, bool Vectors = true) {
  std::string Space = At == "$s" ? ".shared" : At == "local" ? ".local" : "";
  bool Hint = Words.find("cache_hint") != std::string::npos;
  std::string Policy = Hint ? ", %wide" : "";
  std::string Read = "ld" + Space + ".v2.b64 {$d, $e}, [" + At + "];";
  auto Add = [&](const std::string &Types, const char *Signature,
                 const std::string &Registers) {
    std::string Body =
        "st" + Space + ".v2.b64 [" + At + "], " +
        (Load ? "{$a, $b}; $I " + Registers + ", [" + At + "]" + Policy + ";"
              : "{%ones, %ones}; $I [" + At + "], " + Registers + Policy +
                    "; " + Read);
    Rows.push_back({(Load ? "ld" : "st") + Words + Types,
                    Signature,
                    Load ? load : store,
                    Body,
                    {},
                    nullptr,
                    true});
  };
  const char *Narrow = "{.b8,.u8,.s8,.b16,.u16,.s16,.b32,.u32,.s32}";
  Add(GEVO_SMALL, Load ? "T=b64,b64" : "b64|b64=T", Load ? "$d" : "$a");
  if (Plain)
    Add(Narrow, Load ? "T^=b64,b64" : "b64|b64=T^", Load ? "$d" : "$a");
  Rows.push_back({(Load ? "ld" : "st") + Words + ".b128",
                  "b64|b64=b64,b64",
                  through,
                  Load ? "st" + Space + ".v2.b64 [" + At +
                             "], {$a, $b}; $I %quad, [" + At + "]" + Policy +
                             "; mov.b128 {$d, $e}, %quad;"
                       : "mov.b128 %quad, {$a, $b}; $I [" + At + "], %quad" +
                             Policy + "; " + Read,
                  {},
                  nullptr,
                  true});
  if (!Vectors)
    return;
  Add(std::string(".v2") + (Plain ? GEVO_SMALL : "{.u32,.f64}"),
      Load ? "T|T=b64,b64" : "b64|b64=T,T", Load ? "{$d, $e}" : "{$a, $b}");
  Add(std::string(".v4") + (Plain ? GEVO_FOUR : "{.s16,.f32}"),
      Load ? "T|T|T|T=b64,b64" : "b64|b64=T,T,T,T",
      Load ? "{$d, $e, $f, $g}" : "{$a, $b, $c, $h}");
}

/// atom and red of one kind in one place.
void atomics(std::vector<Row> &Rows, const std::string &Operation,
             const std::string &Types, bool Shared) {
  std::string Space = Shared ? GEVO_SHARED : "{,.global}";
  std::string In = Shared ? ".shared" : "", At = Shared ? "[$s]" : "[$m]";
  for (const char *Hint : {"", ".L2::cache_hint"}) {
    std::string Policy = *Hint ? ", %wide;" : ";";
    std::string Begin = "st" + In + ".$T " + At + ", $a; $I ";
    Rows.push_back({"atom" GEVO_SEM + Space + Operation + Hint + Types,
                    "T|T=T,T",
                    Shared ? atom<false> : atom<true>,
                    Begin + "$d, " + At + ", $b" + Policy + " ld" + In +
                        ".$T $e, " + At + ";",
                    {},
                    nullptr,
                    true});
    if (Operation != ".exch")
      Rows.push_back(
          {"red" GEVO_REDSEM + Space + Operation + Hint + Types,
           "T=T,T",
           Shared ? red<false> : red<true>,
           Begin + At + ", $b" + Policy + " ld" + In + ".$T $d, " + At + ";",
           {},
           nullptr,
           true});
    if (Operation == ".exch")
      Rows.push_back(
          {"atom" GEVO_SEM + Space + ".cas" + Hint + "{.b16,.b32,.b64}",
           "T|T=T,T,T",
           Shared ? atom<false> : atom<true>,
           Begin + "$d, " + At + ", $b, $c" + Policy + " ld" + In + ".$T $e, " +
               At + ";",
           {},
           nullptr,
           true});
  }
}

/// Vectors of \p Count elements, which repeat two values; the last two count.
void vectorAtomics(std::vector<Row> &Rows, unsigned Count,
                   const std::string &Operation, const std::string &Types) {
  auto Repeat = [&](const char *Two, const char *Before) {
    std::string Text = "{";
    for (unsigned K = 2; K < Count; K += 2)
      Text += std::string(Before) + ", ";
    return Text + Two + "}";
  };
  // Memory is filled and read by pairs, as no access is wider than four.
  std::string Fill, Vector = ".v" + std::to_string(Count);
  for (unsigned K = 0; K < Count; K += 2)
    Fill += "st.v2.$T [$m+" + std::to_string(K) + "*$z], {$a, $b}; ";
  for (const char *Hint : {"", ".L2::cache_hint"}) {
    std::string Policy = *Hint ? ", %wide; " : "; ";
    std::string Operand = Repeat("$c, $h", "$c, $h");
    std::string Last = "[$m+" + std::to_string(Count - 2) + "*$z];";
    Rows.push_back(
        {"red" GEVO_REDSEM "{,.global}" + Operation + Hint + Vector + Types,
         "T|T=T,T,T,T",
         redVector,
         Fill + "$I [$m], " + Operand + Policy + "ld.v2.$T {$d, $e}, " + Last,
         {},
         nullptr,
         true});
    Rows.push_back(
        {"atom" GEVO_SEM "{,.global}" + Operation + Hint + Vector + Types,
         "T|T|T|T=T,T,T,T",
         atomVector,
         Fill + "$I " + Repeat("$d, $e", "_, _") + ", [$m], " + Operand +
             Policy + "ld.v2.$T {$f, $g}, " + Last,
         {},
         nullptr,
         true});
  }
}

std::vector<Row> makeRows() {
  std::vector<Row> R;
  for (bool Load : {true, false}) {
    std::string Cache = Load ? ",.ca,.cg,.cs,.lu,.cv" : ",.wb,.cg,.cs,.wt";
    std::string Prefetch = Load ? GEVO_PREFETCH : "";
    std::string Strong = Load ? "{.relaxed,.acquire}" : "{.relaxed,.release}";
    std::string Near = "{,.weak}{,.global}{" + Cache + "," GEVO_L1 "}";
    std::string Far = Strong + GEVO_SCOPE "{,.global}{," GEVO_L1 "}";
    accesses(R, Load, "{,.weak}" GEVO_SHARED "{" + Cache + "}", "$s", true);
    accesses(R, Load, "{,.weak}.local{" + Cache + "}", "local", true);
    accesses(R, Load, Near + Prefetch, "$m", true);
    accesses(R, Load, Near + ".L2::cache_hint" + Prefetch, "$m", false);
    accesses(R, Load, ".volatile{,.global}" + Prefetch, "$m", true);
    accesses(R, Load, ".volatile" GEVO_SHARED, "$s", false);
    accesses(R, Load, ".volatile.local", "local", false);
    accesses(R, Load, Strong + GEVO_SCOPE GEVO_SHARED, "$s", false);
    accesses(R, Load, Far + Prefetch, "$m", false);
    accesses(R, Load, Far + ".L2::cache_hint" + Prefetch, "$m", false);
    accesses(R, Load, ".mmio.relaxed.sys{,.global}", "$m", false, false);
  }
  for (const char *Hint : {"", ".L2::cache_hint"})
    accesses(R, true,
             ".global.nc{,.ca,.cg,.cs," GEVO_L1 "}" + std::string(Hint) +
                 GEVO_PREFETCH,
             "$m", false);
  // ldu is ld of memory that is only read.
  R.push_back({"ldu{,.global}" GEVO_SMALL, "T=b64,b64", load,
               "st.v2.b64 [$m], {$a, $b}; $I $d, [$m];"});
  R.push_back({"ldu{,.global}.v2" GEVO_SMALL, "T|T=b64,b64", load,
               "st.v2.b64 [$m], {$a, $b}; $I {$d, $e}, [$m];"});
  R.push_back({"ldu{,.global}.v4" GEVO_FOUR, "T|T|T|T=b64,b64", load,
               "st.v2.b64 [$m], {$a, $b}; $I {$d, $e, $f, $g}, [$m];"});
  R.push_back({"ldu{,.global}.b128", "b64|b64=b64,b64", through,
               "st.v2.b64 [$m], {$a, $b}; $I %quad, [$m]; "
               "mov.b128 {$d, $e}, %quad;"});
  // Bytes that are there before the kernel runs.
  for (std::string Space : {".const", "{.param,.param::entry}"}) {
    std::string At = Space == ".const" ? "[bytes+16];" : "[p_bytes+16];";
    std::string Words = "ld{,.weak}" + Space + "{,.ca,.cg,.cs,.lu,.cv}";
    R.push_back(
        {Words + GEVO_SMALL, "T=", known, "$I $d, " + At, {}, nullptr, true});
    R.push_back({Words + ".v2" GEVO_SMALL,
                 "T|T=",
                 known,
                 "$I {$d, $e}, " + At,
                 {},
                 nullptr,
                 true});
    R.push_back({Words + ".v4" GEVO_FOUR,
                 "T|T|T|T=",
                 known,
                 "$I {$d, $e, $f, $g}, " + At,
                 {},
                 nullptr,
                 true});
    R.push_back({Words + ".b128", "b64|b64=", knownPair,
                 "$I %quad, " + At + " mov.b128 {$d, $e}, %quad;"});
  }
  for (bool Shared : {false, true}) {
    atomics(R, ".exch", "{.b32,.b64}", Shared);
    atomics(R, "{.and,.or,.xor}", "{.b32,.b64}", Shared);
    atomics(R, ".add", "{.u32,.s32,.u64,.s64,.f32,.f64}", Shared);
    atomics(R, "{.inc,.dec}", ".u32", Shared);
    atomics(R, "{.min,.max}", "{.u32,.s32,.u64,.s64}", Shared);
    atomics(R, ".add.noftz", "{.f16,.f16x2,.bf16,.bf16x2}", Shared);
    std::string Words =
        GEVO_SEM + std::string(Shared ? GEVO_SHARED : "{,.global}");
    std::string In = Shared ? ".shared" : "", At = Shared ? "[$s]" : "[$m]";
    for (const char *Hint : {"", ".L2::cache_hint"}) {
      std::string Policy = *Hint ? ", %wide; " : "; ";
      std::string Begin = "st" + In + ".v2.b64 " + At +
                          ", {$a, $b}; mov.b128 %quad2, {$c, $h}; ";
      std::string End =
          "mov.b128 {$d, $e}, %quad; ld" + In + ".v2.b64 {$f, $g}, " + At + ";";
      R.push_back({"atom" + Words + ".exch" + Hint + ".b128",
                   "b64|b64|b64|b64=b64,b64,b64,b64",
                   exchange128,
                   Begin + "$I %quad, " + At + ", %quad2" + Policy + End,
                   {},
                   nullptr,
                   true});
      R.push_back({"atom" + Words + ".cas" + Hint + ".b128",
                   "b64|b64|b64|b64=b64,b64,b64,b64",
                   swap128,
                   Begin + "mov.b128 %quad, {$a, $c}; $I %quad, " + At +
                       ", %quad, %quad2" + Policy + End,
                   {},
                   nullptr,
                   true});
    }
  }
  vectorAtomics(R, 2, ".add", ".f32");
  vectorAtomics(R, 4, ".add", ".f32");
  vectorAtomics(R, 2, "{.add,.min,.max}.noftz", "{.f16,.bf16,.f16x2,.bf16x2}");
  vectorAtomics(R, 4, "{.add,.min,.max}.noftz", "{.f16,.bf16,.f16x2,.bf16x2}");
  vectorAtomics(R, 8, "{.add,.min,.max}.noftz", "{.f16,.bf16}");
  return R;
}
} // namespace

const std::vector<Row> &gevo::isa::memoryRows() {
  static const std::vector<Row> Rows = makeRows();
  return Rows;
}
