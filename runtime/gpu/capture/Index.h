//===- Index.h - The index of a capture -------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The JSON file that says which blobs make up which case.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_INDEX_H
#define GEVO_RUNTIME_GPU_CAPTURE_INDEX_H

#include "runtime/gpu/capture/StoredBlob.h"

#include <optional>
#include <string>
#include <vector>

namespace gevo::capture {

struct IndexPiece {
  uint64_t Offset = 0, Size = 0;
  bool Written = false;
};

/// The memory of a buffer.
struct IndexMemory {
  BlobRef Before; ///< Of all pieces, one after the other.
  BlobRef After;  ///< The written bytes alone.
  BlobRef Marks;  ///< Of the pieces with written bytes.
};

/// A buffer without its memory and its blocks.
struct IndexBuffer {
  Buffer Header;
  IndexMemory Memory;
  BlobRef Blocks; ///< See HeapBlocks.h.
  std::vector<IndexPiece> Pieces;
};

struct IndexCase {
  Case Header;
  std::vector<IndexBuffer> Buffers;
  std::optional<BlobRef> Printed;
  BlobRef HeapCalls; ///< See HeapBlocks.h.
};

struct Index {
  std::string Program, Gpu;
  uint64_t Launches = 0; ///< Of the process, when the index was written.
  std::vector<BlobRef> Modules;
  std::vector<IndexCase> Cases;
};

/// The whole file, with its checksum.
std::string indexText(const Index &I);

/// Adds what the index \p Path and the blobs in \p Folder hold to \p All. With
/// \p Later, pieces have Late in the place of After, and blobs that are mapped
/// are not looked at; all these are noted there.
bool readIndex(const std::string &Folder, const std::string &Path,
               uint64_t Launches, Capture &All, bool Memory, LateBlobs *Later,
               std::string &Error);

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_INDEX_H
