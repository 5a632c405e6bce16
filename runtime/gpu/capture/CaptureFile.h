//===- CaptureFile.h - Captures on disk -------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A capture is a folder: blobs of memory, compressed and named after what they
// hold, and for each process of the program an index. A blob or an index
// appears under its name when it is complete, and an index only after all that
// it mentions, so what can be read is whole; checksums prove it. The format is
// described in docs/reference/capture-format.md.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_CAPTUREFILE_H
#define GEVO_RUNTIME_GPU_CAPTURE_CAPTUREFILE_H

#include "runtime/gpu/capture/Case.h"
#include "runtime/gpu/capture/Index.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gevo::capture {

/// Writes one process's part of a capture. After a failure every call fails
/// and error() says why.
class CaptureWriter {
public:
  /// Makes the folder \p Folder if need be and takes a place in it.
  CaptureWriter(const std::string &Folder, std::string Program,
                std::string Gpu);
  ~CaptureWriter();

  const std::string &error() const;
  /// Writes the PTX \p Text and returns its number for Case::Module.
  std::optional<uint32_t> addModule(std::string_view Text);
  /// Writes the memory of \p C and returns a number for the case.
  std::optional<size_t> addCase(const Case &C);
  void setWeight(size_t Number, uint64_t Weight);
  /// Forgets a case, and the blobs that no other one uses.
  void dropCase(size_t Number);
  /// Writes the index of what was added, in the place of an earlier one.
  bool writeIndex();
  /// One more launch of the process, whether it is captured or not. Readers
  /// learn of it even if the process is killed before it writes an index.
  void countLaunch();
  /// Bytes of blobs in the folder, compressed.
  uint64_t bytesWritten() const;

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

/// Reads the capture in \p Folder, all processes of it. Without \p Memory the
/// buffers have no pieces, and blobs of memory are not looked at.
std::optional<Capture> readCapture(const std::string &Folder,
                                   std::string &Error, bool Memory = true);

/// Memory that is yet to be read, or to be compared with its checksums. What is
/// made of it may be shown once check() was true.
class UncheckedMemory {
public:
  /// False if a blob is damaged; \p Error says which.
  bool check(std::string &Error) const;

private:
  friend std::optional<Capture> readCapture(const std::string &,
                                            UncheckedMemory &, std::string &);
  LateBlobs Blobs;
};

/// Reads the capture in \p Folder for a quick start: pieces have Late in the
/// place of After, and memory that is only mapped is not looked at; \p Later
/// notes what remains to be checked.
std::optional<Capture> readCapture(const std::string &Folder,
                                   UncheckedMemory &Later, std::string &Error);

/// Removes the capture in \p Folder, if there is one; refuses to touch a folder
/// that holds anything else.
bool removeCapture(const std::string &Folder, std::string &Error);

/// Writes \p C to \p Folder as one process's part.
bool writeCapture(const std::string &Folder, const Capture &C,
                  std::string &Error);

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_CAPTUREFILE_H
