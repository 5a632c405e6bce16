//===- Objects.h - What the driver's handles name ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts, modules, streams and the rest. A context owns an engine of its
// own, so contexts run side by side and a fault in one leaves the others as
// they are. Work is done when it is submitted, on the submitting thread, which
// holds the stream's order meanwhile; what is left of a stream is its place on
// the model's clock, and, while it is being captured, the graph that takes its
// work.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_OBJECTS_H
#define GEVO_RUNTIME_GPU_DRIVER_OBJECTS_H

#include "runtime/gpu/driver/DeviceProperties.h"
#include "runtime/gpu/driver/GevoGpu.h"
#include "runtime/gpu/driver/Handle.h"
#include "runtime/gpu/driver/cuda_abi_streams.h"
#include "runtime/gpu/exec/Touch.h"
#include "runtime/gpu/timing/TimedLaunch.h"

#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace gevo::driver {

using namespace gevo::cuda;

struct Context;
struct Event;
struct Graph;
struct Stream;

/// How launches are run and checked.
struct LaunchSettings {
  gpu::CheckSet Checks = gpu::CheckSet::all();
  bool Timing = true; ///< Model the time of launches.
  gpu::timing::CostChoice Costs = gpu::timing::CostChoice::Auto;
  uint64_t StepLimit = 0;  ///< Warp instructions; 0 means no limit.
  uint64_t CycleLimit = 0; ///< On the model's clock; 0 means no limit.
  bool KeepLines = false;  ///< Keep what the lines of the PTX cost.
  /// A launch with an error that hardware has no name for, such as a race,
  /// fails; otherwise it is reported and the program goes on.
  bool FailOnFinding = true;
  /// Where findings go: "stderr", "none", or a file that gets a line of JSON
  /// for each.
  std::string FindingsTo = "stderr";
};

/// What one piece of work tells the stream that ran it.
struct WorkReport {
  double Microseconds = 0;      ///< On the model's clock.
  double NotBefore = 0;         ///< It could not start earlier.
  std::shared_ptr<Event> Stamp; ///< Gets the time at which it ended.
};

/// One piece of work of a stream: done at once, or kept in a graph. It must
/// own all that it needs.
struct Work {
  CUgraphNodeType Type = CU_GRAPH_NODE_TYPE_EMPTY;
  std::function<CUresult(Stream &, WorkReport &)> Run;
  /// What a graph's node tells of itself: a LaunchPlan, a BoxSet or
  /// CUDA_HOST_NODE_PARAMS, by type; null for the others.
  std::shared_ptr<const void> Details = nullptr;
};

/// A device as cuDeviceGet names it.
struct Gpu {
  int Ordinal = 0;
  DeviceProperties Properties;
  unsigned PrimaryFlags = 0;
  unsigned PrimaryCount = 0; ///< Retains less releases.
  CUcontext Primary = nullptr;
  CUmemoryPool DefaultPool = nullptr;
  CUmemoryPool CurrentPool = nullptr;
};

struct Context : Object, std::enable_shared_from_this<Context> {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Context;

  Context(Gpu &Owner, unsigned Flags);

  Gpu &Owner;
  CUcontext Handle = nullptr;
  uint64_t Id = 0;
  bool IsPrimary = false;
  std::atomic<unsigned> Flags;
  std::atomic<unsigned> Attached{1}; ///< Uses counted by cuCtxAttach.
  std::unique_ptr<gpu::Device> Engine;
  std::mutex ClockLock; ///< One launch at a time; taken before the engine's.
  gpu::timing::Clock Clock;

  /// After a kernel fault every use of the context fails with that result.
  std::atomic<CUresult> Sticky{CUDA_SUCCESS};
  std::atomic<bool> Destroyed{false};

  /// The default stream's work has it alone; that of streams which wait for
  /// the default stream shares it. Taken before any stream's Order.
  std::shared_mutex DefaultOrder;

  std::mutex Lock; ///< For what follows.
  LaunchSettings Settings;
  /// Since they were last cleared, each place once with the count of all
  /// launches; and where the one with a key (see findingKey) is.
  std::vector<gpu::Finding> Findings;
  std::map<std::string, size_t> FindingIndex;
  std::set<std::string> Printed; ///< Findings that were printed once.
  std::string LastKernel;
  gpu::LaunchCounters LastCounters;
  double LastMicroseconds = 0;
  uint64_t LastCycles = 0;
  bool LastFromSass = false; ///< They are those of machine code.
  std::string LastWhyRules;  ///< Why not, if that was wanted.
  gpu::FailureCause LastRulesCause = gpu::FailureCause::Input;
  std::vector<GevoGpuLine> LastLines; ///< If settings say so.
  gpu::VariableBindings Bindings;     ///< Of modules that are loaded next.
  std::shared_ptr<gpu::TouchRecord> Writes; ///< Null: not watched.
  std::shared_ptr<gpu::HeapRecord> Heap;    ///< Null: not watched.
  std::shared_ptr<std::string> Kept;        ///< Of printf; null: not kept.
  std::map<CUlimit, size_t> Limits;
  CUfunc_cache Cache = CU_FUNC_CACHE_PREFER_NONE;
  CUsharedconfig SharedConfig = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
  std::set<uint64_t> Peers; ///< Ids of contexts whose memory it may access.
  std::shared_ptr<Stream> DefaultStream;
  /// What CU_STREAM_PER_THREAD names, made when a thread first uses it.
  std::map<std::thread::id, std::shared_ptr<Stream>> PerThreadStreams;
  /// Streams made by the program, in order of creation, for the rule that the
  /// default stream waits for them and they for it.
  std::vector<std::weak_ptr<Stream>> Streams;
  /// Handles that end with the context.
  std::set<CUmodule> Modules;
  std::set<CUstream> StreamHandles;
  std::set<CUevent> Events;
};

struct Stream : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Stream;

  std::shared_ptr<Context> Ctx;
  CUstream Handle = nullptr;
  uint64_t Id = 0;
  unsigned Flags = 0;
  int Priority = 0;
  bool IsDefault = false;
  std::mutex Order;   ///< Held while a piece of its work runs.
  double ReadyAt = 0; ///< When its work ends, in microseconds of the model.
  /// The graph that its work goes to instead of being done, and the nodes that
  /// its next one depends on. Null unless it is captured. The driver's
  /// CaptureLock guards these.
  std::shared_ptr<Graph> Capture;
  bool IsCaptureOrigin = false;
  std::vector<CUgraphNode> CaptureAfter;
  uint64_t CaptureId = 0;
};

struct Event : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Event;

  std::shared_ptr<Context> Ctx;
  unsigned Flags = 0;
  std::atomic<bool> Recorded{false};
  std::atomic<double> At{0}; ///< On the model's clock.
  /// When it was last recorded in a stream under capture. The driver's
  /// CaptureLock guards these.
  std::shared_ptr<Graph> Capture;
  std::vector<CUgraphNode> CaptureAfter;
};

struct Module : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Module;
  ~Module() override;

  std::shared_ptr<Context> Ctx;
  std::vector<std::string> Texts; ///< The PTX it was made of.
  std::unique_ptr<gpu::LoadedModule> Loaded;
  std::mutex Lock;
  std::map<std::string, CUfunction> Functions;
};

/// What a program can set on a function or on a library's kernel.
struct FunctionSettings {
  int MaxDynamicShared = -1; ///< -1: what is left without opt-in.
  int Carveout = -1;
  CUfunc_cache Cache = CU_FUNC_CACHE_PREFER_NONE;
};

/// What the assembler makes of a function.
struct MachineCode {
  std::optional<gpu::timing::SassModule> Code; ///< Until costs are made of it.
  std::string Why;                             ///< There is no code.
  gpu::FailureCause Cause = gpu::FailureCause::Input;
  uint32_t Registers = 0; ///< Of a thread; 0: not known.
};

struct Function : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Function;

  std::shared_ptr<Module> Owner;
  CUmodule OwnerHandle = nullptr;
  CUfunction Handle = nullptr;
  const gpu::Kernel *Code = nullptr;
  /// What its instructions cost by rules about PTX and, where it can be had, by
  /// machine code, each once a launch was timed by it. The context's ClockLock
  /// guards them.
  std::optional<gpu::timing::CostProgram> RuleCosts, CodeCosts;
  /// What the assembler made of it, once that was asked for. A lock of its own:
  /// launches, which hold the ClockLock, may wait for the program.
  std::mutex MachineLock;
  std::optional<MachineCode> Machine;
  std::mutex Lock;
  FunctionSettings Settings;
};

/// Code that belongs to no context: each context that uses it gets a module.
struct Library : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Library;

  std::vector<std::string> Texts;
  std::mutex Lock;
  std::map<uint64_t, CUmodule> Modules; ///< By context id.
  std::map<std::string, CUkernel> Kernels;
};

struct LibraryKernel : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Kernel;

  std::shared_ptr<Library> Owner;
  CUlibrary OwnerHandle = nullptr;
  std::string Name;
};

struct Pool : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Pool;

  int Ordinal = 0;
  std::mutex Lock;
  uint64_t Used = 0, UsedHigh = 0;
  uint64_t ReleaseThreshold = 0;
  std::map<int, int> Switches; ///< The reuse attributes, kept as set.
  std::map<int, CUmemAccess_flags> Access;
};

/// PTX texts that cuLinkComplete makes one image of.
struct LinkState : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::LinkState;

  std::vector<std::string> Texts;
  std::string Image; ///< Lives until the state is destroyed.
  /// The options of cuLinkCreate. Their values, where logs go, are the
  /// program's and live as long as the state.
  std::vector<CUjit_option> Options;
  void **Values = nullptr;
};

struct GraphNode : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::GraphNode;

  std::weak_ptr<Graph> Owner;
  CUgraphNode Handle = nullptr;
  std::vector<CUgraphNode> Dependencies;
  Work Task;
  CUgraphNode ClonedFrom = nullptr;
};

/// Nodes in the order in which they were added.
struct Graph : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::Graph;

  CUgraph Handle = nullptr;
  std::mutex Lock;
  std::vector<std::shared_ptr<GraphNode>> Nodes;
  /// Streams whose work it takes, while it is made by capture, and whether a
  /// call that captures do not allow has spoilt it; guarded by the driver's
  /// CaptureLock.
  std::vector<std::weak_ptr<Stream>> Capturing;
  bool Invalidated = false;
};

struct GraphExec : Object {
  static constexpr ObjectKind ObjectKindOf = ObjectKind::GraphExec;

  uint64_t Flags = 0;
  std::mutex Lock;
  /// Work in an order in which it can run, and the nodes that it came from.
  std::vector<Work> Tasks;
  std::vector<CUgraphNode> Nodes;
};

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_OBJECTS_H
