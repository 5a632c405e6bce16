//===- Result.h - A value or a diagnostic ------------------------*- C++
//-*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The embedded GPU has no LLVM and throws no exceptions across its interfaces,
// so a call that can fail on bad input returns a Result: either the value or a
// Diagnostic that says what is wrong and, for PTX text, where.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_RESULT_H
#define GEVO_RUNTIME_GPU_PTX_RESULT_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gevo::gpu {

/// What a failure is of.
enum class FailureCause : uint8_t {
  Input,  ///< What was given; it will fail again.
  Tool,   ///< A tool crashed on it or took too long: probably the input's.
  Machine ///< Nothing of the input: a tool was killed or could not be started.
};

/// What is wrong with an input, and where. Line and Column count from 1; both
/// are 0 when the problem has no place in a text.
struct Diagnostic {
  std::string Message;
  unsigned Line = 0;
  unsigned Column = 0;
  FailureCause Cause = FailureCause::Input;

  /// "12:5: message", or the message alone when there is no place.
  std::string str() const {
    if (Line == 0)
      return Message;
    return std::to_string(Line) + ":" + std::to_string(Column) + ": " + Message;
  }
};

/// A value of type T, or the Diagnostic that explains why there is none.
template <typename T> class Result {
public:
  Result(T V) : Value(std::move(V)) {}
  Result(Diagnostic D) : Error(std::move(D)) {}

  explicit operator bool() const { return Value.has_value(); }
  T &operator*() {
    assert(Value && "a failed Result has no value");
    return *Value;
  }
  const T &operator*() const {
    assert(Value && "a failed Result has no value");
    return *Value;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  /// The diagnostic of a failed Result.
  const Diagnostic &error() const {
    assert(!Value && "a Result with a value has no error");
    return Error;
  }

private:
  std::optional<T> Value;
  Diagnostic Error;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_PTX_RESULT_H
