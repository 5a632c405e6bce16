//===- ApiTable.cpp - The functions of the driver by name -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/ApiTable.h"

#include <cstring>

using namespace gevo::driver;

// The functions are declared here without their parameters, as only their
// addresses are wanted.
extern "C" {
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params) void Symbol();
#define CU_ALIAS(Symbol, Base, Since, Mode, Target) void Symbol();
#define CU_LACKING(Symbol, Base, Since, Mode) void Symbol();
#include "runtime/gpu/driver/Api.def"
}

namespace {

struct Entry {
  const char *Base;
  int Since;
  StreamMode Mode;
  void (*Address)();
};

const Entry Entries[] = {
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params)                         \
  {#Base, Since, StreamMode::Mode, Symbol},
#define CU_ALIAS(Symbol, Base, Since, Mode, Target)                            \
  {#Base, Since, StreamMode::Mode, Symbol},
#define CU_LACKING(Symbol, Base, Since, Mode)                                  \
  {#Base, Since, StreamMode::Mode, Symbol},
#include "runtime/gpu/driver/Api.def"
};

} // namespace

void *gevo::driver::findApi(const char *Base, int Version, StreamMode Mode,
                            bool &TooNew) {
  const Entry *Best = nullptr;
  for (const Entry &E : Entries) {
    if (E.Mode != Mode || std::strcmp(E.Base, Base))
      continue;
    if (E.Since > Version)
      TooNew = true;
    else if (!Best || E.Since > Best->Since)
      Best = &E;
  }
  return Best ? reinterpret_cast<void *>(Best->Address) : nullptr;
}
