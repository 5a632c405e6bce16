//===- Sampling.cpp - Which launches stand for the others -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/Sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

using namespace gevo::capture;

namespace {

/// Recordings that are always allowed, then one in so many launches.
constexpr uint64_t FreeRecordings = 16;
constexpr uint64_t LaunchesPerRecording = 16;
/// Kinds of launches remembered; a kernel whose arguments differ in every
/// launch must not take ever more memory.
constexpr size_t MaxKinds = 4096;

Magnitudes magnitudesOf(const Behaviour &Did) {
  Magnitudes Size;
  for (size_t K = 0; K < Did.size(); ++K)
    Size[K] = std::log2(double(Did[K] + 1));
  return Size;
}

/// How different two launches are: by the factor between their instructions
/// above all.
double distance(const LaunchShape &A, const Magnitudes &X, const LaunchShape &B,
                const Magnitudes &Y) {
  double D = 0;
  for (size_t K = 0; K < X.size(); ++K) {
    double Factor = std::fabs(X[K] - Y[K]);
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
                                    const Magnitudes &Size) {
  Sample *Best = nullptr;
  double Least = std::numeric_limits<double>::infinity();
  for (Sample &S : Samples)
    if (double D = distance(S.Shape, S.Size, Shape, Size); D < Least) {
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

/// False if there is no room to remember one more kind of launch.
bool Sampling::count(const LaunchShape &Shape, const Behaviour &Did) {
  bool Room = Kinds < MaxKinds;
  auto Known = Shapes.find(Shape);
  if (Known == Shapes.end() && Room)
    Known = Shapes.emplace(Shape, Seen()).first;
  if (Known == Shapes.end())
    return false;
  Seen &S = Known->second;
  S.Varies |= S.Times && S.Last != Did;
  S.Last = Did;
  ++S.Times;
  auto Alike = S.Launches.find(Did);
  if (Alike == S.Launches.end() && Room) {
    Alike = S.Launches.emplace(Did, 0).first;
    ++Kinds;
  }
  if (Alike == S.Launches.end())
    return false;
  ++Alike->second;
  return true;
}

void Sampling::settle() {
  for (Sample &S : Samples)
    S.Weight = S.Uncounted;
  for (const auto &[Shape, Known] : Shapes)
    for (const auto &[Did, Times] : Known.Launches)
      if (Sample *Like = nearest(Shape, magnitudesOf(Did)))
        Like->Weight += Times;
}

Sampling::Verdict Sampling::add(const LaunchShape &Shape, const Behaviour &Did,
                                bool Recorded, size_t Number) {
  ++Launches;
  bool Counted = count(Shape, Did);
  bool Known =
      std::any_of(Samples.begin(), Samples.end(), [&](const Sample &S) {
        return S.Did == Did && S.Shape == Shape;
      });
  if (Known || !Recorded) {
    // Launches before the first sample count for it.
    Sample *Like = Counted ? nullptr : nearest(Shape, magnitudesOf(Did));
    if (!Counted)
      ++(Like ? Like->Uncounted : Orphans);
    return {};
  }
  Sample New{Shape, Did, Number};
  New.Size = magnitudesOf(Did);
  New.Uncounted = std::exchange(Orphans, 0) + !Counted;
  Samples.push_back(std::move(New));
  if (Samples.size() <= MaxSamples)
    return {true, std::nullopt};
  // Of the nearest two the earlier stays.
  size_t First = 0, Second = 1;
  double Least = std::numeric_limits<double>::infinity();
  for (size_t A = 0; A < Samples.size(); ++A)
    for (size_t B = A + 1; B < Samples.size(); ++B)
      if (double D = distance(Samples[A].Shape, Samples[A].Size,
                              Samples[B].Shape, Samples[B].Size);
          D < Least) {
        Least = D;
        First = A;
        Second = B;
      }
  size_t Dropped = Samples[Second].Number;
  bool Keep = Second + 1 != Samples.size();
  Samples[First].Uncounted += Samples[Second].Uncounted;
  Samples.erase(Samples.begin() + std::ptrdiff_t(Second));
  if (!Keep)
    return {};
  return {true, Dropped};
}
