//===- StoredBlob.cpp - The blobs of a capture ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/StoredBlob.h"
#include "runtime/gpu/capture/Blob.h"

using namespace gevo::capture;

namespace {

/// The bytes in the file \p Path; nothing, and the reason, if there are others.
/// With \p Trust, bytes that are only mapped are not looked at.
std::optional<Bytes> contentOf(const std::string &Path, const BlobRef &Ref,
                               bool Trust, std::string &Error) {
  std::optional<Bytes> Plain;
  if (Ref.Skip)
    Plain = mapBytes({Path, *Ref.Skip, Ref.Size}, Error);
  else if (MappedFile Packed(Path, Error); Error.empty())
    Plain = decompress(Packed.content(), Ref.Size);
  bool Right = Plain && ((Trust && Ref.Skip) ||
                         contentHash(BlobReader::view(*Plain)) == Ref.Hash);
  if (Right)
    return Plain;
  if (Error.empty())
    Error = "'" + Path + "' is truncated or damaged";
  return std::nullopt;
}

} // namespace

std::string gevo::capture::blobPath(const std::string &Folder,
                                    const BlobRef &Ref) {
  return Folder + "/blobs/" + Ref.Hash +
         (Ref.Skip ? "-" + std::to_string(*Ref.Skip) + ".raw" : ".zst");
}

const Bytes &LateBlob::read() {
  if (Content.empty()) {
    std::optional<Bytes> Read = contentOf(Path, Ref, /*Trust=*/false, Problem);
    Content = Read ? std::move(*Read) : Bytes(Ref.Size);
  }
  return Content;
}

bool LateBlob::check(std::string &Error) {
  if (Content.empty())
    contentOf(Path, Ref, /*Trust=*/false, Problem);
  if (!Problem.empty())
    Error = Problem;
  return Problem.empty();
}

const Bytes &BlobReader::read(const BlobRef &Ref) {
  Bytes &Content = Known[Ref.Hash];
  if (!Ref.Size || Content.size() == Ref.Size)
    return Content;
  std::string Error;
  std::optional<Bytes> Plain =
      contentOf(blobPath(Folder, Ref), Ref, Later != nullptr, Error);
  if (!Plain)
    throw Damage{Error};
  if (Ref.Skip)
    leave(Ref);
  return Content = std::move(*Plain);
}

Bytes BlobReader::take(const BlobRef &Ref) {
  read(Ref);
  return std::move(Known.extract(Ref.Hash).mapped());
}

std::shared_ptr<LateBlob> BlobReader::leave(const BlobRef &Ref) {
  if (!Later || !Ref.Size)
    return nullptr;
  Later->push_back(std::make_shared<LateBlob>(Folder, Ref));
  return Later->back();
}
