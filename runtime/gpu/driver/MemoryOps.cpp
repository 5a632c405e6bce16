//===- MemoryOps.cpp - Memory operations behind the API -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/MemoryOps.h"
#include "runtime/gpu/driver/Clock.h"

#include <cstring>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// What a PCIe 3.0 slot of 16 lanes moves in practice, in bytes a microsecond.
constexpr double HostBytesPerMicrosecond = 12000.0;

/// Sums and products of what programs pass, which may be anything.
class Checked {
public:
  Checked(uint64_t Value) : Value(Value) {}
  Checked operator+(Checked O) const {
    Checked R(0);
    R.Wrapped = __builtin_add_overflow(Value, O.Value, &R.Value) || Wrapped ||
                O.Wrapped;
    return R;
  }
  Checked operator*(Checked O) const {
    Checked R(0);
    R.Wrapped = __builtin_mul_overflow(Value, O.Value, &R.Value) || Wrapped ||
                O.Wrapped;
    return R;
  }
  uint64_t Value;
  bool Wrapped = false;
};

/// Settles pitch and height where a box has one row or slice, and checks that
/// rows do not overlap.
CUresult checkShape(CopySide &S, const BoxCopy &Box) {
  if (!S.Pitch) {
    if (Box.Height > 1 || Box.Depth > 1)
      return CUDA_ERROR_INVALID_VALUE;
    S.Pitch = S.X + Box.Width;
  }
  if (!S.Height)
    S.Height = S.Y + Box.Height;
  if (S.X > S.Pitch || Box.Width > S.Pitch - S.X)
    return CUDA_ERROR_INVALID_VALUE;
  if (Box.Depth > 1 && (S.Y > S.Height || Box.Height > S.Height - S.Y))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

/// First byte of row \p Y of slice \p Z of the box.
uint64_t rowAt(const CopySide &S, uint64_t Y, uint64_t Z) {
  return S.Base + ((S.Z + Z) * S.Height + S.Y + Y) * S.Pitch + S.X;
}

/// The use of \p S has to last as long as what is returned.
std::pair<CUresult, MemoryUse> useRange(const CopySide &S, const BoxCopy &Box) {
  Checked LastRow = (Checked(S.Z) + Checked(Box.Depth - 1)) * S.Height +
                    Checked(S.Y) + Checked(Box.Height - 1);
  Checked End =
      Checked(S.Base) + LastRow * S.Pitch + Checked(S.X) + Checked(Box.Width);
  uint64_t Begin = rowAt(S, 0, 0);
  if (End.Wrapped || !Begin)
    return {CUDA_ERROR_INVALID_VALUE, MemoryUse()};
  // An address of freed memory must not pass for one of the host.
  Driver &D = Driver::get();
  if (!S.IsDevice && !D.isInArena(Begin))
    return {CUDA_SUCCESS, MemoryUse()};
  MemoryUse Use = D.useMemory(Begin, End.Value - Begin);
  return {Use ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, std::move(Use)};
}

/// Which memory an address of unified addressing is in.
bool isKnown(uint64_t Address) {
  return Driver::get().findMemory(Address).has_value();
}

template <typename Copy> CUresult describeSides(const Copy &C, BoxCopy &Box) {
  switch (C.srcMemoryType) {
  case CU_MEMORYTYPE_HOST:
    Box.From.Base = reinterpret_cast<uint64_t>(C.srcHost);
    break;
  case CU_MEMORYTYPE_DEVICE:
  case CU_MEMORYTYPE_UNIFIED:
    Box.From.Base = C.srcDevice;
    Box.From.IsDevice =
        C.srcMemoryType == CU_MEMORYTYPE_DEVICE || isKnown(C.srcDevice);
    break;
  case CU_MEMORYTYPE_ARRAY:
    return lacking("a copy from a CUDA array");
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  switch (C.dstMemoryType) {
  case CU_MEMORYTYPE_HOST:
    Box.To.Base = reinterpret_cast<uint64_t>(C.dstHost);
    break;
  case CU_MEMORYTYPE_DEVICE:
  case CU_MEMORYTYPE_UNIFIED:
    Box.To.Base = C.dstDevice;
    Box.To.IsDevice =
        C.dstMemoryType == CU_MEMORYTYPE_DEVICE || isKnown(C.dstDevice);
    break;
  case CU_MEMORYTYPE_ARRAY:
    return lacking("a copy to a CUDA array");
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  Box.From.X = C.srcXInBytes;
  Box.From.Y = C.srcY;
  Box.From.Pitch = C.srcPitch;
  Box.To.X = C.dstXInBytes;
  Box.To.Y = C.dstY;
  Box.To.Pitch = C.dstPitch;
  Box.Width = C.WidthInBytes;
  Box.Height = C.Height;
  return CUDA_SUCCESS;
}

} // namespace

CUresult gevo::driver::describeCopy(const CUDA_MEMCPY2D &C, BoxCopy &Box) {
  return describeSides(C, Box);
}

CUresult gevo::driver::describeCopy(const CUDA_MEMCPY3D &C, BoxCopy &Box) {
  if (C.srcLOD || C.dstLOD)
    return CUDA_ERROR_INVALID_VALUE;
  Box.Depth = C.Depth;
  Box.From.Z = C.srcZ;
  Box.From.Height = C.srcHeight;
  Box.To.Z = C.dstZ;
  Box.To.Height = C.dstHeight;
  return describeSides(C, Box);
}

CUresult gevo::driver::runCopy(const Context &Ctx, const BoxCopy &Given,
                               WorkReport &Report) {
  BoxCopy Box = Given;
  if (!Box.Width || !Box.Height || !Box.Depth)
    return CUDA_SUCCESS;
  for (CopySide *S : {&Box.From, &Box.To})
    if (CUresult R = checkShape(*S, Box))
      return R;
  auto [FromResult, FromUse] = useRange(Box.From, Box);
  if (FromResult)
    return FromResult;
  auto [ToResult, ToUse] = useRange(Box.To, Box);
  if (ToResult)
    return ToResult;
  for (uint64_t Z = 0; Z < Box.Depth; ++Z)
    for (uint64_t Y = 0; Y < Box.Height; ++Y)
      std::memmove(reinterpret_cast<void *>(rowAt(Box.To, Y, Z)),
                   reinterpret_cast<const void *>(rowAt(Box.From, Y, Z)),
                   size_t(Box.Width));
  for (uint64_t Z = 0; Box.To.IsDevice && Z < Box.Depth; ++Z)
    for (uint64_t Y = 0; Y < Box.Height; ++Y)
      wroteThroughCache(rowAt(Box.To, Y, Z), Box.Width);
  // Within the device each byte is read and written.
  double Rate = Box.From.IsDevice && Box.To.IsDevice
                    ? Ctx.Owner.Properties.memoryBytesPerMicrosecond() / 2
                    : HostBytesPerMicrosecond;
  Report.Microseconds =
      double(Box.Width) * double(Box.Height) * double(Box.Depth) / Rate;
  return CUDA_SUCCESS;
}

CUresult gevo::driver::runSet(const Context &Ctx, const BoxSet &Set,
                              WorkReport &Report) {
  if (Set.ElementBytes != 1 && Set.ElementBytes != 2 && Set.ElementBytes != 4)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Set.Width || !Set.Height)
    return CUDA_SUCCESS;
  Checked Row = Checked(Set.Width) * Set.ElementBytes;
  Checked Span = Checked(Set.Height - 1) * Set.Pitch + Row;
  bool Overlaps = Set.Height > 1 && Set.Pitch < Row.Value;
  bool Misaligned = Set.Base % Set.ElementBytes ||
                    (Set.Height > 1 && Set.Pitch % Set.ElementBytes);
  if (Span.Wrapped || Overlaps || Misaligned)
    return CUDA_ERROR_INVALID_VALUE;
  MemoryUse Use = Driver::get().useMemory(Set.Base, Span.Value);
  if (!Use)
    return CUDA_ERROR_INVALID_VALUE;
  for (uint64_t Y = 0; Y < Set.Height; ++Y) {
    char *At = reinterpret_cast<char *>(Set.Base + Y * Set.Pitch);
    if (Set.ElementBytes == 1)
      std::memset(At, int(Set.Value & 0xFF), size_t(Set.Width));
    else
      for (uint64_t X = 0; X < Set.Width; ++X)
        std::memcpy(At + X * Set.ElementBytes, &Set.Value, Set.ElementBytes);
  }
  // A launch that is being timed keeps the clock, and may wait for what was
  // written just now.
  for (uint64_t Y = 0; Y < Set.Height; ++Y)
    wroteThroughCache(Set.Base + Y * Set.Pitch, Row.Value);
  Report.Microseconds = double(Row.Value) * double(Set.Height) /
                        Ctx.Owner.Properties.memoryBytesPerMicrosecond();
  return CUDA_SUCCESS;
}

Work gevo::driver::copyWork(const BoxCopy &Box) {
  return {CU_GRAPH_NODE_TYPE_MEMCPY, [Box](Stream &S, WorkReport &Report) {
            return runCopy(*S.Ctx, Box, Report);
          }};
}

Work gevo::driver::setWork(const BoxSet &Set) {
  return {CU_GRAPH_NODE_TYPE_MEMSET,
          [Set](Stream &S, WorkReport &Report) {
            return runSet(*S.Ctx, Set, Report);
          },
          std::make_shared<const BoxSet>(Set)};
}
