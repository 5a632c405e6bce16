//===- Blob.h - Compressed bytes named after what they are ------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_BLOB_H
#define GEVO_RUNTIME_GPU_CAPTURE_BLOB_H

#include "runtime/gpu/capture/Case.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gevo::capture {

/// 32 hexadecimal digits (XXH3, 128 bits) that stand for \p Content.
std::string contentHash(std::string_view Content);

/// Writes \p Content as \p Path: first under another name, then renamed, so
/// that nobody sees half of it; a device or pipe is written to as it is. On
/// failure \p Error has the reason and the path is as it was.
bool writeAtomically(const std::string &Path, std::string_view Content,
                     std::string &Error);

/// All of a file, or nothing and the reason.
std::optional<std::string> readWhole(const std::string &Path,
                                     std::string &Error);

/// A Zstandard frame with \p Content in it.
std::string compress(std::string_view Content);
/// The \p Size bytes that were compressed to \p Packed; nothing if it is
/// damaged or has another size.
std::optional<Bytes> decompress(std::string_view Packed, uint64_t Size);

/// The bytes of \p File, which are not copied; nothing if the file ends before
/// or after them. If it cannot be read, \p Error says why.
std::optional<Bytes> mapBytes(const FilePart &File, std::string &Error);

/// The content of a file, which is not copied: it must not change meanwhile.
class MappedFile {
public:
  /// On failure content() is empty and \p Error is set.
  MappedFile(const std::string &Path, std::string &Error);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  std::string_view content() const { return Content; }

private:
  std::string_view Content;
};

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_BLOB_H
