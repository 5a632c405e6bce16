//===- Printf.cpp - Built-in functions of device code ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Printf.h"
#include "runtime/gpu/exec/Block.h"

#include <cstdio>
#include <cstring>

using namespace gevo::gpu;

namespace {
constexpr uint64_t MaxString = 4096;
constexpr int MaxWidth = 512;

/// One conversion specification, cut into what we let through to the host.
struct Spec {
  std::string Flags;
  int Width = -1;
  int Precision = -1;
  char Conversion = 0;
  bool Wide = false; ///< l, ll, z, j, t: 64 bits
  bool StarWidth = false;
  bool StarPrecision = false;
};

int parseNumber(const std::string &F, size_t &P) {
  int V = 0;
  while (P < F.size() && F[P] >= '0' && F[P] <= '9')
    V = V < MaxWidth ? V * 10 + (F[P++] - '0') : (++P, MaxWidth);
  return V < MaxWidth ? V : MaxWidth;
}

Spec parseSpec(const std::string &F, size_t &P) {
  Spec S;
  while (P < F.size() && std::strchr("-+ #0", F[P]) && S.Flags.size() < 5)
    S.Flags += F[P++];
  if (P < F.size() && F[P] == '*') {
    S.StarWidth = true;
    ++P;
  } else if (P < F.size() && F[P] >= '0' && F[P] <= '9') {
    S.Width = parseNumber(F, P);
  }
  if (P < F.size() && F[P] == '.') {
    ++P;
    if (P < F.size() && F[P] == '*') {
      S.StarPrecision = true;
      ++P;
    } else {
      S.Precision = parseNumber(F, P);
    }
  }
  while (P < F.size() && std::strchr("hlLqjzt", F[P])) {
    S.Wide |= F[P] != 'h';
    ++P;
  }
  if (P < F.size())
    S.Conversion = F[P++];
  return S;
}

/// Reads arguments in order, aligned to their size as the caller stored them.
class ArgReader {
public:
  ArgReader(Warp &W, unsigned Lane, uint64_t Base)
      : W(W), Lane(Lane), Base(Base) {}
  uint64_t take(unsigned Bytes) {
    Offset = (Offset + Bytes - 1) & ~uint64_t(Bytes - 1);
    uint64_t V = 0;
    Ok &= readGeneric(W, Lane, Base + Offset, &V, Bytes);
    Offset += Bytes;
    return V;
  }
  bool ok() const { return Ok; }

private:
  Warp &W;
  unsigned Lane;
  uint64_t Base;
  uint64_t Offset = 0;
  bool Ok = true;
};

template <typename T>
std::string hostFormat(const Spec &S, const char *Length, T Value) {
  std::string F = "%" + S.Flags;
  if (S.Width >= 0)
    F += std::to_string(S.Width);
  if (S.Precision >= 0)
    F += "." + std::to_string(S.Precision);
  F += Length;
  F += S.Conversion;
  char Buffer[2048];
  int N = std::snprintf(Buffer, sizeof Buffer, F.c_str(), Value);
  return N < 0 ? std::string() : std::string(Buffer);
}

std::string formatOne(Warp &W, unsigned Lane, Spec S, ArgReader &Args) {
  auto Clamp = [](int32_t V) {
    return V > MaxWidth ? MaxWidth : V < -MaxWidth ? -MaxWidth : V;
  };
  if (S.StarWidth) {
    S.Width = Clamp(int32_t(Args.take(4)));
    if (S.Width < 0) {
      S.Flags += '-';
      S.Width = -S.Width;
    }
  }
  if (S.StarPrecision)
    S.Precision = Clamp(int32_t(Args.take(4)));
  switch (S.Conversion) {
  case 'd':
  case 'i':
    return S.Wide ? hostFormat(S, "ll", (long long)Args.take(8))
                  : hostFormat(S, "", int(Args.take(4)));
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    return S.Wide ? hostFormat(S, "ll", (unsigned long long)Args.take(8))
                  : hostFormat(S, "", unsigned(Args.take(4)));
  case 'c':
    return hostFormat(S, "", int(Args.take(4)));
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A': {
    uint64_t Bits = Args.take(8);
    double D;
    std::memcpy(&D, &Bits, 8);
    return hostFormat(S, "", D);
  }
  case 'p':
    return hostFormat(S, "", reinterpret_cast<void *>(Args.take(8)));
  case 's': {
    std::string Text = readString(W, Lane, Args.take(8));
    return hostFormat(S, "", Text.c_str());
  }
  default:
    return std::string("%") + S.Conversion;
  }
}
} // namespace

bool gevo::gpu::readGeneric(Warp &W, unsigned Lane, uint64_t Address, void *To,
                            uint64_t Bytes) {
  const char *From = nullptr;
  uint64_t Offset = Address & ~WindowMask;
  switch (Address & WindowMask) {
  case SharedWindow:
    From = W.Owner.shared(Offset, Bytes);
    break;
  case LocalWindow:
    From = W.local(Lane, Offset, Bytes);
    break;
  case ParamWindow:
    if (Offset <= W.Owner.G.Params.size() &&
        Bytes <= W.Owner.G.Params.size() - Offset)
      From = W.Owner.G.Params.data() + Offset;
    break;
  case 0:
    if (W.Owner.G.Memory.find(Address, Bytes))
      From = reinterpret_cast<const char *>(Address);
    break;
  default:
    break;
  }
  if (From)
    std::memcpy(To, From, Bytes);
  return From != nullptr;
}

std::string gevo::gpu::readString(Warp &W, unsigned Lane, uint64_t Address) {
  std::string S;
  char C;
  while (S.size() < MaxString && readGeneric(W, Lane, Address, &C, 1) && C) {
    S += C;
    ++Address;
  }
  return S;
}

int32_t gevo::gpu::devicePrintf(Warp &W, unsigned Lane, uint64_t Format,
                                uint64_t Args) {
  std::string F = readString(W, Lane, Format);
  ArgReader Reader(W, Lane, Args);
  std::string Out;
  int32_t Count = 0;
  for (size_t P = 0; P < F.size() && Out.size() < 16 * MaxString;) {
    if (F[P] != '%') {
      Out += F[P++];
      continue;
    }
    if (P + 1 < F.size() && F[P + 1] == '%') {
      Out += '%';
      P += 2;
      continue;
    }
    ++P;
    Spec S = parseSpec(F, P);
    if (!S.Conversion)
      break;
    Out += formatOne(W, Lane, S, Reader);
    ++Count;
  }
  if (!Reader.ok()) {
    W.report(FindingKind::OutOfBoundsLocal, Lane,
             "printf reads arguments outside of memory", Args);
    return -1;
  }
  W.Owner.G.print(Out, stdout);
  return Count;
}
