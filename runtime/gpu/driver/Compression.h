//===- Compression.h - The two compressions of a fatbin ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LZ4 blocks (own code; the format is a page long) and Zstandard frames
// (libzstd). Used by the fatbin reader and writer only.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_COMPRESSION_H
#define GEVO_RUNTIME_GPU_DRIVER_COMPRESSION_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gevo::gpu {

/// Decompresses the LZ4 block \p In. Returns nothing if it is damaged or would
/// give more than \p MaxSize bytes.
std::optional<std::string> decompressLZ4(std::string_view In, size_t MaxSize);

/// Compresses \p In into one LZ4 block.
std::string compressLZ4(std::string_view In);

/// Decompresses the Zstandard frame \p In. Returns nothing if it is damaged or
/// would give more than \p MaxSize bytes.
std::optional<std::string> decompressZstd(std::string_view In, size_t MaxSize);

/// Compresses \p In into one Zstandard frame.
std::string compressZstd(std::string_view In);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_DRIVER_COMPRESSION_H
