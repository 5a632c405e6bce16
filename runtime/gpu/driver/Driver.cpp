//===- Driver.cpp - The state behind the driver API -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"
#include "runtime/gpu/driver/LaunchCapture.h"
#include "runtime/gpu/driver/LogObserver.h"
#include "runtime/gpu/driver/Settings.h"

#include <cassert>
#include <cstdio>

using namespace gevo;
using namespace gevo::driver;

Driver::Driver() = default;
Driver::~Driver() = default;

Driver &Driver::get() {
  static Driver *Only = new Driver;
  return *Only;
}

CUresult Driver::initialise() {
  std::call_once(Once, [this] {
    std::string Error;
    std::optional<Settings> S = readSettings(Error);
    if (!S) {
      std::fprintf(stderr, "gevo-gpu: error: %s\n", Error.c_str());
      InitResult = CUDA_ERROR_NO_DEVICE;
      return;
    }
    Defaults = S->Launch;
    for (const DeviceProperties &P : S->Devices) {
      auto G = std::make_unique<Gpu>();
      G->Ordinal = int(Gpus.size());
      G->Properties = P;
      G->Properties.PCIBus = G->Ordinal + 1;
      auto DefaultPool = std::make_shared<Pool>();
      DefaultPool->Ordinal = G->Ordinal;
      G->DefaultPool = G->CurrentPool =
          Handles.insert<CUmemoryPool>(std::move(DefaultPool));
      Gpus.push_back(std::move(G));
    }
    if (auto Log = makeLogObserver())
      Observers.push_back(std::move(Log));
    if (auto Capture = makeCaptureObserver(Error))
      Observers.push_back(std::move(Capture));
    if (!Error.empty()) {
      std::fprintf(stderr, "gevo-gpu: error: %s\n", Error.c_str());
      InitResult = CUDA_ERROR_NO_DEVICE;
      return;
    }
    Initialised = true;
  });
  return InitResult;
}

Gpu *Driver::device(int Ordinal) {
  if (Ordinal < 0 || Ordinal >= deviceCount())
    return nullptr;
  return Gpus[size_t(Ordinal)].get();
}

CUresult Driver::selectModel(const std::string &Name) {
  if (CUresult R = initialise())
    return R;
  std::lock_guard<std::mutex> Guard(MapLock);
  std::string Error;
  bool Is = Gpus[0]->Properties.Model == Name; // Its file is read already.
  std::optional<DeviceProperties> P =
      Is ? Gpus[0]->Properties : gpuModel(Name, Error);
  if (!P)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Contexts.empty())
    return CUDA_ERROR_CONTEXT_ALREADY_IN_USE;
  Gpus[0]->Properties = *P;
  return CUDA_SUCCESS;
}

Context::Context(Gpu &Owner, unsigned Flags)
    : Owner(Owner), Flags(Flags), Clock(Owner.Properties.Profile) {
  gpu::DeviceConfig Config = Owner.Properties.Config;
  Limits = {{CU_LIMIT_STACK_SIZE, Config.StackBytesPerThread},
            {CU_LIMIT_PRINTF_FIFO_SIZE, size_t(1) << 20},
            {CU_LIMIT_MALLOC_HEAP_SIZE, size_t(Config.DeviceHeapBytes)},
            {CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2},
            {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048},
            {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64},
            {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0}};
  Engine = std::make_unique<gpu::Device>(Config);
}

std::shared_ptr<Context> Driver::createContext(Gpu &Owner, unsigned Flags) {
  auto Ctx = std::make_shared<Context>(Owner, Flags);
  Ctx->Id = nextId();
  Ctx->Settings = Defaults;
  Ctx->DefaultStream = std::make_shared<Stream>();
  Ctx->DefaultStream->Ctx = Ctx;
  Ctx->DefaultStream->Id = nextId();
  Ctx->DefaultStream->IsDefault = true;
  Ctx->Handle = Handles.insert<CUcontext>(Ctx);
  std::lock_guard<std::mutex> Guard(MapLock);
  for (auto &[Base, Range] : Memory)
    if (mustSee(*Ctx, Range))
      Ctx->Engine->announceHost(reinterpret_cast<void *>(Base), Range.Bytes);
  Contexts[Ctx->Id] = Ctx;
  return Ctx;
}

void Driver::destroyContext(Context &Ctx) {
  std::shared_ptr<Context> Keep = Ctx.shared_from_this();
  if (Ctx.Destroyed.exchange(true))
    return;
  Handles.erase<Context>(Ctx.Handle);
  std::vector<uint64_t> Bases;
  {
    std::lock_guard<std::mutex> Guard(MapLock);
    Contexts.erase(Ctx.Id);
    for (auto &[Base, Range] : Memory)
      if (Range.Ctx == Keep)
        Bases.push_back(Base);
  }
  for (uint64_t Base : Bases)
    removeMemory(Base);
  std::lock_guard<std::mutex> Guard(Ctx.Lock);
  for (CUmodule M : Ctx.Modules)
    if (std::shared_ptr<Module> Gone = Handles.erase<Module>(M))
      for (auto &[Name, F] : Gone->Functions)
        Handles.erase<Function>(F);
  for (CUstream S : Ctx.StreamHandles)
    Handles.erase<Stream>(S);
  for (CUevent E : Ctx.Events)
    Handles.erase<Event>(E);
  // The context and its streams refer to each other.
  Ctx.DefaultStream.reset();
  Ctx.PerThreadStreams.clear();
}

std::vector<std::shared_ptr<Context>> Driver::contexts() {
  std::lock_guard<std::mutex> Guard(MapLock);
  std::vector<std::shared_ptr<Context>> All;
  for (auto &[Id, Ctx] : Contexts)
    All.push_back(Ctx);
  return All;
}

bool Driver::mustSee(const Context &Viewer, const MemoryRange &Range) const {
  if (Range.Ctx.get() == &Viewer)
    return false;
  switch (Range.Kind) {
  case gpu::MemoryKind::Host:
  case gpu::MemoryKind::HostRegistered:
  case gpu::MemoryKind::Managed:
    return true;
  default:
    return Viewer.Peers.count(Range.Ctx->Id);
  }
}

uint64_t Driver::addMemory(MemoryRange Range) {
  Range.Id = nextId();
  std::lock_guard<std::mutex> Guard(MapLock);
  for (auto &[Id, Ctx] : Contexts)
    if (mustSee(*Ctx, Range))
      Ctx->Engine->announceHost(reinterpret_cast<void *>(Range.Base),
                                Range.Bytes);
  uint64_t Id = Range.Id;
  Memory[Range.Base] = std::move(Range);
  return Id;
}

std::optional<MemoryRange> Driver::findMemory(uint64_t Address,
                                              uint64_t Bytes) {
  std::lock_guard<std::mutex> Guard(MapLock);
  auto It = Memory.upper_bound(Address);
  if (It == Memory.begin())
    return std::nullopt;
  --It;
  if (!It->second.contains(Address, Bytes))
    return std::nullopt;
  return It->second;
}

MemoryUse::~MemoryUse() {
  if (Count)
    Driver::get().endUse(*Count);
}

MemoryUse Driver::useMemory(uint64_t Address, uint64_t Bytes) {
  MemoryUse Use;
  std::lock_guard<std::mutex> Guard(MapLock);
  auto It = Memory.upper_bound(Address);
  if (It != Memory.begin() && (--It)->second.contains(Address, Bytes)) {
    Use.Count = It->second.Uses;
    ++*Use.Count;
  }
  return Use;
}

void Driver::endUse(unsigned &Count) {
  std::lock_guard<std::mutex> Guard(MapLock);
  if (!--Count)
    Idle.notify_all();
}

std::optional<MemoryRange> Driver::removeMemory(uint64_t Base) {
  MemoryRange Range;
  std::vector<std::shared_ptr<Context>> Viewers;
  {
    std::unique_lock<std::mutex> Guard(MapLock);
    auto It = Memory.find(Base);
    if (It == Memory.end())
      return std::nullopt;
    Range = std::move(It->second);
    Memory.erase(It);
    // Nobody finds it any more.
    Idle.wait(Guard, [&] { return *Range.Uses == 0; });
    for (auto &[Id, Ctx] : Contexts)
      if (mustSee(*Ctx, Range))
        Viewers.push_back(Ctx);
  }
  // Their launches may use it, and end first. Others need the map meanwhile.
  for (const std::shared_ptr<Context> &Ctx : Viewers)
    Ctx->Engine->unregisterHost(reinterpret_cast<void *>(Base));
  return Range;
}

bool Driver::updateMemory(uint64_t Address,
                          const std::function<void(MemoryRange &)> &Change) {
  std::lock_guard<std::mutex> Guard(MapLock);
  auto It = Memory.upper_bound(Address);
  if (It == Memory.begin() || !(--It)->second.contains(Address, 1))
    return false;
  Change(It->second);
  return true;
}

void Driver::setPeerAccess(Context &Viewer, Context &Owner, bool Enable) {
  std::vector<void *> Gone;
  {
    std::lock_guard<std::mutex> Guard(MapLock);
    for (auto &[Base, Range] : Memory) {
      if (Range.Ctx.get() != &Owner || Range.Kind != gpu::MemoryKind::Device)
        continue;
      void *Start = reinterpret_cast<void *>(Base);
      if (Enable)
        Viewer.Engine->announceHost(Start, Range.Bytes);
      else
        Gone.push_back(Start);
    }
    if (Enable)
      Viewer.Peers.insert(Owner.Id);
    else
      Viewer.Peers.erase(Owner.Id);
  }
  for (void *Start : Gone)
    Viewer.Engine->unregisterHost(Start);
}

bool Driver::isInArena(uint64_t Address) {
  if (gpu::GlobalMemory::isReserved(Address))
    return true;
  std::lock_guard<std::mutex> Guard(MapLock);
  for (auto &[Id, Ctx] : Contexts)
    if (Ctx->Engine->isInArena(Address))
      return true;
  return false;
}

uint64_t Driver::usedBytes(int Ordinal) {
  uint64_t Used = 0;
  for (const std::shared_ptr<Context> &Ctx : contexts())
    if (Ctx->Owner.Ordinal == Ordinal)
      Used += Ctx->Engine->usedBytes();
  return Used;
}

std::vector<std::shared_ptr<Context>> &gevo::driver::contextStack() {
  // Programs call us from destructors that run after those of the thread: then
  // there is a new, empty stack, which stays.
  using Contexts = std::vector<std::shared_ptr<Context>>;
  static thread_local Contexts *Stack = nullptr;
  struct Owner {
    ~Owner() {
      delete Stack;
      Stack = nullptr;
    }
    bool Used = false;
  };
  static thread_local Owner Last;
  if (!Stack) {
    Stack = new Contexts;
    Last.Used = true;
  }
  return *Stack;
}

CUresult gevo::driver::checkInitialised() {
  return Driver::get().isInitialised() ? CUDA_SUCCESS
                                       : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult gevo::driver::currentContext(std::shared_ptr<Context> &Ctx,
                                      bool AllowFault) {
  if (CUresult R = checkInitialised())
    return R;
  auto &Stack = contextStack();
  if (Stack.empty() || !Stack.back())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (Stack.back()->Destroyed)
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  Ctx = Stack.back();
  return AllowFault ? CUDA_SUCCESS : Ctx->Sticky.load();
}
