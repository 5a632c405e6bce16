//===- Exams.h - What a finalist has to stand -------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of the program and inputs made for the purpose, in the order in which
// they are tried. One that refuses a finalist helps to choose the next one: it
// has steered from then on, and no longer proves as much as one that has not.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_EXAMS_H
#define GEVO_TOOLS_GEVO_SEARCH_EXAMS_H

#include "tools/gevo-search/View.h"

namespace gevo {

struct Exam {
  /// Name, GPU, origin, inputs, and whether it steered; Result is not used.
  Finalist::Check What;
  /// Judges code; sets What.Original where it is not known before.
  std::function<Fitness(const Payload &, Finalist::Check &What)> Take;
  /// Only whether the code is right, in less time.
  std::function<Fitness(const Payload &)> Verdict;
  /// Makes the exam that takes its place as the one that has not steered; none:
  /// there is no other like it.
  std::function<std::optional<Exam>()> Renew;
};

class Exams {
public:
  void add(Exam E) { All.push_back(std::move(E)); }
  bool hasHeldOut() const;
  /// The number of exams so far; grows when one is renewed.
  size_t count() const { return All.size(); }

  /// What refused others before is quick to refuse \p Code, too. False if one
  /// of these does; \p F gets it.
  bool standsSteered(const Payload &Code, Finalist &F);
  /// All of them, until one refuses \p Code; \p F gets their results.
  void take(const Payload &Code, Finalist &F);
  /// Sets which checks of \p F have steered by now.
  void mark(Finalist &F) const;

private:
  void refuse(size_t Index);

  std::vector<Exam> All;
};

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_EXAMS_H
