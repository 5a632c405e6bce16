//===- Sampling.cpp - Which launches stand for the others -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/Sampling.h"

#include <cmath>
#include <limits>

using namespace gevo::capture;

namespace {

/// Recordings that are always allowed, then one in so many launches.
constexpr uint64_t FreeRecordings = 16;
constexpr uint64_t LaunchesPerRecording = 16;
/// Shapes remembered; a kernel whose arguments differ in every launch must not
/// take ever more memory.
constexpr size_t MaxShapes = 4096;

/// How different two launches are: by the factor between their instructions
/// above all.
double distance(const LaunchShape &A, const Behaviour &X, const LaunchShape &B,
                const Behaviour &Y) {
  double D = 0;
  for (size_t K = 0; K < X.size(); ++K) {
    double Factor =
        std::fabs(std::log2(double(X[K] + 1)) - std::log2(double(Y[K] + 1)));
    D += K == 0 ? Factor : Factor / 16;
  }
  D += A.Configuration != B.Configuration ? 0.5 : 0;
  D += A.Arguments != B.Arguments ? 0.1 : 0;
  return D;
}

} // namespace

bool Sampling::wants(const LaunchShape &Shape) {
  if (Recordings >= FreeRecordings &&
      Recordings * LaunchesPerRecording > Launches)
    return false;
  auto It = Shapes.find(Shape);
  // What a shape did once it mostly does again; its second launch is looked at
  // because first ones are often special.
  bool Wanted =
      It == Shapes.end() || It->second.Varies || It->second.Times == 1;
  Recordings += Wanted;
  return Wanted;
}

Sampling::Sample *Sampling::nearest(const LaunchShape &Shape,
                                    const Behaviour &Did) {
  Sample *Best = nullptr;
  double Least = std::numeric_limits<double>::infinity();
  for (Sample &S : Samples)
    if (double D = distance(S.Shape, S.Did, Shape, Did); D < Least) {
      Least = D;
      Best = &S;
    }
  return Best;
}

void Sampling::setNumber(size_t Old, size_t New) {
  for (Sample &S : Samples)
    if (S.Number == Old)
      S.Number = New;
}

Sampling::Verdict Sampling::add(const LaunchShape &Shape, const Behaviour &Did,
                                bool Recorded, size_t Number) {
  ++Launches;
  if (Shapes.size() < MaxShapes || Shapes.count(Shape)) {
    Seen &S = Shapes[Shape];
    S.Varies |= S.Times && S.Last != Did;
    S.Last = Did;
    ++S.Times;
  }
  Sample *Like = nearest(Shape, Did);
  bool Known = Like && Like->Shape == Shape && Like->Did == Did;
  if (Known || !Recorded) {
    // Launches before the first sample count for it.
    ++(Like ? Like->Weight : Orphans);
    return {};
  }
  Samples.push_back({Shape, Did, 1 + Orphans, Number});
  Orphans = 0;
  if (Samples.size() <= MaxSamples)
    return {true, std::nullopt};
  // The nearest two become one: the earlier of them.
  size_t First = 0, Second = 1;
  double Least = std::numeric_limits<double>::infinity();
  for (size_t A = 0; A < Samples.size(); ++A)
    for (size_t B = A + 1; B < Samples.size(); ++B)
      if (double D = distance(Samples[A].Shape, Samples[A].Did,
                              Samples[B].Shape, Samples[B].Did);
          D < Least) {
        Least = D;
        First = A;
        Second = B;
      }
  size_t Dropped = Samples[Second].Number;
  bool Keep = Second + 1 != Samples.size();
  Samples[First].Weight += Samples[Second].Weight;
  Samples.erase(Samples.begin() + std::ptrdiff_t(Second));
  if (!Keep)
    return {};
  return {true, Dropped};
}
