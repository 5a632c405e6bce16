//===- Calls.cpp - Frames, calls and returns ------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments and results travel through the .param variables of a call, which
// live in the frames' part of local memory; registers are allowed for old PTX.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Heap.h"
#include "runtime/gpu/exec/Printf.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Warp.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace gevo::gpu;

uint64_t Warp::readPiece(Frame &F, const CallInfo::Piece &P, unsigned Lane) {
  uint64_t V = 0;
  if (P.Slot != NoSlot) {
    char *Base = (P.Slot & 3) == RegBase ? F.Registers : Bases[P.Slot & 3];
    const char *Row = Base + (P.Slot & ~3u);
    std::memcpy(&V, Row + Lane * (P.Bytes == 8 ? 8 : 4), P.Bytes == 8 ? 8 : 4);
  } else if (const char *M = local(Lane, F.LocalBase + P.Offset, P.Bytes)) {
    std::memcpy(&V, M, std::min<uint32_t>(P.Bytes, 8));
  }
  return V;
}

void Warp::writePiece(Frame &F, const CallInfo::Piece &P, unsigned Lane,
                      uint64_t Value) {
  if (P.Slot != NoSlot) {
    char *Row = F.Registers + (P.Slot & ~3u);
    std::memcpy(Row + Lane * (P.Bytes == 8 ? 8 : 4), &Value,
                P.Bytes == 8 ? 8 : 4);
  } else if (char *M = local(Lane, F.LocalBase + P.Offset, P.Bytes)) {
    std::memcpy(M, &Value, std::min<uint32_t>(P.Bytes, 8));
    if (LocalShadow)
      std::memset(LocalShadow + (M - LocalMemory), ShadowWritten,
                  std::min<uint32_t>(P.Bytes, 8));
  }
}

void Warp::copyPiece(Frame &From, const CallInfo::Piece &A, Frame &To,
                     const CallInfo::Piece &B, uint32_t Mask) {
  uint32_t Bytes = std::min(A.Bytes, B.Bytes);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    if (A.Slot != NoSlot || B.Slot != NoSlot) {
      writePiece(To, B, L, readPiece(From, A, L));
      continue;
    }
    const char *Src = local(L, From.LocalBase + A.Offset, Bytes);
    char *Dst = local(L, To.LocalBase + B.Offset, Bytes);
    if (!Src || !Dst)
      continue;
    std::memcpy(Dst, Src, Bytes);
    if (LocalShadow)
      std::memcpy(LocalShadow + (Dst - LocalMemory),
                  LocalShadow + (Src - LocalMemory), Bytes);
  }
}

void Warp::call(uint32_t S, const Inst &I, uint32_t Mask) {
  // Lanes whose guard is false go on by themselves and meet the others after
  // the call.
  if (Splits[S].Mask != Mask) {
    Join *J = joinAt(Splits[S], Splits[S].Pc + 1);
    J->Arrived |= Splits[S].Mask & ~Mask;
    Splits[S].Meet = J;
    Splits[S].Mask = Mask;
  }
  const CallInfo &Info = Current->Fn->Calls[I.Target];
  if (Info.Special != CallInfo::NotBuiltin) {
    callBuiltin(Info, Mask);
    Splits[S].Pc += 1;
    return;
  }
  if (Info.Callee != NoPc)
    callFunction(S, I.Target, Info.Callee, Mask);
  else
    callIndirect(S, I, Mask);
}

void Warp::callIndirect(uint32_t S, const Inst &I, uint32_t Mask) {
  const uint64_t *Address = row<uint64_t>(I.A);
  const KernelCode &K = Owner.G.Code;
  // All targets are checked before any lane moves.
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    auto It = K.ByAddress.find(Address[L]);
    const CallInfo &Info = Current->Fn->Calls[I.Target];
    if (It == K.ByAddress.end() ||
        K.Functions[It->second]->Params.size() != Info.Args.size() ||
        K.Functions[It->second]->Results.size() != Info.Results.size()) {
      fault(FindingKind::InvalidCall, L,
            "indirect call to an address that is no function of this type",
            Address[L]);
      return;
    }
  }
  uint64_t Target = Address[__builtin_ctz(Mask)];
  uint32_t Group = 0;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    if (Address[L] == Target)
      Group |= 1u << L;
  }
  if (Group != Mask) {
    // One target at a time: the others stay at the call and come back to it.
    Join *J = joinAt(Splits[S], Splits[S].Pc + 1);
    Splits[S].Meet = J;
    Splits[S].Mask = Group;
    addSplit(Mask & ~Group, Splits[S].Pc, Splits[S].Where, J);
  }
  callFunction(S, I.Target, K.ByAddress.find(Target)->second, Group);
}

void Warp::markFrame(const Frame &F) {
  if (!LocalShadow)
    return;
  for (uint32_t M = F.Lanes; M; M &= M - 1) {
    uint8_t *Marks = LocalShadow + __builtin_ctz(M) * LocalStride + F.LocalBase;
    std::memset(Marks, 0, F.LocalTop - F.LocalBase);
    std::memset(Marks, ShadowLive, F.Fn->ParamBytes);
    for (const NamedRange &R : F.Fn->Variables)
      std::memset(Marks + R.Begin, ShadowLive, R.Bytes);
  }
}

void Warp::markGone(const Frame &F, uint64_t Begin, uint32_t Lanes) {
  if (LocalShadow)
    for (uint32_t M = Lanes; M; M &= M - 1) {
      unsigned L = unsigned(__builtin_ctz(M));
      std::memset(LocalShadow + L * LocalStride + Begin, ShadowReturned,
                  F.top(L) - Begin);
    }
}

bool Warp::callFunction(uint32_t S, uint32_t Site, uint32_t Function,
                        uint32_t Mask) {
  Frame *Caller = Splits[S].Where;
  const Code &Fn = *Owner.G.Code.Functions[Function];
  uint64_t Base = (uint64_t(Caller->highestTop(Mask)) + 15) & ~uint64_t(15);
  if (Base + Fn.LocalBytes + FrameGap > LocalLimit) {
    fault(FindingKind::StackOverflow, unsigned(__builtin_ctz(Mask)),
          "the call of '" + Fn.Source->Name + "' needs more than the " +
              std::to_string(LocalLimit) + " bytes of stack of a thread");
    return false;
  }
  const CallInfo &Info = Caller->Fn->Calls[Site];
  Frame *F = calleeFrame(Fn, *Caller, Site, Mask);
  if (!F)
    return false;
  F->Caller = Caller;
  F->CallSite = Site;
  F->Function = Function;
  F->ReturnTo = Splits[S].Pc + 1;
  F->LocalBase = uint32_t(Base);
  F->LocalTop = uint32_t(Base) + Fn.LocalBytes + FrameGap;
  F->Grown = 0;
  F->Lanes = Mask;
  F->Depth = Caller->Depth + 1;
  markFrame(*F);
  size_t N = std::min(Info.Args.size(), Fn.Params.size());
  for (size_t K = 0; K < N; ++K)
    copyPiece(*Caller, Info.Args[K], *F, Fn.Params[K], Mask);
  Splits[S].Where = F;
  Splits[S].Pc = 0;
  return true;
}

/// Returns false when the split now waits for others to return.
bool Warp::doReturn(uint32_t S) {
  Frame *F = Splits[S].Where;
  uint32_t Mask = Splits[S].Mask;
  while (Join *J = Splits[S].Meet) {
    if (J->Where != F)
      break;
    if (J->Pc == ReturnPc) {
      arrive(S);
      return false;
    }
    // A join on a way this split did not take.
    Splits[S].Meet = J->Outer;
    J->Expected &= ~Mask;
    settle(J);
  }
  Frame *Caller = F->Caller;
  const CallInfo &Info = Caller->Fn->Calls[F->CallSite];
  comeBack(*Caller, Mask);
  size_t N = std::min(Info.Results.size(), F->Fn->Results.size());
  for (size_t K = 0; K < N; ++K)
    copyPiece(*F, F->Fn->Results[K], *Caller, Info.Results[K], Mask);
  Splits[S].Where = Caller;
  Splits[S].Pc = F->ReturnTo;
  markGone(*F, F->LocalBase, Mask);
  leaveFrame(F, Mask);
  return true;
}

/// Prints what CUDA prints, where CUDA prints it.
void Warp::assertFail(unsigned Lane, const std::string &Text,
                      const std::string &File, uint32_t Line,
                      const std::string &Function) {
  auto Triple = [](const Dim3 &D) {
    return "[" + std::to_string(D.X) + "," + std::to_string(D.Y) + "," +
           std::to_string(D.Z) + "]";
  };
  Owner.G.print(File + ":" + std::to_string(Line) + ": " + Function +
                    ": block: " + Triple(Owner.Where) +
                    ", thread: " + Triple(Owner.threadAt(Index, Lane)) +
                    " Assertion `" + Text + "` failed.\n",
                stderr);
  // The code around it is a header's; the assertion knows where it stands.
  if (!Faulted)
    fault(FindingKind::Assertion, Lane,
          "assertion '" + Text + "' failed at " + File + ":" +
              std::to_string(Line));
}

void Warp::callBuiltin(const CallInfo &Info, uint32_t Mask) {
  Grid &G = Owner.G;
  // Each lane whose assertion fails says so.
  bool Asserts = Info.Special == CallInfo::AssertFail;
  for (uint32_t M = Mask; M && (!Faulted || Asserts); M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    auto Arg = [&](unsigned K) {
      return K < Info.Args.size() ? readPiece(*Current, Info.Args[K], L) : 0;
    };
    uint64_t Result = 0;
    switch (Info.Special) {
    case CallInfo::Vprintf:
      Result = uint64_t(devicePrintf(*this, L, Arg(0), Arg(1)));
      break;
    case CallInfo::Malloc:
      Result = deviceMalloc(*this, L, Arg(0));
      if (Result && G.Races)
        G.Races->forget(Result, Arg(0));
      break;
    case CallInfo::Free:
      if (Arg(0) && !deviceFree(*this, Arg(0)))
        fault(FindingKind::InvalidFree, L,
              "free of an address that malloc did not return", Arg(0));
      break;
    case CallInfo::AssertFail:
      assertFail(L, readString(*this, L, Arg(0)), readString(*this, L, Arg(1)),
                 uint32_t(Arg(2)), readString(*this, L, Arg(3)));
      break;
    case CallInfo::NotBuiltin:
      assert(false && "not a built-in function");
    }
    if (!Info.Results.empty())
      writePiece(*Current, Info.Results[0], L, Result);
  }
}

/// Sub: 0 alloca, 1 stacksave, 2 stackrestore. Each lane has a top of its own:
/// lanes of one frame may be at different places.
void Warp::stack(const Inst &I, uint32_t Mask) {
  Frame &F = *Current;
  bool Wide = I.Bytes == 8;
  auto Read = [&](unsigned L) {
    return Wide ? row<uint64_t>(I.A)[L] : row<uint32_t>(I.A)[L];
  };
  auto Write = [&](unsigned L, uint64_t V) {
    if (Wide)
      row<uint64_t>(I.D)[L] = V;
    else
      row<uint32_t>(I.D)[L] = uint32_t(V);
  };
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    if (I.Sub == 1) {
      Write(L, F.top(L));
    } else if (I.Sub == 2) {
      uint64_t To = std::max<uint64_t>(F.LocalTop, Read(L));
      To = std::min<uint64_t>(To, F.top(L));
      markGone(F, To, 1u << L);
      F.Tops[L] = uint32_t(To);
      F.Grown |= 1u << L;
    } else {
      uint64_t Bytes = Read(L);
      std::optional<uint64_t> Base = growStack(F, L, Bytes, uint64_t(I.Imm));
      if (!Base) {
        fault(FindingKind::StackOverflow, L,
              "alloca of " + std::to_string(Bytes) + " bytes exceeds the " +
                  std::to_string(LocalLimit) + " bytes of stack of a thread");
        return;
      }
      Write(L, *Base);
    }
  }
}

/// Takes \p Bytes for \p Lane; where they begin, or nothing if the stack ends
/// before they do.
std::optional<uint64_t> Warp::growStack(Frame &F, unsigned Lane, uint64_t Bytes,
                                        uint64_t Align) {
  uint64_t Base = (F.top(Lane) + Align - 1) / Align * Align;
  if (Bytes > LocalLimit || Base + Bytes > LocalLimit)
    return std::nullopt;
  uint64_t Top = std::min(Base + Bytes + FrameGap, LocalLimit);
  F.Tops[Lane] = uint32_t(Top);
  F.Grown |= 1u << Lane;
  if (LocalShadow) {
    uint8_t *Marks = LocalShadow + uint64_t(Lane) * LocalStride + Base;
    std::memset(Marks, ShadowLive, Bytes);
    std::memset(Marks + Bytes, 0, Top - Base - Bytes);
  }
  return Base;
}
