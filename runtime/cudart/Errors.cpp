//===- Errors.cpp - Errors of the runtime ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

#include <utility>

using namespace gevo;
using namespace gevo::cudart;

namespace {

struct ErrorRow {
  cudaError_t Value;
  const char *Name, *Text;
};

const ErrorRow ErrorRows[] = {
#define CUDART_ERROR(Name, Value, Text) {Name, #Name, Text},
#include "runtime/cudart/Errors.def"
};

const ErrorRow *findError(cudaError_t Value) {
  for (const ErrorRow &Row : ErrorRows)
    if (Row.Value == Value)
      return &Row;
  return nullptr;
}

} // namespace

namespace gevo::cudart {

cudaError_t cudaGetLastError() {
  // A fault of a context comes back with the next call, as the driver keeps it.
  return std::exchange(lastError(), cudaSuccess);
}

cudaError_t cudaPeekAtLastError() { return lastError(); }

const char *cudaGetErrorName(cudaError_t Error) {
  const ErrorRow *Row = findError(Error);
  return Row ? Row->Name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t Error) {
  const ErrorRow *Row = findError(Error);
  return Row ? Row->Text : "unrecognized error code";
}

} // namespace gevo::cudart
