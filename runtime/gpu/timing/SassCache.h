//===- SassCache.h - Machine code that was made before ----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembling takes a hundred times as long as reading a listing, and a search
// comes back to the same PTX again and again. Listings are kept in files whose
// names are a hash of everything they depend on: the PTX (of a kernel and what
// it uses, see KernelText.h), the architecture and the tools. A file is written
// under another name and renamed, so processes may share the folder; its number
// of files is bounded, those that were not used for longest go first.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SASSCACHE_H
#define GEVO_RUNTIME_GPU_TIMING_SASSCACHE_H

#include "runtime/gpu/timing/Sass.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gevo::gpu::timing {

class SassCache {
public:
  /// Keeps at most \p MaxFiles in \p Folder; none if that is empty.
  explicit SassCache(std::string Folder, size_t MaxFiles = 2048)
      : Folder(std::move(Folder)), MaxFiles(MaxFiles) {}

  /// What was stored under \p Key; nothing if it is not there or was damaged.
  std::optional<std::string> find(const std::string &Key) const;
  /// Stores \p Text; quietly does not if the folder cannot be written.
  void store(const std::string &Key, std::string_view Text) const;

private:
  void trim() const;
  std::string Folder;
  size_t MaxFiles;
};

/// A name for the machine code of \p Entry (empty: all kernels) of \p Ptx: 32
/// hexadecimal digits.
std::string sassKey(const SassTools &Tools, std::string_view Ptx, uint64_t Arch,
                    const std::string &Entry = {});

/// The folder "sass" in GEVO_CACHE, XDG_CACHE_HOME/gevo or ~/.cache/gevo; empty
/// if none of these is set, or if GEVO_CACHE is "off".
std::string sassCacheFolder();

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SASSCACHE_H
