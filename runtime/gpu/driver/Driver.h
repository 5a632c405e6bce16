//===- Driver.h - The state behind the driver API ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver API has no handle for the driver, so its state is one object of
// the process: devices, live handles, and the map of memory that unified
// addressing needs. Functions of the API begin with one of the look-ups below,
// which check what CUDA's driver checks before it does anything.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_DRIVER_H
#define GEVO_RUNTIME_GPU_DRIVER_DRIVER_H

#include "runtime/gpu/driver/DriverApi.h"
#include "runtime/gpu/driver/Objects.h"

#include <condition_variable>
#include <exception>
#include <new>

namespace gevo::driver {

class LaunchObserver;

/// One range that a program got from the driver or registered with it.
struct MemoryRange {
  uint64_t Base = 0;
  uint64_t Bytes = 0;
  gpu::MemoryKind Kind = gpu::MemoryKind::Device;
  std::shared_ptr<Context> Ctx;
  uint64_t Id = 0;
  unsigned Flags = 0;
  CUmemoryPool FromPool = nullptr;
  bool SyncMemops = false;
  /// Copies and the like that run on it, under the map's lock.
  std::shared_ptr<unsigned> Uses = std::make_shared<unsigned>(0);
  bool contains(uint64_t Address, uint64_t Size) const {
    return Address >= Base && Size <= Bytes && Address - Base <= Bytes - Size;
  }
};

/// Keeps a range of the memory map from being removed while work of the host
/// runs on it.
class MemoryUse {
public:
  MemoryUse() = default;
  MemoryUse(MemoryUse &&Other) = default;
  MemoryUse &operator=(MemoryUse &&Other) = delete;
  ~MemoryUse();
  /// Whether there is such a range.
  explicit operator bool() const { return Count != nullptr; }

private:
  friend class Driver;
  std::shared_ptr<unsigned> Count;
};

/// The process-wide state.
class Driver {
public:
  /// The one driver of the process. It is never destroyed: programs call into
  /// it from their own destructors.
  static Driver &get();

  /// Reads the environment and sets up the devices; later calls do nothing.
  CUresult initialise();
  bool isInitialised() const { return Initialised; }

  HandleTable Handles;

  /// \name Devices
  /// @{
  int deviceCount() const { return int(Gpus.size()); }
  /// The device \p Ordinal, or null.
  Gpu *device(int Ordinal);
  /// Shows another model as device 0. Fails while a context exists.
  CUresult selectModel(const std::string &Name);
  /// @}

  /// \name Contexts
  /// @{
  std::shared_ptr<Context> createContext(Gpu &Owner, unsigned Flags);
  /// Ends \p Ctx and all that belongs to it.
  void destroyContext(Context &Ctx);
  std::vector<std::shared_ptr<Context>> contexts();
  std::mutex PrimaryLock;  ///< For the primary contexts of all devices.
  LaunchSettings Defaults; ///< Of new contexts.
  /// @}

  /// \name Memory map
  /// @{
  /// Adds \p Range and makes it visible where it has to be. Returns its id.
  uint64_t addMemory(MemoryRange Range);
  /// The range that holds all of [Address, Address + Bytes), if there is one.
  std::optional<MemoryRange> findMemory(uint64_t Address, uint64_t Bytes = 1);
  /// The same for work that is about to access it. Whoever removes the range
  /// waits for its end.
  MemoryUse useMemory(uint64_t Address, uint64_t Bytes);
  void endUse(unsigned &Count);
  /// Whether \p Address is of a range that memory of contexts comes from, or
  /// came from before they were destroyed: what is there belongs to a program
  /// only while findMemory() knows it.
  bool isInArena(uint64_t Address);
  /// Takes the range that starts at \p Base out of the map. Waits for launches
  /// of other contexts that can see it, and for uses.
  std::optional<MemoryRange> removeMemory(uint64_t Base);
  /// Applies \p Change to the range that holds \p Address; false without one.
  bool updateMemory(uint64_t Address,
                    const std::function<void(MemoryRange &)> &Change);
  /// Shows \p Viewer the memory of \p Owner, or stops to.
  void setPeerAccess(Context &Viewer, Context &Owner, bool Enable);
  /// Bytes in use on device \p Ordinal by all contexts.
  uint64_t usedBytes(int Ordinal);
  /// @}

  /// Those who watch launches; settled when the driver is initialised.
  std::vector<std::unique_ptr<LaunchObserver>> Observers;

  /// For what streams, events and graphs keep of captures, which may join
  /// streams of several contexts. Taken before a graph's lock.
  std::mutex CaptureLock;

  uint64_t nextId() { return ++LastId; }

private:
  Driver();
  ~Driver();
  bool mustSee(const Context &Viewer, const MemoryRange &Range) const;

  std::once_flag Once;
  CUresult InitResult = CUDA_SUCCESS;
  std::atomic<bool> Initialised{false};
  std::vector<std::unique_ptr<Gpu>> Gpus;
  std::atomic<uint64_t> LastId{0};
  std::mutex MapLock;
  std::condition_variable Idle; ///< A use of memory has ended.
  std::map<uint64_t, MemoryRange> Memory;
  std::map<uint64_t, std::shared_ptr<Context>> Contexts; ///< By id.
};

/// The stack of current contexts of the calling thread.
std::vector<std::shared_ptr<Context>> &contextStack();

/// Fails unless the driver is initialised.
CUresult checkInitialised();

/// Finds the current context of the thread, which must be alive. Of one that
/// has had a fault, returns that fault; with \p AllowFault, success.
CUresult currentContext(std::shared_ptr<Context> &Ctx, bool AllowFault = false);

/// Not supported; the first time, \p What names itself on stderr.
CUresult lacking(const char *What);

/// Finds the stream that \p Handle names in the current context.
CUresult findStream(CUstream Handle, std::shared_ptr<Stream> &S);

/// When work of \p S can start: after what is in the stream, and for the
/// default stream and those that take part in its order, after each other.
/// Needs the context's lock.
double startOf(const Stream &S);

/// Does \p Task on \p S now, after what other threads have begun on it, or adds
/// it to the graph that captures \p S.
CUresult submit(Stream &S, Work Task);

/// Waits for the work that other threads have begun on \p S. With \p Try it
/// does not wait: false says that there is such work.
bool drain(Stream &S, bool Try = false);

/// Whether the work of \p S goes to a graph. Then the caller does what captures
/// do not allow, and the capture ends with an error.
bool spoilsCapture(const Stream &S);

/// Makes work of a call of the host.
Work hostWork(const CUDA_HOST_NODE_PARAMS &Call);

/// Adds \p Task to \p G after \p Dependencies.
CUgraphNode addNode(const std::shared_ptr<Graph> &G,
                    std::vector<CUgraphNode> Dependencies, Work Task);

/// Finds the function that \p Handle names; a library's kernel counts, in the
/// current context.
CUresult findFunction(CUfunction Handle, std::shared_ptr<Function> &F);

/// Loads \p Texts into \p Ctx, with the variables of \p Bindings where those
/// are. On failure \p Log says why.
CUresult loadModule(const std::shared_ptr<Context> &Ctx,
                    const std::vector<std::string> &Texts,
                    gpu::VariableBindings Bindings, CUmodule &Handle,
                    std::string &Log);

/// Runs \p Body and turns what C++ throws into results: nothing may pass
/// through the C interface.
template <typename Fn> CUresult guarded(Fn &&Body) {
  try {
    return Body();
  } catch (const std::bad_alloc &) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &) {
    return CUDA_ERROR_UNKNOWN;
  }
}

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_DRIVER_H
