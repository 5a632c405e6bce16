//===- gevo-soak.cpp - Random edit sets by the thousand -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gevo-soak [options] module.bc...
//
// Case N, one for each seed, is about module N modulo the number of modules.
// The same arguments give the same cases; a case that failed is repeated with
// --first=SEED --sets=1 and the same modules.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Lower.h"
#include "test/soak/Case.h"
#include "test/soak/Isolation.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <new>

using namespace llvm;
using namespace gevo;

static cl::OptionCategory Category("gevo-soak options");
static cl::list<std::string> Inputs(cl::Positional, cl::OneOrMore,
                                    cl::cat(Category),
                                    cl::desc("<module.bc>..."));
static cl::opt<uint64_t> First("first", cl::init(1), cl::cat(Category),
                               cl::desc("The first seed"));
static cl::opt<uint64_t> Sets("sets", cl::init(100), cl::cat(Category),
                              cl::desc("How many edit sets to draw"));
static cl::opt<unsigned> MaxEdits("max-edits", cl::init(16), cl::cat(Category),
                                  cl::desc("Most edits of a set"));
static cl::opt<std::string> Ptxas("ptxas", cl::cat(Category),
                                  cl::desc("NVIDIA's assembler"));
static cl::opt<unsigned>
    AssembleEvery("assemble-every", cl::init(100), cl::cat(Category),
                  cl::desc("With --ptxas, assemble one set in so many"));
static cl::opt<uint64_t>
    ReportEvery("report-every", cl::init(2000), cl::cat(Category),
                cl::desc("Tell how far it is after so many sets, or after half "
                         "a minute; 0: never"));
static cl::opt<unsigned>
    Seconds("seconds", cl::init(30), cl::cat(Category),
            cl::desc("Most processor time of one set, all checks included"));

// A new child now and then keeps what piles up in LLVM's context small.
static constexpr uint64_t ChunkSize = 256;

// A slow machine tells as often as a quick one.
static constexpr double LongestSilence = 30;

static std::vector<Subject> loadSubjects() {
  std::vector<Subject> Subjects;
  for (const std::string &Path : Inputs) {
    auto Buffer = MemoryBuffer::getFile(Path);
    if (!Buffer) {
      errs() << "gevo-soak: error: cannot read '" << Path
             << "': " << Buffer.getError().message() << '\n';
      exit(2);
    }
    auto Context = std::make_unique<LLVMContext>();
    Expected<std::unique_ptr<Module>> M =
        parseBitcodeFile((*Buffer)->getMemBufferRef(), *Context);
    if (!M) {
      errs() << "gevo-soak: error: '" << Path
             << "' is not bitcode: " << toString(M.takeError()) << '\n';
      exit(2);
    }
    std::string Text = textOf(**M);
    Subjects.push_back({sys::path::stem(Path).str(), std::move(*Buffer),
                        std::move(Context), std::move(*M), std::move(Text)});
  }
  return Subjects;
}

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

// At once, also into a pipe: a long soak that says nothing looks hung.
static void tellProgress(uint64_t Done, const Tally &T,
                         Clock::time_point Start) {
  outs() << "soak: " << Done << " of " << Sets << " sets, " << T.Failures
         << " failures, " << format("%.0f", secondsSince(Start)) << " s\n";
  outs().flush();
}

static void runSets(ArrayRef<Subject> Subjects, const CaseOptions &Options,
                    Tally &T, Clock::time_point Start) {
  uint64_t End = First + Sets;
  uint64_t Reported = 0;
  Clock::time_point Told = Start;
  auto SubjectOf = [&](uint64_t Seed) -> const Subject & {
    return Subjects[Seed % Subjects.size()];
  };
  for (uint64_t Next = First; Next < End;) {
    uint64_t ChunkEnd = std::min(Next + ChunkSize, End);
    outs().flush();
    std::string Crash = runIsolated(
        [&] {
          for (T.Seed = Next; T.Seed < ChunkEnd; ++T.Seed) {
            restartClock(Seconds);
            Case(SubjectOf(T.Seed), T.Seed, Options, T).run();
          }
        },
        {});
    if (Crash.empty()) {
      Next = ChunkEnd;
    } else {
      ++T.Failures;
      outs() << "CRASH " << SubjectOf(T.Seed).Name << " seed " << T.Seed << ", "
             << T.Step << ": " << Crash << '\n';
      Next = T.Seed + 1;
    }
    uint64_t Done = Next - First;
    if (ReportEvery && Next < End &&
        (Done / ReportEvery != Reported / ReportEvery ||
         secondsSince(Told) >= LongestSilence)) {
      tellProgress(Done, T, Start);
      Reported = Done;
      Told = Clock::now();
    }
  }
}

static void printSummary(const Tally &T, size_t Modules, double Elapsed) {
  auto Row = [](StringRef What, const Outcomes &O) {
    outs() << "soak: " << left_justify(What, 10) << O.Applied << " applied, "
           << O.Refused << " refused, " << O.Unreadable << " unreadable\n";
  };
  Row("drawn", T.Drawn);
  Row("subsets", T.Subsets);
  Row("corrupted", T.Corrupted);
  outs() << "soak: edits     ";
  for (const EditKindInfo &K : editKinds())
    outs() << ' ' << K.Name << ' ' << T.EditsDrawn[unsigned(K.Kind)] << '/'
           << T.EditsRefused[unsigned(K.Kind)];
  outs() << " (drawn/refused later)\n";
  outs() << "soak: " << T.Lowered << " lowered to PTX, " << T.Assembled
         << " assembled\n";
  outs() << "soak: " << (T.Failures ? "FAILED" : "passed") << ": " << Sets
         << " edit sets on " << Modules << " modules, " << T.Failures
         << " failures, " << format("%.1f", Elapsed) << " s\n";
}

int main(int Argc, char **Argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(Argc, Argv, "Random edit sets by the thousand\n");
  initializeNVPTX();
  std::vector<Subject> Subjects = loadSubjects();
  CaseOptions Options;
  Options.MaxEdits = std::max(1u, unsigned(MaxEdits));
  Options.Assembler = Ptxas;
  Options.AssembleEvery = Ptxas.empty() ? 0 : unsigned(AssembleEvery);
  auto *T = new (sharedMemory(sizeof(Tally))) Tally();
  Clock::time_point Start = Clock::now();
  runSets(Subjects, Options, *T, Start);
  printSummary(*T, Subjects.size(), secondsSince(Start));
  return T->Failures ? 1 : 0;
}
