//===- Events.cpp - Events of the runtime ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

using namespace gevo;
using namespace gevo::cudart;

namespace gevo::cudart {

cudaError_t cudaEventCreate(cudaEvent_t *Event) {
  return cudaEventCreateWithFlags(Event, 0);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *Event, unsigned Flags) {
  return call(
      [&](const DriverTable &D) { return D.cuEventCreate(Event, Flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t Event) {
  return call([&](const DriverTable &D) { return D.cuEventDestroy_v2(Event); });
}

cudaError_t cudaEventQuery(cudaEvent_t Event) {
  return call([&](const DriverTable &D) { return D.cuEventQuery(Event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t Event) {
  return call(
      [&](const DriverTable &D) { return D.cuEventSynchronize(Event); });
}

cudaError_t cudaEventElapsedTime(float *Milliseconds, cudaEvent_t From,
                                 cudaEvent_t To) {
  return call([&](const DriverTable &D) {
    return D.cuEventElapsedTime(Milliseconds, From, To);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t Event, cudaStream_t Stream) {
  return call(
      [&](const DriverTable &D) { return D.cuEventRecord(Event, Stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t Event, cudaStream_t Stream,
                                     unsigned Flags) {
  return call([&](const DriverTable &D) {
    return D.cuEventRecordWithFlags(Event, Stream, Flags);
  });
}

} // namespace gevo::cudart
