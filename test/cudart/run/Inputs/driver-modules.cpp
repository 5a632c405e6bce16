// A program of the driver API alone: loads a module by file name, from memory
// or as a library, sets its variable, and launches what it finds in it.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <fstream>
#include <iterator>
#include <string>

int main(int, char **argv) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  if (cuInit(0) || cuDeviceGet(&device, 0) ||
      cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context))
    return 1;
  std::ifstream in(argv[2]);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  CUlibrary library = nullptr;
  CUresult loaded;
  if (!std::strcmp(argv[1], "library")) {
    loaded = cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0,
                               nullptr, nullptr, 0);
    if (!loaded)
      loaded = cuLibraryGetModule(&module, library);
  } else {
    loaded = std::strcmp(argv[1], "file")
                 ? cuModuleLoadData(&module, text.c_str())
                 : cuModuleLoad(&module, argv[2]);
  }
  if (loaded) {
    std::printf("not loaded: %d\n", loaded);
    return 1;
  }
  CUdeviceptr out, scale;
  size_t bytes;
  int twenty = 20, host[3];
  if (cuMemAlloc(&out, sizeof(host)) ||
      cuModuleGetGlobal(&scale, &bytes, module, "scale") ||
      cuMemcpyHtoD(scale, &twenty, sizeof(twenty)))
    return 1;
  for (const char *name : {"_Z3onePi", "_Z3twoPi", "_Z5threePi"}) {
    CUfunction function;
    void *arguments[] = {&out};
    if (cuModuleGetFunction(&function, module, name) ||
        cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                       nullptr))
      return 1;
  }
  if (cuMemcpyDtoH(host, out, sizeof(host)) ||
      (library ? cuLibraryUnload(library) : cuModuleUnload(module)))
    return 1;
  std::printf("%d %d %d\n", host[0], host[1], host[2]);
}
