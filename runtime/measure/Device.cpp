//===- Device.cpp - A CUDA driver library and one GPU of it ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Device.h"
#include "runtime/gpu/capture/Blob.h"

#include <algorithm>
#include <dlfcn.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::cuda;
using namespace gevo::measure;

std::string measure::embeddedGpuPath() {
  char Self[4096];
  ssize_t Length = readlink("/proc/self/exe", Self, sizeof(Self));
  std::string Folder(Self, size_t(std::max<ssize_t>(Length, 0)));
  Folder.resize(Folder.rfind('/') == Folder.npos ? 0 : Folder.rfind('/'));
  for (const char *Place : {"/../" GEVO_LIBDIR, "/../lib"}) {
    std::string Path = Folder + Place + "/libgevo-gpu.so";
    if (access(Path.c_str(), R_OK) == 0)
      return Path;
  }
  return "libgevo-gpu.so";
}

std::unique_ptr<Device> Device::open(const DeviceOptions &O,
                                     std::string &Error) {
  std::unique_ptr<Device> D(new Device);
  D->Options = O;
  if (!D->openLibrary(Error) || !D->openContext(Error))
    return nullptr;
  return D;
}

Device::~Device() {
  if (Context) {
    makeCurrent();
    dropModules();
    for (CUevent E : {Start, Stop})
      if (E)
        Driver.cuEventDestroy_v2(E);
    Driver.cuCtxSetCurrent(nullptr);
    Driver.cuDevicePrimaryCtxRelease_v2(Options.Ordinal);
  }
  // The library stays: it may have threads and exit handlers of its own.
}

bool Device::openLibrary(std::string &Error) {
  std::string Path =
      Options.Library.empty() ? embeddedGpuPath() : Options.Library;
  Library = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    Error = "cannot open the driver library: " + std::string(dlerror());
    return false;
  }
  std::string Missing;
#define DRIVER_SYMBOL(Name)                                                    \
  Driver.Name =                                                                \
      reinterpret_cast<decltype(Driver.Name)>(dlsym(Library, #Name));          \
  if (!Driver.Name && Missing.empty())                                         \
    Missing = #Name;
#define EXTRA_SYMBOL(Name)                                                     \
  Driver.Name = reinterpret_cast<decltype(Driver.Name)>(dlsym(Library, #Name));
#include "runtime/measure/Symbols.def"
  if (!Missing.empty()) {
    Error = "'" + Path + "' is no CUDA driver library: it has no " + Missing;
    return false;
  }
  // Extras go together; a library that has only some is another version.
  int Version = 0;
  if (Driver.gevoGpuVersion && Driver.gevoGpuVersion(&Version) == 0 &&
      Version < 7) {
    Error = "'" + Path + "' is an embedded GPU of an older version";
    return false;
  }
  return true;
}

bool Device::openContext(std::string &Error) {
  auto failed = [&](CUresult R, const char *What) {
    if (R)
      Error = std::string(What) + " failed: " + errorName(R);
    return R != CUDA_SUCCESS;
  };
  if (!Options.Model.empty()) {
    if (!Driver.gevoGpuSelectModel) {
      Error = "only the embedded GPU can be another model";
      return false;
    }
    if (Driver.gevoGpuSelectModel(Options.Model.c_str())) {
      Error = "there is no GPU model '" + Options.Model +
              "', or another device is open";
      return false;
    }
  }
  CUdevice Dev = 0;
  if (failed(Driver.cuInit(0), "cuInit") ||
      failed(Driver.cuDeviceGet(&Dev, Options.Ordinal), "cuDeviceGet") ||
      failed(Driver.cuDevicePrimaryCtxRetain(&Context, Dev),
             "cuDevicePrimaryCtxRetain") ||
      failed(Driver.cuCtxSetCurrent(Context), "cuCtxSetCurrent"))
    return false;
  char Name[256] = "";
  if (!isEmbedded()) {
    Driver.cuDeviceGetName(Name, sizeof(Name), Dev);
  } else {
    Driver.gevoGpuGetModel(Name, sizeof(Name), Options.Ordinal);
    Driver.gevoGpuSetFindingsTarget("none");
    Driver.gevoGpuAllocFromTop();
    Driver.gevoGpuWatchWrites(1);
  }
  Model = Name;
  return true;
}

void *Device::symbol(const char *Name) const { return dlsym(Library, Name); }

bool Device::makeCurrent() {
  return Context && Driver.cuCtxSetCurrent(Context) == CUDA_SUCCESS;
}

std::string Device::errorName(CUresult R) const {
  const char *Name = nullptr;
  if (Driver.cuGetErrorName(R, &Name) || !Name)
    return "error " + std::to_string(int(R));
  return Name;
}

LoadedModule Device::loadNow(const std::string &Ptx) {
  LoadedModule M;
  std::vector<char> Log(8192);
  CUjit_option Names[] = {CU_JIT_ERROR_LOG_BUFFER,
                          CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *Values[] = {Log.data(), reinterpret_cast<void *>(Log.size())};
  CUresult R =
      Driver.cuModuleLoadDataEx(&M.Handle, Ptx.c_str(), 2, Names, Values);
  if (R) {
    M.Handle = nullptr;
    M.Log = Log[0] ? std::string(Log.data()) : errorName(R);
    while (!M.Log.empty() && M.Log.back() == '\n')
      M.Log.pop_back();
  }
  return M;
}

const LoadedModule &
Device::load(const std::string &Ptx,
             const std::map<std::string, uint64_t> &Bindings) {
  std::string Key = capture::contentHash(Ptx);
  for (const auto &[Name, Address] : Bindings)
    Key += "," + Name + "@" + std::to_string(Address);
  if (auto It = ByKey.find(Key); It != ByKey.end()) {
    ++Hits;
    Recent.splice(Recent.begin(), Recent, It->second);
    return Recent.front().Module;
  }
  while (Recent.size() >= std::max<size_t>(1, Options.CachedModules)) {
    if (Recent.back().Module.Handle)
      Driver.cuModuleUnload(Recent.back().Module.Handle);
    ByKey.erase(Recent.back().Key);
    Recent.pop_back();
  }
  if (isEmbedded()) {
    Driver.gevoGpuBindVariable(nullptr, 0);
    for (const auto &[Name, Address] : Bindings)
      Driver.gevoGpuBindVariable(Name.c_str(), Address);
  }
  ++Loads;
  Recent.push_front({Key, loadNow(Ptx)});
  ByKey[Key] = Recent.begin();
  return Recent.front().Module;
}

void Device::dropModules() {
  for (Cached &C : Recent)
    if (C.Module.Handle)
      Driver.cuModuleUnload(C.Module.Handle);
  Recent.clear();
  ByKey.clear();
}

std::vector<GevoGpuLine> Device::lines() const {
  size_t Needed = 0;
  if (Driver.gevoGpuGetLines(nullptr, 0, &Needed))
    return {};
  std::vector<GevoGpuLine> Lines(Needed);
  Driver.gevoGpuGetLines(Lines.data(), Needed, &Needed);
  return Lines;
}

std::string Device::printed() const {
  size_t Size = 0;
  Driver.gevoGpuGetPrinted(nullptr, 0, &Size);
  std::string Text(Size, 0);
  Driver.gevoGpuGetPrinted(Text.data(), Size, &Size);
  return Text;
}

std::pair<std::string, int> Device::whyRules() const {
  size_t Size = 0;
  int Cause = GEVO_GPU_RULES_INPUT;
  std::string Text;
  if (!Driver.gevoGpuGetWhyRules(nullptr, 0, &Size, &Cause) && Size > 1) {
    Text.resize(Size);
    Driver.gevoGpuGetWhyRules(Text.data(), Size, &Size, &Cause);
    Text.pop_back();
  }
  return {Text.empty() ? "rules about PTX price it" : Text, Cause};
}

void Device::fillCaches(const capture::Case &C) const {
  constexpr uint64_t LineBytes = 128;
  uint64_t Begin = 0, End = 0;
  auto fill = [&] {
    if (End > Begin)
      Driver.gevoGpuFillCaches(Begin, End - Begin);
    Begin = End = 0;
  };
  for (const capture::Buffer &B : C.Buffers) {
    // Small blocks that share lines, or have one between them, are one stretch.
    for (const capture::HeapRun &R : B.Blocks) {
      // What the launch makes is nowhere yet.
      if (capture::HeapUse(R.Use) == capture::HeapUse::Made)
        continue;
      bool Dense = R.Stride <= R.Bytes + LineBytes;
      for (uint64_t K = 0; K < (Dense ? 1 : R.Count); ++K) {
        uint64_t First = R.addressOf(K);
        if (First / LineBytes > End / LineBytes + 1) {
          fill();
          Begin = First;
        }
        End = Dense ? R.end() : First + R.Bytes;
      }
    }
    fill();
    if (!B.Blocks.empty() || B.Heap == capture::HeapUse::Made)
      continue;
    for (const capture::Piece &P : B.Pieces)
      Driver.gevoGpuFillCaches(B.Address + P.Offset, P.Before.size());
  }
}

std::pair<CUevent, CUevent> Device::events() {
  for (CUevent *E : {&Start, &Stop})
    if (!*E && Driver.cuEventCreate(E, 0))
      *E = nullptr;
  return {Start, Stop};
}

bool Device::reset() {
  // Handles die with the context.
  Recent.clear();
  ByKey.clear();
  Start = Stop = nullptr;
  Resident = nullptr;
  CachesOf = nullptr;
  Driver.cuDevicePrimaryCtxReset_v2(Options.Ordinal);
  Driver.cuDevicePrimaryCtxRelease_v2(Options.Ordinal);
  Context = nullptr;
  std::string Error, Wanted;
  std::swap(Wanted, Options.Model);
  bool Ok = openContext(Error);
  std::swap(Wanted, Options.Model);
  return Ok;
}
