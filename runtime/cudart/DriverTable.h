//===- DriverTable.h - The driver library under the runtime -----*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime calls the driver through addresses that it looks up in the
// library that GEVO_DRIVER names: the embedded GPU unless it says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_DRIVERTABLE_H
#define GEVO_RUNTIME_CUDART_DRIVERTABLE_H

#include "runtime/gpu/driver/cuda_abi_streams.h"

#include <string>

namespace gevo::cudart {

using namespace gevo::cuda;

/// The functions of the CUDA driver API, under their names.
struct DriverTable {
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params) CUresult(*Symbol) Params;
#include "runtime/gpu/driver/Api.def"

  /// Of the embedded GPU alone: keeps a line for the report of gevo-run
  /// (GevoGpu.h). Null in another driver.
  int (*gevoGpuNote)(const char *Kind, const char *Text);
};

/// Opens the driver library. On failure returns null and says why in
/// \p Error. What an older driver lacks is an entry that returns
/// CUDA_ERROR_NOT_SUPPORTED.
const DriverTable *openDriver(std::string &Error);

} // namespace gevo::cudart

#endif // GEVO_RUNTIME_CUDART_DRIVERTABLE_H
