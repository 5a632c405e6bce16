//===- Fatbin.h - NVIDIA's container of device code -------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the "fatbin" container in which CUDA programs carry their
// device code. It is what cuModuleLoadFatBinary and the CUDA runtime hand to
// the driver, and what clang asks the `fatbinary` tool for.
//
//   file   := header entry*
//   header := magic:u32 version:u16 headerSize:u16 entryBytes:u64
//   entry  := entryHeader [identifier] [options] payload, each 8-byte aligned
//
// The reader is safe on any bytes: every offset and size is checked before it
// is used, and memory grows with what was really decompressed.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_FATBIN_H
#define GEVO_RUNTIME_GPU_DRIVER_FATBIN_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu {

/// First word of a fatbin container.
constexpr uint32_t FatbinMagic = 0xBA55ED50;
/// First word of the wrapper through which a program's start-up code names its
/// container.
constexpr uint32_t FatbinWrapperMagic = 0x466243B1;
/// Largest image that the reader will decompress.
constexpr size_t MaxFatbinImage = size_t(1) << 28;

/// The wrapper that the compiler places in section .nvFatBinSegment and whose
/// address it passes to __cudaRegisterFatBinary.
struct FatbinWrapper {
  uint32_t Magic;
  uint32_t Version;
  const void *Data;
  /// Of linked code: the containers of the objects, and null.
  const void *const *Prelinked;

  bool isLinked() const { return Version == 2 && Prelinked; }
};

/// What an entry holds.
enum class FatbinKind : uint16_t { PTX = 1, ELF = 2 };

/// How an entry's payload is stored. LZ4 is what CUDA 11 and 12 write, Zstd
/// what CUDA 12.8 and later write unless told to hurry.
enum class FatbinCompression { None, LZ4, Zstd };

/// One image of a container. It refers to the container's bytes.
struct FatbinEntry {
  uint16_t Kind = 0;         ///< A FatbinKind; others are kept and ignored.
  unsigned Arch = 0;         ///< 80 for sm_80 and compute_80.
  char ArchSuffix = 0;       ///< 'a' or 'f' as in sm_90a, else 0.
  uint16_t VersionMajor = 0; ///< PTX ISA version, or the cubin's.
  uint16_t VersionMinor = 0;
  bool Is64Bit = true;
  bool IsDebug = false;
  FatbinCompression Compression = FatbinCompression::None;
  std::string_view Identifier; ///< Source file, when one was recorded.
  std::string_view Options;    ///< ptxas options, when some were recorded.
  std::string_view Payload;    ///< As stored.
  uint64_t UncompressedSize = 0;

  bool isPTX() const { return Kind == uint16_t(FatbinKind::PTX); }
  bool isELF() const { return Kind == uint16_t(FatbinKind::ELF); }

  /// Returns the decompressed image; PTX comes without its padding and
  /// terminating nul. On failure returns nothing and says why in \p Error.
  std::optional<std::string> image(std::string &Error) const;
};

/// Returns whether \p Bytes start as a container does.
bool isFatbin(std::string_view Bytes);

/// Returns the size of the container at \p Header, header included, as it
/// states itself. At least 16 bytes must be readable there.
size_t statedFatbinSize(const void *Header);

/// Lists the entries of the container \p Bytes. On failure returns nothing and
/// says in \p Error what is wrong and at which offset.
std::optional<std::vector<FatbinEntry>> readFatbin(std::string_view Bytes,
                                                   std::string &Error);

/// Returns the entry whose PTX a device of compute capability \p Arch would
/// compile: the newest that is not newer than the device. Where all are newer,
/// returns the oldest, and the caller decides whether to go on. Returns null
/// if the container has no PTX.
const FatbinEntry *choosePTX(const std::vector<FatbinEntry> &Entries,
                             unsigned Arch);

/// An image to be written.
struct FatbinImage {
  FatbinKind Kind = FatbinKind::PTX;
  unsigned Arch = 0;
  char ArchSuffix = 0;
  bool Is64Bit = true;
  bool IsDebug = false;
  FatbinCompression Compression = FatbinCompression::None;
  std::string Identifier;
  std::string Options;
  std::string Data; ///< PTX text or an ELF image.
};

/// Returns a container of \p Images in their order.
std::string writeFatbin(const std::vector<FatbinImage> &Images);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_DRIVER_FATBIN_H
