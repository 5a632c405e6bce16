//===- Devices.cpp - Devices of the runtime -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

#include <algorithm>
#include <cstring>

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// \p Body with a device ordinal that exists.
template <typename Fn> cudaError_t withDevice(int Ordinal, Fn &&Body) {
  return callWithoutContext([&](const DriverTable &D) {
    CUdevice Device;
    if (D.cuDeviceGet(&Device, Ordinal))
      return cudaErrorInvalidDevice;
    return toRuntime(Body(D, Device));
  });
}

/// Reads properties by the number of their attribute.
struct AttributeReader {
  const DriverTable &D;
  CUdevice Device;
  int operator()(int Number) const {
    int Value = 0;
    D.cuDeviceGetAttribute(&Value, CUdevice_attribute(Number), Device);
    return Value;
  }
};

/// What no attribute tells.
template <typename Prop> void fillRaw(const AttributeReader &Read, Prop &P) {
  Read.D.cuDeviceGetName(P.name, sizeof(P.name), Read.Device);
  CUuuid Id;
  if (!Read.D.cuDeviceGetUuid(&Id, Read.Device))
    std::memcpy(P.uuid, Id.bytes, sizeof(P.uuid));
  Read.D.cuDeviceTotalMem_v2(P.totalGlobalMem, Read.Device);
}

template <size_t Count>
void fillArray(const AttributeReader &Read, int (&Into)[Count],
               std::initializer_list<int> Numbers) {
  std::transform(Numbers.begin(), Numbers.end(), Into, Read);
}

#if GEVO_CUDART_MAJOR <= 12
void fill(const AttributeReader &Read, cudaDeviceProp11 &P) {
  fillRaw(Read, P);
#define DEVICE_PROP(Era, Type, Name, Attribute)                                \
  CUDART_ERA_##Era##_11(P.Name = Type(Read(Attribute));)
#define DEVICE_PROPS(Era, Name, Count, ...)                                    \
  CUDART_ERA_##Era##_11(fillArray(Read, P.Name, {__VA_ARGS__});)
#include "runtime/cudart/DeviceProp.def"
}
#endif

#if GEVO_CUDART_MAJOR == 12
void fill(const AttributeReader &Read, cudaDeviceProp12 &P) {
  fillRaw(Read, P);
#define DEVICE_PROP(Era, Type, Name, Attribute)                                \
  CUDART_ERA_##Era##_12(P.Name = Type(Read(Attribute));)
#define DEVICE_PROPS(Era, Name, Count, ...)                                    \
  CUDART_ERA_##Era##_12(fillArray(Read, P.Name, {__VA_ARGS__});)
#include "runtime/cudart/DeviceProp.def"
}
#endif

#if GEVO_CUDART_MAJOR == 13
void fill(const AttributeReader &Read, cudaDeviceProp13 &P) {
  fillRaw(Read, P);
#define DEVICE_PROP(Era, Type, Name, Attribute)                                \
  CUDART_ERA_##Era##_13(P.Name = Type(Read(Attribute));)
#define DEVICE_PROPS(Era, Name, Count, ...)                                    \
  CUDART_ERA_##Era##_13(fillArray(Read, P.Name, {__VA_ARGS__});)
#include "runtime/cudart/DeviceProp.def"
}
#endif

template <typename Prop> cudaError_t properties(Prop *P, int Ordinal) {
  if (!P)
    return keepError(cudaErrorInvalidValue);
  return withDevice(Ordinal, [&](const DriverTable &D, CUdevice Device) {
    std::memset(P, 0, sizeof(*P));
    fill({D, Device}, *P);
    return cudaSuccess;
  });
}

} // namespace

namespace gevo::cudart {

#if GEVO_CUDART_MAJOR <= 12
cudaError_t cudaGetDeviceProperties(cudaDeviceProp11 *P, int Ordinal) {
  return properties(P, Ordinal);
}
#else
cudaError_t cudaGetDeviceProperties(cudaDeviceProp13 *P, int Ordinal) {
  return properties(P, Ordinal);
}
#endif
#if GEVO_CUDART_MAJOR == 12
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp12 *P, int Ordinal) {
  return properties(P, Ordinal);
}
#endif

cudaError_t cudaDriverGetVersion(int *Version) {
  return callWithoutContext(
      [&](const DriverTable &D) { return D.cuDriverGetVersion(Version); });
}

cudaError_t cudaRuntimeGetVersion(int *Version) {
  if (!Version)
    return keepError(cudaErrorInvalidValue);
  *Version = GEVO_CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *Count) {
  if (!Count)
    return keepError(cudaErrorInvalidValue);
  *Count = 0;
  return callWithoutContext([&](const DriverTable &D) {
    if (CUresult R = D.cuDeviceGetCount(Count))
      return toRuntime(R);
    return *Count ? cudaSuccess : cudaErrorNoDevice;
  });
}

cudaError_t cudaDeviceGetAttribute(int *Value, CUdevice_attribute Attribute,
                                   int Ordinal) {
  return withDevice(Ordinal, [&](const DriverTable &D, CUdevice Device) {
    return D.cuDeviceGetAttribute(Value, Attribute, Device);
  });
}

cudaError_t cudaChooseDevice(int *Ordinal, const void *Wanted) {
  if (!Ordinal || !Wanted)
    return keepError(cudaErrorInvalidValue);
  *Ordinal = 0;
  int Count;
  return cudaGetDeviceCount(&Count);
}

cudaError_t cudaSetDevice(int Ordinal) {
  return withDevice(Ordinal, [&](const DriverTable &D, CUdevice) {
    CUcontext Ctx;
    currentDevice() = Ordinal;
    if (cudaError_t E = primaryContext(D, Ordinal, Ctx))
      return E;
    return toRuntime(D.cuCtxSetCurrent(Ctx));
  });
}

cudaError_t cudaGetDevice(int *Ordinal) {
  if (!Ordinal)
    return keepError(cudaErrorInvalidValue);
  return callWithoutContext([&](const DriverTable &D) {
    // A program that mixes both APIs has made the context current itself.
    CUdevice Device;
    *Ordinal = D.cuCtxGetDevice(&Device) ? currentDevice() : Device;
    return cudaSuccess;
  });
}

#if GEVO_CUDART_MAJOR >= 12
cudaError_t cudaInitDevice(int Ordinal, unsigned, unsigned) {
  return withDevice(Ordinal, [&](const DriverTable &D, CUdevice) {
    CUcontext Ctx;
    return primaryContext(D, Ordinal, Ctx);
  });
}
#endif

cudaError_t cudaSetValidDevices(int *Ordinals, int Count) {
  // All devices are as good; the first of the list becomes the default.
  if (!Ordinals || Count <= 0)
    return keepError(cudaErrorInvalidValue);
  return withDevice(Ordinals[0], [&](const DriverTable &, CUdevice) {
    currentDevice() = Ordinals[0];
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned Flags) {
  return withDevice(currentDevice(),
                    [&](const DriverTable &D, CUdevice Device) {
                      return D.cuDevicePrimaryCtxSetFlags_v2(Device, Flags);
                    });
}

cudaError_t cudaGetDeviceFlags(unsigned *Flags) {
  return withDevice(
      currentDevice(), [&](const DriverTable &D, CUdevice Device) {
        int IsActive;
        return D.cuDevicePrimaryCtxGetState(Device, Flags, &IsActive);
      });
}

cudaError_t cudaDeviceReset() {
  return callWithoutContext([&](const DriverTable &D) {
    CUdevice Device = currentDevice();
    if (D.cuCtxGetDevice(&Device))
      Device = currentDevice();
    CUresult R = D.cuDevicePrimaryCtxReset_v2(Device);
    forgetContext(Device);
    D.cuCtxSetCurrent(nullptr);
    return R;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([](const DriverTable &D) { return D.cuCtxSynchronize(); });
}

cudaError_t cudaDeviceSetLimit(CUlimit Limit, size_t Value) {
  return call(
      [&](const DriverTable &D) { return D.cuCtxSetLimit(Limit, Value); });
}

cudaError_t cudaDeviceGetLimit(size_t *Value, CUlimit Limit) {
  return call(
      [&](const DriverTable &D) { return D.cuCtxGetLimit(Value, Limit); });
}

cudaError_t cudaDeviceSetCacheConfig(CUfunc_cache Config) {
  return call(
      [&](const DriverTable &D) { return D.cuCtxSetCacheConfig(Config); });
}

cudaError_t cudaDeviceGetCacheConfig(CUfunc_cache *Config) {
  return call(
      [&](const DriverTable &D) { return D.cuCtxGetCacheConfig(Config); });
}

cudaError_t cudaDeviceSetSharedMemConfig(CUsharedconfig Config) {
  return call(
      [&](const DriverTable &D) { return D.cuCtxSetSharedMemConfig(Config); });
}

cudaError_t cudaDeviceGetSharedMemConfig(CUsharedconfig *Config) {
  return call(
      [&](const DriverTable &D) { return D.cuCtxGetSharedMemConfig(Config); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  return call([&](const DriverTable &D) {
    return D.cuCtxGetStreamPriorityRange(Least, Greatest);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *Ordinal, const char *Id) {
  return callWithoutContext([&](const DriverTable &D) {
    return D.cuDeviceGetByPCIBusId(Ordinal, Id);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *Id, int Size, int Ordinal) {
  return withDevice(Ordinal, [&](const DriverTable &D, CUdevice Device) {
    return D.cuDeviceGetPCIBusId(Id, Size, Device);
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int *Value,
                                      CUdevice_P2PAttribute Attribute, int From,
                                      int To) {
  return callWithoutContext([&](const DriverTable &D) {
    return D.cuDeviceGetP2PAttribute(Value, Attribute, From, To);
  });
}

cudaError_t cudaDeviceCanAccessPeer(int *Can, int Ordinal, int Peer) {
  return callWithoutContext([&](const DriverTable &D) {
    return D.cuDeviceCanAccessPeer(Can, Ordinal, Peer);
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  return call([&](const DriverTable &D) {
    CUcontext Ctx;
    if (cudaError_t E = primaryContext(D, Peer, Ctx))
      return E;
    return toRuntime(D.cuCtxEnablePeerAccess(Ctx, Flags));
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int Peer) {
  return call([&](const DriverTable &D) {
    CUcontext Ctx;
    if (cudaError_t E = primaryContext(D, Peer, Ctx))
      return E;
    return toRuntime(D.cuCtxDisablePeerAccess(Ctx));
  });
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(int Target, int Scope) {
  return call([&](const DriverTable &D) {
    return D.cuFlushGPUDirectRDMAWrites(Target, Scope);
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return call(
      [](const DriverTable &D) { return D.cuCtxResetPersistingL2Cache(); });
}

} // namespace gevo::cudart
