//===- Device.h - A CUDA driver library and one GPU of it -------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a driver library (the embedded GPU unless told otherwise), makes a
// context on one of its GPUs and keeps the modules that were loaded. What the
// embedded GPU offers beyond CUDA is used where it exists.
//
// A device belongs to one thread at a time. One process has one device of the
// embedded GPU at a time, because captured memory has its place in the address
// space: workers that replay in parallel are processes.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_DEVICE_H
#define GEVO_RUNTIME_MEASURE_DEVICE_H

#include "runtime/gpu/capture/Case.h"
#include "runtime/gpu/driver/DriverApi.h"
#include "runtime/gpu/driver/GevoGpu.h"

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gevo::measure {

/// The functions of a driver library; extras are null where it has none.
struct DriverTable {
#define DRIVER_SYMBOL(Name) decltype(&cuda::Name) Name = nullptr;
#define EXTRA_SYMBOL(Name) decltype(&::Name) Name = nullptr;
#include "runtime/measure/Symbols.def"
};

struct DeviceOptions {
  std::string Library; ///< Empty: the embedded GPU.
  std::string Model;   ///< Of the embedded GPU; empty: its default.
  int Ordinal = 0;
  size_t CachedModules = 64;
};

/// A module on a device.
struct LoadedModule {
  cuda::CUmodule Handle = nullptr; ///< Null: it did not load.
  std::string Log;                 ///< Why, then.
};

class Replay;

/// See the file comment.
class Device {
public:
  /// Null if there is no such library or GPU; \p Error says why.
  static std::unique_ptr<Device> open(const DeviceOptions &O,
                                      std::string &Error);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const DriverTable &driver() const { return Driver; }
  /// Does it have what the embedded GPU adds?
  bool isEmbedded() const { return Driver.gevoGpuAllocAt != nullptr; }
  /// "V100", or the name that CUDA's driver gives.
  const std::string &model() const { return Model; }
  int ordinal() const { return Options.Ordinal; }
  /// A symbol of the library that the table does not have, or null.
  void *symbol(const char *Name) const;
  /// "CUDA_ERROR_..."
  std::string errorName(cuda::CUresult R) const;

  /// Makes the context current on the calling thread.
  bool makeCurrent();
  /// The module of \p Ptx with its variables at \p Bindings (embedded GPU
  /// only); loaded before or now. Valid until the next call.
  const LoadedModule &load(const std::string &Ptx,
                           const std::map<std::string, uint64_t> &Bindings);
  /// Unloads all modules.
  void dropModules();
  /// After a fault that ended the context: makes a new one.
  bool reset();
  /// Lines of PTX that the last launch executed, if they were to be kept
  /// (embedded GPU only).
  std::vector<GevoGpuLine> lines() const;
  /// What device code printed since gevoGpuKeepPrinted (embedded GPU only).
  std::string printed() const;
  /// Why rules about PTX priced the last launch, and one of
  /// GEVO_GPU_RULES_INPUT and its kin (embedded GPU only).
  std::pair<std::string, int> whyRules() const;
  /// Puts the memory that \p C has before its launch into L2 (embedded GPU
  /// only).
  void fillCaches(const capture::Case &C) const;
  /// Two events of the context, for times; null if there are none to be had.
  std::pair<cuda::CUevent, cuda::CUevent> events();

  /// Modules loaded and found loaded, for tests and statistics.
  uint64_t modulesLoaded() const { return Loads; }
  uint64_t modulesFound() const { return Hits; }

private:
  friend class Replay;
  struct Cached {
    std::string Key;
    LoadedModule Module;
  };

  Device() = default;
  bool openLibrary(std::string &Error);
  bool openContext(std::string &Error);
  LoadedModule loadNow(const std::string &Ptx);

  DeviceOptions Options;
  DriverTable Driver;
  void *Library = nullptr;
  std::string Model;
  cuda::CUcontext Context = nullptr;
  cuda::CUevent Start = nullptr, Stop = nullptr;
  std::list<Cached> Recent; ///< Most recent first.
  std::map<std::string, std::list<Cached>::iterator> ByKey;
  uint64_t Loads = 0, Hits = 0;
  Replay *Resident = nullptr;     ///< Whose memory is in place.
  const void *CachesOf = nullptr; ///< Whose memory L2 was last filled with.
  bool CachesKept = false;        ///< That can be brought back.
};

/// The embedded GPU's library as installed beside this program.
std::string embeddedGpuPath();

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_DEVICE_H
