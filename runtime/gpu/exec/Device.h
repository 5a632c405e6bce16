//===- Device.h - The embedded GPU --------------------------------*- C++
//-*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public face of the engine: a Device has global memory, takes modules as
// PTX text and launches their kernels. The CUDA driver API and gevo-run are
// written against this header, Launch.h, Finding.h and Trace.h alone.
//
// Every member function of Device may be called from any thread; calls are
// serialised per device, and a launch holds the device while it runs. Those
// that say so do not wait for it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_DEVICE_H
#define GEVO_RUNTIME_GPU_EXEC_DEVICE_H

#include "runtime/gpu/exec/Launch.h"
#include "runtime/gpu/exec/Memory.h"
#include "runtime/gpu/ptx/Result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu {

namespace ptx {
struct Function;
struct Module;
} // namespace ptx

class LoadedModule;
struct Grid;
struct KernelCode;
struct KernelLoader;

/// One parameter of a kernel, in the buffer that a launch takes.
struct KernelParam {
  std::string Name;
  uint32_t Offset = 0;
  uint32_t Size = 0;
  uint32_t Align = 1;
};

/// What the driver API reports about a kernel.
struct KernelAttributes {
  /// Estimated from liveness on the PTX, within what launch bounds allow.
  uint32_t RegistersPerThread = 0;
  bool RegistersEstimated = true; ///< Otherwise the assembler counted them.
  uint32_t StaticSharedBytes = 0;
  uint32_t LocalBytesPerThread = 0;
  uint32_t ConstBytes = 0;
  uint32_t MaxThreadsPerBlock = 1024; ///< Limited by .maxntid and registers.
  Dim3 RequiredBlock{0, 0, 0};        ///< .reqntid; 0 when absent.
  Dim3 MaxBlock{0, 0, 0};             ///< .maxntid; 0 when absent.
  uint32_t MinBlocksPerSM = 0;        ///< .minnctapersm
  uint32_t PtxVersion = 0;            ///< 83 for PTX ISA 8.3.
  uint32_t TargetArch = 0;            ///< 70 for .target sm_70.
};

/// A kernel of a loaded module. Lives as long as its module.
class Kernel {
public:
  ~Kernel();
  const std::string &name() const { return Name; }
  const std::vector<KernelParam> &params() const { return Params; }
  /// Size of the parameter buffer.
  uint32_t paramBytes() const { return ParamBytes; }
  const KernelAttributes &attributes() const { return Attributes; }
  const LoadedModule &module() const { return *Owner; }
  /// The functions a launch can execute; TraceRun::Function indexes them and
  /// the kernel itself is number 0.
  const std::vector<const ptx::Function *> &functions() const {
    return Functions;
  }

private:
  friend class Device;
  friend class LoadedModule;
  friend class LaunchSession;
  friend struct KernelLoader;
  friend struct ModuleLoader;
  Kernel();

  std::string Name;
  std::vector<KernelParam> Params;
  uint32_t ParamBytes = 0;
  KernelAttributes Attributes;
  const LoadedModule *Owner = nullptr;
  std::vector<const ptx::Function *> Functions;
  std::vector<uint32_t> FunctionIndices; ///< Of the module.
  /// Functions that are not the module's; see LoadedModule::withCode.
  std::vector<std::unique_ptr<ptx::Function>> Own;
  std::unique_ptr<KernelCode> Code;
};

/// A variable of a module, at its place in device memory.
struct ModuleVariable {
  std::string Name;
  uint64_t Address = 0;
  uint64_t Bytes = 0;
  bool IsConst = false;   ///< .const: device code only reads it.
  bool IsManaged = false; ///< .attribute(.managed)
  bool IsBound = false;   ///< In memory that the module does not own.
  /// It is what its name stands for outside of the module. Others of the name
  /// are internal to a linked text or to a function.
  bool IsNamed = true;
};

/// Variables of a module that get memory which exists already, by name. It
/// keeps what it holds: a bound variable is not initialised.
using VariableBindings = std::map<std::string, uint64_t>;

/// A module on a device: its variables have addresses and its kernels can be
/// launched. Destroying it frees the variables; its device must still exist.
class LoadedModule {
public:
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;

  /// The kernel named exactly \p Name, or null.
  const Kernel *kernel(std::string_view Name) const;
  const std::vector<std::unique_ptr<Kernel>> &kernels() const {
    return Kernels;
  }
  /// The variable that \p Name stands for, or null.
  const ModuleVariable *variable(std::string_view Name) const;
  const std::vector<ModuleVariable> &variables() const { return Variables; }
  /// What a user may want to know although loading succeeded.
  const std::vector<std::string> &notes() const { return Notes; }
  /// The parsed PTX.
  const ptx::Module &source() const { return *Source; }
  /// \p K, a kernel of this module, with other code for its functions, which
  /// are in the order of Kernel::functions() and differ from them in nothing
  /// but registers and instructions.
  Result<std::unique_ptr<Kernel>>
  withCode(const Kernel &K, std::vector<ptx::Function> Code) const;

private:
  friend class Device;
  friend struct KernelLoader;
  friend struct ModuleLoader;
  explicit LoadedModule(Device &D);

  Device &Owner;
  std::unique_ptr<ptx::Module> Source;
  std::vector<std::unique_ptr<Kernel>> Kernels;
  std::vector<ModuleVariable> Variables;
  std::vector<uint64_t> Addresses; ///< Of variables, by symbol.
  std::vector<bool> AddressTaken;  ///< By function.
  std::vector<uint64_t> Storage;   ///< Allocations to free.
  std::vector<std::string> Notes;
};

/// The shape of a device, and the limits that launches are held to.
struct DeviceConfig {
  uint32_t SmArch = 70; ///< 60 for sm_60, ... 90 for sm_90.
  uint32_t NumSMs = 80;
  uint64_t GlobalBytes = uint64_t(16) << 30;
  uint32_t MaxThreadsPerBlock = 1024;
  uint32_t MaxThreadsPerSM = 2048;
  uint32_t MaxBlocksPerSM = 32;
  uint32_t SharedBytesPerSM = 96 * 1024;
  uint32_t MaxSharedBytesPerBlock = 96 * 1024; ///< With opt-in.
  uint32_t RegistersPerSM = 65536;
  uint32_t Schedulers = 4;             ///< Each with its part of the registers.
  uint32_t RegisterUnit = 256;         ///< Warps get a multiple of it.
  uint32_t SharedUnit = 256;           ///< Blocks get a multiple of it.
  uint32_t SharedReservedPerBlock = 0; ///< Taken by the system.
  uint32_t ClockKHz = 1380000;         ///< %globaltimer advances with it.
  /// Stack per thread for calls whose depth the PTX does not bound.
  uint32_t StackBytesPerThread = 16 * 1024;
  uint64_t DeviceHeapBytes = uint64_t(8) << 20; ///< malloc in device code.
};

/// Why a memory operation was refused.
enum class MemoryStatus : uint8_t {
  Ok,
  InvalidAddress, ///< A device range that is not inside one allocation.
  OutOfMemory
};

/// One embedded GPU (of one context).
class Device {
public:
  explicit Device(DeviceConfig Config = {});
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const DeviceConfig &config() const { return Config; }
  /// For cuCtxSetLimit.
  void setStackBytesPerThread(uint32_t Bytes);
  void setDeviceHeapBytes(uint64_t Bytes);

  /// Parses \p Ptx, gives its variables addresses and prepares its kernels.
  /// The text is not needed afterwards.
  Result<std::unique_ptr<LoadedModule>>
  load(std::string_view Ptx, const VariableBindings &Bindings = {});
  /// The same for several texts linked into one module, as cuLinkAddData does.
  Result<std::unique_ptr<LoadedModule>>
  link(const std::vector<std::string> &Texts,
       const VariableBindings &Bindings = {});

  /// \name Memory
  /// A device address is a host pointer. Addresses of Managed, Host and
  /// HostRegistered memory may be dereferenced by the program; so may those of
  /// Device memory, but it should use copies, which are checked.
  /// @{
  /// 0 when out of memory.
  uint64_t allocate(uint64_t Bytes, MemoryKind Kind = MemoryKind::Device,
                    uint64_t Align = 256);
  /// GlobalMemory::allocateAt and allocateFromTop.
  bool allocateAt(uint64_t Address, uint64_t Bytes, MemoryKind Kind,
                  std::string Name = {});
  void allocateFromTop();
  /// GlobalMemory::placeHeap, dropHeap and readHeap.
  bool placeHeap(const HeapRun *Runs, size_t Count, const char *Start);
  void dropHeap();
  void readHeap(char *Packed);
  /// Frees the blocks that launches made and left.
  void releaseMade(const HeapRecord &Record);
  /// GlobalMemory::mapFile.
  bool mapFile(uint64_t Address, uint64_t Bytes, int File, uint64_t Skip);
  /// False if \p Address is not the start of an allocation.
  bool release(uint64_t Address);
  bool registerHost(void *Ptr, uint64_t Bytes);
  bool unregisterHost(void *Ptr);
  /// GlobalMemory::announceHost. It does not wait for launches.
  void announceHost(void *Ptr, uint64_t Bytes);
  /// Whether \p Address is of the range that allocations come from.
  bool isInArena(uint64_t Address) const;
  MemoryStatus copyToDevice(uint64_t Dst, const void *Src, uint64_t Bytes);
  MemoryStatus copyFromDevice(void *Dst, uint64_t Src, uint64_t Bytes);
  /// A number for \p Address that does not depend on where the host has the
  /// device's memory.
  uint64_t offsetOf(uint64_t Address);
  MemoryStatus copyDeviceToDevice(uint64_t Dst, uint64_t Src, uint64_t Bytes);
  /// Writes \p Count elements of \p ElementBytes (1, 2 or 4).
  MemoryStatus set(uint64_t Dst, uint32_t Value, uint32_t ElementBytes,
                   uint64_t Count);
  /// Is [Address, Address+Bytes) inside one live allocation?
  MemoryStatus check(uint64_t Address, uint64_t Bytes);
  /// The live allocation that holds \p Address (copied), if any.
  std::optional<Allocation> lookup(uint64_t Address);
  /// Live allocations in order of address.
  void forAllocations(const std::function<void(const Allocation &)> &Do);
  /// These two do not wait for launches.
  uint64_t totalBytes() const;
  uint64_t usedBytes() const;
  /// @}

  /// Runs a whole launch. A configuration that breaks a limit gives
  /// InvalidConfiguration.
  LaunchResult launch(const Kernel &K, const LaunchOptions &O);
  /// The next launch has this %gridid; later ones count on from it.
  void setNextGrid(uint64_t Number);

private:
  friend class LaunchSession;
  friend class LoadedModule;
  friend struct Grid;
  friend struct ModuleLoader;

  std::mutex Lock;
  uint64_t StepsRun = 0; ///< Warp instructions of all launches.
  uint64_t GridsRun = 0; ///< %gridid of the last launch.
  DeviceConfig Config;
  GlobalMemory Memory;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_DEVICE_H
