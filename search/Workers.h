//===- Workers.h - Who does the work ----------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages to workers and their replies. A worker is a process: a variant on
// which the compiler or the device crashes, hangs or eats all memory costs that
// worker one message, and another takes its place.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_WORKERS_H
#define GEVO_SEARCH_WORKERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gevo {

/// Does what a message asks, and answers it.
using Service = std::function<std::string(llvm::StringRef)>;

class Workers {
public:
  virtual ~Workers();

  virtual unsigned count() const = 0;
  /// A worker that has answered all it was sent may be sent the next message.
  /// Death is told by the reply.
  virtual void send(unsigned Worker, llvm::StringRef Message) = 0;

  enum class Cause {
    Itself, ///< It crashed or ended.
    Memory, ///< It could get no more, or took more than it may.
    Killed, ///< Like the one before it: by somebody, or for want of memory.
    Late    ///< It gave no answer in time.
  };
  struct Reply {
    unsigned Worker = 0;
    /// Nothing: the worker died of the message.
    std::optional<std::string> Text;
    /// Why it died, in words; of a worker of another machine only they tell.
    std::string Death;
    Cause DiedOf = Cause::Itself;
  };
  /// The next reply, or nothing if there is none in so many milliseconds; -1:
  /// waits for one. Something must be under way.
  virtual llvm::Expected<std::optional<Reply>> waitFor(int Milliseconds) = 0;
  llvm::Expected<Reply> wait();

  /// Processor time that those of this machine, and what they started, took so
  /// far.
  virtual double processorSeconds() const { return 0; }
};

struct WorkerLimits {
  unsigned Count = 1;
  /// Memory that a worker may take beyond what it starts with; 0: any.
  uint64_t MemoryBytes = uint64_t(4) << 30;
  /// For one message; 0: any.
  unsigned Seconds = 60;
};

/// Processes of this machine. \p Start makes the service and runs in the worker
/// itself, with all that this process has in memory now.
llvm::Expected<std::unique_ptr<Workers>>
forkWorkers(const WorkerLimits &Limits, std::function<Service()> Start);

} // namespace gevo

#endif // GEVO_SEARCH_WORKERS_H
