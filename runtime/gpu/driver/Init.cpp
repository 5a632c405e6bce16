//===- Init.cpp - The driver itself ---------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/ApiTable.h"
#include "runtime/gpu/driver/Driver.h"

using namespace gevo;
using namespace gevo::driver;

namespace {

/// The API we show is that of CUDA 13.0, which programs of CUDA 11 and 12
/// accept too.
constexpr int DriverVersion = 13000;

struct ErrorRow {
  CUresult Value;
  const char *Name, *Text;
};

const ErrorRow ErrorRows[] = {
#define CU_ERROR(Name, Value, Text) {Name, #Name, Text},
#include "runtime/gpu/driver/Errors.def"
};

const ErrorRow *findError(CUresult Value) {
  for (const ErrorRow &Row : ErrorRows)
    if (Row.Value == Value)
      return &Row;
  return nullptr;
}

} // namespace

namespace gevo::cuda {

CUresult cuInit(unsigned Flags) {
  if (Flags)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([] { return Driver::get().initialise(); });
}

CUresult cuDriverGetVersion(int *Version) {
  if (!Version)
    return CUDA_ERROR_INVALID_VALUE;
  *Version = DriverVersion;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult Error, const char **Name) {
  if (!Name)
    return CUDA_ERROR_INVALID_VALUE;
  const ErrorRow *Row = findError(Error);
  *Name = Row ? Row->Name : nullptr;
  return Row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult Error, const char **Text) {
  if (!Text)
    return CUDA_ERROR_INVALID_VALUE;
  const ErrorRow *Row = findError(Error);
  *Text = Row ? Row->Text : nullptr;
  return Row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetProcAddress(const char *Symbol, void **Address, int Version,
                          uint64_t Flags) {
  return cuGetProcAddress_v2(Symbol, Address, Version, Flags, nullptr);
}

CUresult cuGetProcAddress_v2(const char *Symbol, void **Address, int Version,
                             uint64_t Flags,
                             CUdriverProcAddressQueryResult *Status) {
  if (!Symbol || !Address ||
      Flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
    return CUDA_ERROR_INVALID_VALUE;
  bool TooNew = false;
  void *Found = nullptr;
  if (Flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
    Found = findApi(Symbol, Version, StreamMode::PerThread, TooNew);
  if (!Found)
    Found = findApi(Symbol, Version, StreamMode::Legacy, TooNew);
  if (Status)
    *Status = Found    ? CU_GET_PROC_ADDRESS_SUCCESS
              : TooNew ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                       : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  *Address = Found;
  // With a place for the status, not to find a symbol is no error.
  return Found || Status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetExportTable(const void **Table, const CUuuid *Id) {
  if (!Table || !Id)
    return CUDA_ERROR_INVALID_VALUE;
  // These tables are private to NVIDIA's own libraries.
  *Table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *Mode) {
  if (!Mode)
    return CUDA_ERROR_INVALID_VALUE;
  *Mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuProfilerInitialize(const char *, const char *, CUoutput_mode) {
  return CUDA_ERROR_PROFILER_DISABLED;
}

CUresult cuProfilerStart() {
  std::shared_ptr<Context> Ctx;
  return currentContext(Ctx);
}

CUresult cuProfilerStop() {
  std::shared_ptr<Context> Ctx;
  return currentContext(Ctx);
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget,
                                    CUflushGPUDirectRDMAWritesScope) {
  std::shared_ptr<Context> Ctx;
  return currentContext(Ctx);
}

} // namespace gevo::cuda
