//===- Handle.h - Handles that cannot dangle --------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver API hands out as pointers (CUcontext, CUstream, ...) are no
// pointers here but names: kind, generation and index into one table. A name
// that was never given, is of another kind, or whose object is gone, is told
// apart from a live one, so that a wrong handle is an error and never a crash.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_HANDLE_H
#define GEVO_RUNTIME_GPU_DRIVER_HANDLE_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gevo::driver {

/// What a handle names.
enum class ObjectKind : uint8_t {
  Context = 1,
  Module,
  Function,
  Library,
  Kernel,
  Stream,
  Event,
  Pool,
  LinkState,
  Graph,
  GraphNode,
  GraphExec
};

/// Base of everything that has a handle. A derived class T defines
/// \c T::ObjectKindOf.
class Object {
public:
  virtual ~Object() = default;
};

/// The table of live objects. Thread-safe.
class HandleTable {
public:
  /// Gives \p O a handle of type \p H.
  template <typename H, typename T> H insert(std::shared_ptr<T> O) {
    return reinterpret_cast<H>(add(T::ObjectKindOf, std::move(O)));
  }
  /// The object that \p Handle names, or null.
  template <typename T, typename H> std::shared_ptr<T> find(H Handle) const {
    return std::static_pointer_cast<T>(
        get(T::ObjectKindOf, reinterpret_cast<uintptr_t>(Handle)));
  }
  /// Forgets \p Handle and returns what it named, or null.
  template <typename T, typename H> std::shared_ptr<T> erase(H Handle) {
    return std::static_pointer_cast<T>(
        remove(T::ObjectKindOf, reinterpret_cast<uintptr_t>(Handle)));
  }
  /// Returns whether \p Handle could name an object of kind \p Kind.
  template <typename H> static bool isKind(H Handle, ObjectKind Kind) {
    return reinterpret_cast<uintptr_t>(Handle) >> KindShift == uint64_t(Kind);
  }

private:
  // Kinds start at one, so no handle looks like null, like the special streams
  // or like an address of the program.
  static constexpr unsigned KindShift = 56;
  static constexpr unsigned GenerationShift = 32;
  static constexpr uint64_t GenerationMask = 0xFFFFFF;

  struct Slot {
    uint32_t Generation = 1;
    ObjectKind Kind = ObjectKind::Context;
    std::shared_ptr<Object> Value;
  };

  uintptr_t add(ObjectKind Kind, std::shared_ptr<Object> Value);
  std::shared_ptr<Object> get(ObjectKind Kind, uintptr_t Handle) const;
  std::shared_ptr<Object> remove(ObjectKind Kind, uintptr_t Handle);
  /// The live slot that \p Handle names, or null. Needs the lock.
  const Slot *slot(ObjectKind Kind, uintptr_t Handle) const;

  mutable std::mutex Lock;
  std::vector<Slot> Slots;
  std::vector<uint32_t> Free;
};

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_HANDLE_H
