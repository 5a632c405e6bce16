//===- MutantTest.cpp - No PTX harms the process --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random mutants of a module that uses most of the engine are loaded and run
// in this process. Nothing is expected of them but that loading and running end
// with a result, that a second device computes the same all the time, and that
// memory does not grow. `utils/soak --gpu N` runs N mutants instead of the
// seeded few. GEVO_SOAK_SEED draws others, GEVO_SOAK_PTX names a file to mutate
// instead, GEVO_SOAK_DUMP one that gets each mutant before it runs.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace gevo::gpu;

namespace {

const char *Seed = R"(.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.global .align 8 .b8 fmt[8] = {37,100,32,37,115,10,0,0};
.const .align 4 .u32 table[4] = {1, 2, 3, 4};
.shared .align 16 .b8 tile[512];
.extern .shared .align 16 .b8 dyn[];
.func (.param .b32 r) fact(.param .b32 n) {
  .reg .b32 %r<5>;
  .reg .pred %p;
  ld.param.u32 %r1, [n];
  setp.lt.u32 %p, %r1, 2;
  mov.u32 %r2, 1;
  @%p bra DONE;
  sub.u32 %r3, %r1, 1;
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r3;
    call (b), fact, (a);
    ld.param.b32 %r4, [b]; }
  mul.lo.u32 %r2, %r1, %r4;
DONE:
  st.param.b32 [r], %r2;
  ret;
}
.global .u64 functions[1] = {fact};
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>;
  .reg .f32 %f<16>; .reg .f64 %d<8>; .reg .b64 %rd<16>;
  .local .align 16 .b8 frame[64];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.s32 %r5, %r3, %r4, %r2;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra END;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  fma.rn.ftz.f32 %f2, %f1, 0f40000000, %f1;
  ex2.approx.f32 %f3, %f2;
  cvt.rzi.s32.f32 %r6, %f3;
  shl.b32 %r7, %r2, 2;
  mov.u32 %r8, tile;
  add.s32 %r9, %r8, %r7;
  st.shared.u32 [%r9], %r6;
  bar.sync 0;
  mov.u32 %r10, 0;
LOOP:
  xor.b32 %r11, %r2, %r10;
  shl.b32 %r11, %r11, 2;
  add.s32 %r12, %r8, %r11;
  ld.shared.u32 %r13, [%r12];
  add.s32 %r6, %r6, %r13;
  add.s32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, 8;
  @%p2 bra LOOP;
  shfl.sync.down.b32 %r14|%p3, %r6, 4, 31, 0xffffffff;
  vote.sync.ballot.b32 %r15, %p3, 0xffffffff;
  match.any.sync.b32 %r16, %r15, 0xffffffff;
  atom.global.add.u32 %r17, [%rd2], %r14;
  red.shared.max.u32 [tile+128], %r17;
  ld.const.u32 %r18, [table+8];
  ld.global.v4.u32 {%r19, %r20, _, %r21}, [%rd2+16];
  mov.b64 %rd5, {%r19, %r20};
  mov.b64 {%r22, %r23}, %rd5;
  prmt.b32 %r24, %r22, %r23, 0x5140;
  lop3.b32 %r24, %r24, %r22, %r23, 0x96;
  bfe.u32 %r25, %r24, 3, 9;
  rem.s32 %r26, %r25, %r18;
  mov.u64 %rd6, frame;
  st.local.v2.u32 [%rd6+8], {%r25, %r26};
  ld.local.u64 %rd7, [%rd6+8];
  cvt.rn.f64.u64 %d1, %rd7;
  sqrt.rn.f64 %d2, %d1;
  cvt.rn.f16.f64 %h1, %d2;
  add.f16 %h2, %h1, %h1;
  cvt.f32.f16 %f4, %h2;
  and.b32 %r27, %r5, 7;
  mov.u64 %rd8, functions;
  ld.global.u64 %rd9, [%rd8];
  PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r27;
    call (b), %rd9, (a), PROTO;
    ld.param.b32 %r28, [b]; }
  T: .branchtargets ONE, TWO;
  and.b32 %r29, %r5, 1;
  brx.idx %r29, T;
ONE:
  st.global.u32 [%rd4], %r28;
  bra.uni END;
TWO:
  bar.warp.sync 0xaaaaaaaa;
  { .param .b64 a; .param .b64 b;
    st.param.b64 [a], 40;
    call (b), malloc, (a);
    ld.param.b64 %rd10, [b]; }
  st.u32 [%rd10+4], %r28;
  { .param .b64 a;
    st.param.b64 [a], %rd10;
    call free, (a); }
  st.global.f32 [%rd4], %f4;
END:
  ret;
}
)";

/// Words a mutation may put in the place of others.
std::vector<std::string> wordsOf(const std::string &Text) {
  std::vector<std::string> Words;
  std::string Word;
  for (char C : Text) {
    if (isalnum(C) || C == '_' || C == '%' || C == '.' || C == '$') {
      Word += C;
      continue;
    }
    if (!Word.empty())
      Words.push_back(Word);
    Word.clear();
    if (!isspace(C))
      Words.push_back(std::string(1, C));
  }
  return Words;
}

class Mutator {
public:
  Mutator(std::string Text, uint64_t Seed)
      : Text(std::move(Text)), Words(wordsOf(this->Text)), Random(Seed) {}

  std::string next() {
    std::string T = Text;
    for (unsigned N = 1 + below(3); N-- > 0;)
      mutate(T);
    return T;
  }

private:
  uint64_t below(uint64_t N) { return N ? Random() % N : 0; }

  /// A line, as offset and length with its newline.
  std::pair<size_t, size_t> line(const std::string &T) {
    size_t At = below(T.size());
    size_t Begin = T.rfind('\n', At);
    Begin = Begin == std::string::npos ? 0 : Begin + 1;
    size_t End = T.find('\n', At);
    End = End == std::string::npos ? T.size() : End + 1;
    return {Begin, End > Begin ? End - Begin : 0};
  }

  void mutate(std::string &T) {
    auto [Begin, Size] = line(T);
    std::string Line = T.substr(Begin, Size);
    switch (below(6)) {
    case 0:
      T.erase(Begin, Size);
      return;
    case 1:
      T.insert(line(T).first, Line);
      return;
    case 2: {
      auto [Other, OtherSize] = line(T);
      T.replace(Other, OtherSize, Line);
      return;
    }
    case 3: // A number.
      for (size_t K = Begin; K < Begin + Size; ++K)
        if (isdigit(T[K]) && below(3) == 0) {
          static const char *const Numbers[] = {
              "0",     "1",          "7",
              "31",    "32",         "4096",
              "65536", "0xffffffff", "0x7fffffffffffffff"};
          T.replace(K, 1, Numbers[below(9)]);
          return;
        }
      return;
    case 4: { // A word of the line.
      std::vector<std::string> Here = wordsOf(Line);
      if (Here.empty())
        return;
      const std::string &Old = Here[below(Here.size())];
      size_t At = T.find(Old, Begin);
      if (At != std::string::npos)
        T.replace(At, Old.size(), Words[below(Words.size())]);
      return;
    }
    default: // A register's number.
      for (size_t K = Begin + 1; K < Begin + Size; ++K)
        if (isdigit(T[K]) && isalpha(T[K - 1]) && below(2) == 0) {
          T[K] = char('0' + below(10));
          return;
        }
      return;
    }
  }

  std::string Text;
  std::vector<std::string> Words;
  std::mt19937_64 Random;
};

/// Runs every kernel of a module; parameters are buffers and small numbers.
template <typename Function>
void runKernels(Device &D, uint64_t Buffer, const LoadedModule &M,
                Function Then) {
  for (const auto &K : M.kernels()) {
    std::vector<char> Params(K->paramBytes());
    for (const KernelParam &P : K->params()) {
      uint64_t V = P.Size == 8 ? Buffer : 40;
      if (P.Offset + uint64_t(P.Size) <= Params.size())
        std::memcpy(Params.data() + P.Offset, &V,
                    std::min<size_t>(P.Size, sizeof V));
    }
    LaunchOptions O;
    O.Grid = {2, 1, 1};
    O.Block = {48, 1, 1};
    O.DynamicSharedBytes = 256;
    O.Params = Params.data();
    O.ParamBytes = Params.size();
    O.Checks = CheckSet::all();
    O.StepLimit = 20000;
    O.Printf = [](std::string_view) {};
    LaunchResult R = D.launch(*K, O);
    ASSERT_LE(R.Findings.size(), O.MaxFindings);
    Then(R);
  }
}

/// A device that runs the unchanged module now and then: what mutants do on
/// another device must not show here.
class Witness {
public:
  Witness() : Buffer(D.allocate(Bytes)), M(std::move(*D.load(Seed))) {
    First = look();
  }
  bool agrees() { return look() == First; }

private:
  std::string look() {
    std::string Seen(Bytes, 0);
    D.set(Buffer, 0, 4, Bytes / 4);
    runKernels(D, Buffer, *M, [&](const LaunchResult &R) {
      Seen += launchStatusName(R.Status);
      for (const Finding &F : R.Findings)
        Seen += F.str();
    });
    D.copyFromDevice(Seen.data(), Buffer, Bytes);
    return Seen;
  }

  static constexpr uint64_t Bytes = 4096;
  Device D;
  uint64_t Buffer;
  std::unique_ptr<LoadedModule> M;
  std::string First;
};

uint64_t residentBytes() {
  std::ifstream In("/proc/self/statm");
  uint64_t Whole = 0, Resident = 0;
  In >> Whole >> Resident;
  return Resident * 4096;
}

/// What became of mutants, by the name of the outcome.
struct Tally {
  std::map<std::string, uint64_t> Outcomes;
  uint64_t Loaded = 0;

  void show(uint64_t Done) const {
    std::printf("%llu mutants:", (unsigned long long)Done);
    for (const auto &[Name, Count] : Outcomes)
      std::printf(" %s %llu", Name.c_str(), (unsigned long long)Count);
    std::printf("; %llu MB resident\n",
                (unsigned long long)residentBytes() >> 20);
    std::fflush(stdout);
  }
};

uint64_t numberFrom(const char *Variable, uint64_t Otherwise) {
  const char *Text = std::getenv(Variable);
  return Text ? std::strtoull(Text, nullptr, 10) : Otherwise;
}

std::string textToMutate() {
  const char *File = std::getenv("GEVO_SOAK_PTX");
  if (!File)
    return Seed;
  std::ifstream In(File);
  std::stringstream Whole;
  Whole << In.rdbuf();
  return Whole.str();
}

TEST(Mutants, NeverHarmTheProcess) {
  uint64_t Count = numberFrom("GEVO_SOAK", 2000);
  Mutator Mutants(textToMutate(), numberFrom("GEVO_SOAK_SEED", 1));
  DeviceConfig C;
  C.GlobalBytes = uint64_t(64) << 20;
  std::unique_ptr<Device> D;
  uint64_t Buffer = 0;
  Witness Other;
  Tally T;
  for (uint64_t N = 1; N <= Count; ++N) {
    std::string Mutant = Mutants.next();
    // Mutants use up the heap of device code, for nothing frees it.
    if (N % 1000 == 1) {
      D = std::make_unique<Device>(C);
      Buffer = D->allocate(4096);
    }
    if (const char *Dump = std::getenv("GEVO_SOAK_DUMP"))
      std::ofstream(Dump) << Mutant;
    if (auto M = D->load(Mutant)) {
      ++T.Loaded;
      runKernels(*D, Buffer, **M, [&](const LaunchResult &R) {
        std::string Name = launchStatusName(R.Status);
        ++T.Outcomes[Name == "ok" && !R.clean() ? "findings" : Name];
      });
    } else {
      EXPECT_FALSE(M.error().Message.empty());
      ++T.Outcomes["refused"];
    }
    if (N % 1000 == 0) {
      ASSERT_TRUE(Other.agrees()) << "after mutant " << N;
    }
    if (N % 50000 == 0)
      T.show(N);
  }
  // The mutations must not be so wild that nothing is tested.
  EXPECT_GT(T.Loaded, Count / 10);
  EXPECT_GT(T.Outcomes["ok"] + T.Outcomes["findings"], Count / 50);
  // Neither the arena nor the process may grow.
  EXPECT_LT(D->usedBytes(), uint64_t(16) << 20);
  EXPECT_LT(residentBytes(), uint64_t(2) << 30);
}

TEST(Mutants, TheSeedItselfRuns) {
  Device D;
  uint64_t Buffer = D.allocate(4096);
  auto M = D.load(Seed);
  ASSERT_TRUE(M) << M.error().str();
  unsigned Finished = 0;
  runKernels(D, Buffer, **M, [&](const LaunchResult &R) {
    Finished += R.Status == LaunchStatus::Ok;
  });
  EXPECT_EQ(Finished, 1u);
}

} // namespace
