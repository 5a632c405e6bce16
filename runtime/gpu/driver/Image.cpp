//===- Image.cpp - What a program loads as a module -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Image.h"
#include "runtime/gpu/driver/Fatbin.h"
#include "runtime/gpu/ptx/Merge.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

using namespace gevo;
using namespace gevo::cuda;
using namespace gevo::driver;

namespace {

/// Marks the entries of an image made by cuLinkComplete.
constexpr std::string_view LinkedIdentifier = "gevo-linked";

/// Tells once for each architecture that real hardware would refuse.
void noteNewerCode(unsigned CodeArch, unsigned Arch) {
  static std::mutex Lock;
  static std::set<unsigned> Told;
  std::lock_guard<std::mutex> Guard(Lock);
  if (Told.insert(CodeArch).second)
    std::fprintf(stderr,
                 "gevo-gpu: note: the program has no PTX for sm_%u; running "
                 "its PTX for compute_%u, which a real GPU of this model would "
                 "refuse (GEVO_GPU chooses the model)\n",
                 Arch, CodeArch);
}

/// PTX of a container for \p Arch.
CUresult readBest(const std::vector<gpu::FatbinEntry> &Entries, unsigned Arch,
                  std::string &Text, unsigned &TextArch, std::string &Error) {
  const gpu::FatbinEntry *Best = gpu::choosePTX(Entries, Arch);
  if (!Best) {
    Error = "the fatbin holds machine code only; build the program so that it "
            "carries PTX";
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  std::optional<std::string> Image = Best->image(Error);
  if (!Image)
    return CUDA_ERROR_INVALID_IMAGE;
  Text = std::move(*Image);
  TextArch = Best->Arch;
  return CUDA_SUCCESS;
}

CUresult readContainer(std::string_view Bytes, unsigned Arch,
                       std::vector<std::string> &Texts, std::string &Error) {
  auto Entries = gpu::readFatbin(Bytes, Error);
  if (!Entries)
    return CUDA_ERROR_INVALID_IMAGE;
  for (const gpu::FatbinEntry &Entry : *Entries) {
    if (!Entry.isPTX() || Entry.Identifier != LinkedIdentifier)
      continue;
    std::optional<std::string> Text = Entry.image(Error);
    if (!Text)
      return CUDA_ERROR_INVALID_IMAGE;
    Texts.push_back(std::move(*Text));
  }
  if (!Texts.empty())
    return CUDA_SUCCESS;
  std::string Text;
  unsigned TextArch;
  if (CUresult R = readBest(*Entries, Arch, Text, TextArch, Error))
    return R;
  if (TextArch > Arch)
    noteNewerCode(TextArch, Arch);
  Texts.push_back(std::move(Text));
  return CUDA_SUCCESS;
}

/// A variable of the library with which kernels launch kernels. nvcc links it
/// to all relocatable code, whether it is used or not.
constexpr std::string_view DeviceRuntime = "__CNPRT_VERSION_NUMBER__";

/// What nvcc linked (-rdc=true) is machine code; what it was linked from is in
/// the program, too. \p Parts are its containers, and null.
CUresult linkParts(const void *const *Parts, unsigned Arch,
                   std::vector<std::string> &Texts, std::string &Error) {
  std::vector<gpu::ptx::NamedText> Found;
  for (size_t I = 0; Parts[I]; ++I) {
    const char *Bytes = static_cast<const char *>(Parts[I]);
    auto Entries =
        gpu::readFatbin({Bytes, gpu::statedFatbinSize(Bytes)}, Error);
    if (!Entries)
      return CUDA_ERROR_INVALID_IMAGE;
    std::string Text;
    unsigned TextArch;
    if (CUresult R = readBest(*Entries, Arch, Text, TextArch, Error))
      return R;
    if (Text.find(DeviceRuntime) != std::string::npos)
      continue;
    if (TextArch > Arch)
      noteNewerCode(TextArch, Arch);
    Found.push_back({"part " + std::to_string(I + 1), std::move(Text)});
  }
  auto Whole = gpu::ptx::mergeTexts(Found);
  if (!Whole) {
    Error = "cannot link its relocatable PTX: " + Whole.error().str();
    return CUDA_ERROR_INVALID_PTX;
  }
  for (const std::string &Name : Whole->Undefined)
    Error +=
        (Error.empty() ? "its relocatable PTX does not define " : ", ") + Name;
  if (!Error.empty()) {
    Error += " (kernels that launch kernels are not supported)";
    return CUDA_ERROR_INVALID_PTX;
  }
  Texts.push_back(std::move(Whole->Text));
  return CUDA_SUCCESS;
}

} // namespace

CUresult gevo::driver::readImage(const void *Data, unsigned Arch,
                                 std::vector<std::string> &Texts,
                                 std::string &Error) {
  const char *Bytes = static_cast<const char *>(Data);
  // PTX may be shorter than a word.
  uint32_t Magic = 0;
  std::memcpy(&Magic, Bytes, strnlen(Bytes, sizeof(Magic)));
  if (Magic == gpu::FatbinWrapperMagic) {
    gpu::FatbinWrapper Wrapper;
    std::memcpy(&Wrapper, Data, sizeof(Wrapper));
    if (!Wrapper.Data) {
      Error = "the wrapper names no fatbin";
      return CUDA_ERROR_INVALID_IMAGE;
    }
    uint32_t Inner;
    std::memcpy(&Inner, Wrapper.Data, sizeof(Inner));
    if (Inner != gpu::FatbinMagic) {
      Error = "the wrapper does not lead to a fatbin";
      return CUDA_ERROR_INVALID_IMAGE;
    }
    CUresult R = readImage(Wrapper.Data, Arch, Texts, Error);
    if (R != CUDA_ERROR_NO_BINARY_FOR_GPU || !Wrapper.isLinked())
      return R;
    Error.clear();
    return linkParts(Wrapper.Prelinked, Arch, Texts, Error);
  }
  if (Magic == gpu::FatbinMagic)
    return readContainer({Bytes, gpu::statedFatbinSize(Data)}, Arch, Texts,
                         Error);
  if (!std::strncmp(Bytes,
                    "\x7f"
                    "ELF",
                    4)) {
    Error = "the image is machine code (a cubin); the embedded GPU runs PTX";
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  Texts.push_back(Bytes);
  return CUDA_SUCCESS;
}

CUresult gevo::driver::readImageFile(const std::string &Name, unsigned Arch,
                                     std::vector<std::string> &Texts,
                                     std::string &Error) {
  std::ifstream In(Name, std::ios::binary);
  // Of a folder this fails, where the iterator would throw.
  In.peek();
  if (!In.is_open() || In.bad()) {
    Error = "cannot read '" + Name + "': " + std::strerror(errno);
    return CUDA_ERROR_FILE_NOT_FOUND;
  }
  std::string Bytes((std::istreambuf_iterator<char>(In)),
                    std::istreambuf_iterator<char>());
  if (gpu::isFatbin(Bytes))
    return readContainer(Bytes, Arch, Texts, Error);
  // A file holds no pointers, so a wrapper in it is just a strange text.
  if (Bytes.compare(0, 4,
                    "\x7f"
                    "ELF") == 0)
    return readImage(Bytes.c_str(), Arch, Texts, Error);
  Texts.push_back(Bytes.c_str());
  return CUDA_SUCCESS;
}

std::string
gevo::driver::makeLinkedImage(const std::vector<std::string> &Texts) {
  std::vector<gpu::FatbinImage> Images;
  for (const std::string &Text : Texts) {
    gpu::FatbinImage Image;
    Image.Identifier = LinkedIdentifier;
    Image.Data = Text;
    Images.push_back(std::move(Image));
  }
  return gpu::writeFatbin(Images);
}
