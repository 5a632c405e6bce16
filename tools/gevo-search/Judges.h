//===- Judges.h - Who judges variants ---------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program as it is, observed on every GPU that was asked for; the launches
// captured from it, on which variants are judged; and the validation of what is
// left at the end.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_JUDGES_H
#define GEVO_TOOLS_GEVO_SEARCH_JUDGES_H

#include "search/BatchRunner.h"
#include "search/MemoryLimit.h"
#include "search/ProofRunner.h"
#include "search/Store.h"
#include "search/ir/IrProgram.h"
#include "tools/gevo-search/Exams.h"
#include "tools/gevo-search/Originals.h"
#include "tools/gevo-search/Patience.h"
#include "tools/gevo-search/Unvaried.h"
#include <set>

namespace gevo {

struct MakeInputs;
class Observations;

class Judges {
public:
  /// All of these must outlive it. \p Folder is the store's, \p Scratch one
  /// for runs; a process takes up to \p Memory bytes, and \p Jobs of them are
  /// at work at once. One that works alone takes up to \p MemoryAlone.
  Judges(Settings &Asked, IrProgram &Device, std::string Folder,
         std::string Scratch, uint64_t Memory, MemoryLimit MemoryAlone,
         unsigned Jobs, View &V)
      : Asked(Asked), Device(Device), Folder(std::move(Folder)),
        Scratch(std::move(Scratch)), MemoryAlone(std::move(MemoryAlone)),
        Jobs(Jobs), V(V) {
    Limits.MemoryBytes = Memory;
    Limits.Seconds = 600;
  }

  /// Runs the original, captures its launches and makes others of them; if
  /// \p Again, takes the ones that are there. Tells what it found. Who never
  /// validates, as ranks that only evaluate, goes without what that alone
  /// needs.
  llvm::Error prepare(bool Again, bool Validates);
  /// For caches: equal for what gives equal results.
  std::string identity() const;
  /// Keeps what prices come to in \p Disk, and takes those that are there.
  llvm::Error keepPrices(const Store &Disk);
  /// What a worker does, in the worker.
  Service service();
  /// Judges \p I by launches with all checks, then by the checks of validate();
  /// it need not be faster. \p Seen gets the results of these, up to the first
  /// that refuses it.
  Fitness judgeThoroughly(const Individual &I, Finalist &Seen);
  /// The checks that \p I stands: the time of its machine code, on one GPU;
  /// runs of the program and held-out runs, or
  /// inputs made for the purpose, on every GPU.
  Finalist validate(const Individual &I);
  /// What captured launches take as the machine code of \p I, in nanoseconds;
  /// nothing where that is not what counts, or where it fails.
  std::optional<double> price(const Individual &I);
  /// The same for the table, unless that knows it; with what it stood there.
  void price(Finalist &F);
  /// Finds out what price() is going to say, of several at once; of those that
  /// were not begun when \p Stop said so, price() does.
  void priceAhead(llvm::ArrayRef<const Individual *> All,
                  const std::function<bool()> &Stop);
  /// How many lists that differ by an edit are worth their prices: fewer of
  /// large programs, whose machine code takes seconds.
  size_t mostPriced() const;
  /// How many are worth asking for at once.
  unsigned jobs() const { return Jobs; }
  /// The same of the original.
  std::optional<double> originalPrice();
  /// Grows when there is something new to validate with, so that what was
  /// validated before has not seen all of it.
  size_t examCount() { return exams().count(); }
  /// Sets which checks of \p F have refused others by now.
  void markSteered(Finalist &F) { exams().mark(F); }
  size_t runCount() const;
  /// \p Tell is called when this machine keeps a finalist from being judged or
  /// priced. What is said of it then means nothing.
  void onTrouble(std::function<void(llvm::Error)> Tell) {
    Troubled = std::move(Tell);
  }
  /// Something that the search has not seen is there to validate with.
  bool hasHeldOut() { return exams().hasHeldOut(); }
  /// Inputs that guard the search, by name.
  std::vector<std::string> guardNames() const;
  /// What no made input that proves has otherwise than the run; of \p Edited
  /// kernels, which pointers.
  Unvaried unvaried(const std::set<std::string> &Edited) const;
  /// Why no inputs were made to validate with; empty: they were, or nobody
  /// asked for them.
  const std::string &inputsNotMade() const { return NotMade; }
  /// Held-out runs that launch none of \p Kernels, all of which the searched
  /// run launches.
  std::vector<std::string>
  runsWithout(const std::set<std::string> &Kernels) const;
  void removeScratch();

private:
  std::string scratch(const llvm::Twine &Name) const;
  /// What the original does on each GPU; \p Again: what it did when the search
  /// began.
  llvm::Error observeAll(bool Again);
  void describe(Target &T) const;
  llvm::Error observe(Target &T);
  /// What variables of the environment say.
  llvm::Error readVariables();
  llvm::Error capture(bool Again, bool Validates);
  llvm::Error captureAndObserve(bool Again, bool Validates,
                                Observations &Known);
  /// What is known of the code on the launches and guards.
  llvm::Error observeCode(Observations &Known);
  llvm::Error checkRules() const;
  /// The kernels of the run that write and print nothing, neither in it nor
  /// with guards; or, where several have one name, that may be such.
  std::set<std::string> silentKernels() const;
  llvm::Error leaveSilent();
  llvm::Error makeInputs(bool Again, bool Validates);
  /// Which arguments inputs are made for that are the same there; null: none.
  PairsOfKernel pairs() const;
  /// Where whole runs judge: inputs made from launches of the run, to validate
  /// with.
  llvm::Error makeProof(bool Again);
  /// What inputs are made from.
  const LaunchScenario &launchesSeen() const {
    return Launches ? *Launches : *Seen;
  }
  llvm::Expected<std::optional<LaunchScenario>>
  makeOthers(const LaunchScenario &From, const MakeInputs &Which,
             const std::string &Path, bool Again) const;
  llvm::Expected<std::optional<LaunchScenario>> drawInputs(size_t Round,
                                                           bool Again) const;
  std::unique_ptr<Runner> runnerFor(const Target &T, bool Judging) const;
  /// Those whose time counts.
  std::vector<const Target *> countedTargets() const;
  /// What \p Make makes for each of \p Which, as one.
  std::unique_ptr<Runner> onTargets(
      llvm::ArrayRef<const Target *> Which,
      const std::function<std::unique_ptr<Runner>(const Target &)> &Make) const;
  /// \p Judging: with all checks in any case, and without guards.
  std::unique_ptr<Runner> runner(bool Judging) const;
  Exams &exams();
  Exam runExam(const Target &T, const WholeCase &Case, bool HeldOut) const;
  /// Judges by the made \p Inputs; timed or not.
  std::unique_ptr<Runner> inputsRunner(const LaunchScenario &Inputs,
                                       const Target &T, ProofClock Clock) const;
  std::optional<Exam> inputsExam(const Target &T, size_t Round);
  /// Launches, by machine code; nothing where that is not what counts.
  std::optional<Fitness> priced(const EditList &Edits);
  BatchRunner *pricer();
  /// Machine code tells the time that counts, where there is any.
  bool wantsPrices() const {
    return Launches && Targets[0].Scenario.Goal.Kind == ObjectiveKind::Time;
  }
  std::unique_ptr<Runner> codeRunner(const Target &T) const;
  void findPriced();
  Fitness againstOriginal(Finalist &F, Finalist::Check &C);
  /// Hands on a result, and tells if it is none.
  Fitness judged(Fitness F) const;

  Settings &Asked;
  IrProgram &Device;
  std::string Folder, Scratch;
  /// Of one that evaluates beside the workers.
  WorkerLimits Limits;
  /// Of one that observes the original or makes inputs, while the others wait:
  /// what it comes to does not depend on how many they are.
  MemoryLimit MemoryAlone;
  unsigned Jobs;
  /// Until whoever waits is told what for.
  unsigned PatienceSeconds = Patience::UsualSeconds;
  /// MakeInputs::MostSteps, if it is another.
  std::optional<uint64_t> InputSteps;
  View &V;
  Payload Original;
  /// Of prices; may be null.
  std::unique_ptr<AppendLog> Prices;
  /// Launches, by machine code; made when first needed.
  std::unique_ptr<BatchRunner> Pricer;
  /// Once PricesSought: the counted GPUs for which there is machine code of the
  /// original.
  std::vector<const Target *> PricedOn;
  bool PricesSought = false;
  /// Why the original has no time as machine code although there is some; empty
  /// if it has.
  std::string OriginalUnpriced;
  std::vector<Target> Targets;
  /// What is replayed; nothing if variants are judged by whole runs.
  std::optional<LaunchScenario> Launches;
  /// Where whole runs judge: launches of the run, of which inputs are made that
  /// finalists are validated with.
  std::optional<LaunchScenario> Seen;
  std::string NotMade;
  /// Inputs like those of Launches: that guard the search, and that it never
  /// sees, of which more are drawn when some have refused a finalist.
  std::optional<LaunchScenario> Guards;
  std::vector<std::unique_ptr<LaunchScenario>> Others;
  /// Made when the first finalist is there.
  std::optional<Exams> Finals;
  std::function<void(llvm::Error)> Troubled;
};

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_JUDGES_H
