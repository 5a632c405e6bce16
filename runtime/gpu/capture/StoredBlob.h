//===- StoredBlob.h - The blobs of a capture --------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How blobs are named, read and checked. A launch can start before what it is
// to leave is unpacked, and before the bytes of mapped files are compared with
// their checksums: such blobs are late ones.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_STOREDBLOB_H
#define GEVO_RUNTIME_GPU_CAPTURE_STOREDBLOB_H

#include "runtime/gpu/capture/Case.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::capture {

/// Names a blob; Size 0: there is none.
struct BlobRef {
  std::string Hash;
  uint64_t Size = 0; ///< Before compression.
  /// The file holds the bytes as they are, after so many zeros.
  std::optional<uint32_t> Skip = std::nullopt;
};

std::string blobPath(const std::string &Folder, const BlobRef &Ref);

/// A blob that is read, or only checked, later.
class LateBlob {
public:
  LateBlob(const std::string &Folder, BlobRef Ref)
      : Path(blobPath(Folder, Ref)), Ref(std::move(Ref)) {}

  /// Its bytes, as many as its name says; zeros if it is damaged.
  const Bytes &read();
  /// Has it the bytes that its name says? If not, \p Error says so.
  bool check(std::string &Error);

private:
  const std::string Path;
  const BlobRef Ref;
  Bytes Content;       ///< Empty: not read yet.
  std::string Problem; ///< Of the bytes that were read.
};

using LateBlobs = std::vector<std::shared_ptr<LateBlob>>;

/// Thrown while a capture is read; readIndex turns it into a message.
struct Damage {
  std::string What;
};

/// Reads blobs, each once, and checks that they are what their names say.
class BlobReader {
public:
  /// With \p Later, blobs that are mapped are noted there and not looked at.
  BlobReader(const std::string &Folder, LateBlobs *Later)
      : Folder(Folder), Later(Later) {}

  const Bytes &read(const BlobRef &Ref);
  /// The blob itself. Whoever wants it again has it read again, which is no
  /// more work than a copy.
  Bytes take(const BlobRef &Ref);
  /// The blob, to be read and checked later; null if nothing is to be late.
  std::shared_ptr<LateBlob> leave(const BlobRef &Ref);

  static std::string_view view(const Bytes &B) {
    return {reinterpret_cast<const char *>(B.data()), B.size()};
  }

private:
  const std::string &Folder;
  LateBlobs *Later;
  std::map<std::string, Bytes> Known;
};

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_STOREDBLOB_H
