// Three kernels, two of which use a variable. BASE changes what they compute,
// ONLY_ONE and ONLY_TWO leave kernels out.
#include <cstdio>

#ifndef BASE
#define BASE 1
#endif

__global__ void one(int *out) { out[0] = 10 + BASE; }
#ifndef ONLY_ONE
__device__ int scale = 20;
__global__ void two(int *out) { out[1] = scale + (BASE == 1 ? 2 : BASE); }
#ifndef ONLY_TWO
__global__ void three(int *out) { out[2] = scale + 10 + (BASE == 1 ? 3 : BASE); }

int main() {
  int *data, host[3];
  int twenty = 20;
  if (cudaMalloc(&data, sizeof(host)) ||
      cudaMemcpyToSymbol(scale, &twenty, sizeof(twenty)))
    return 1;
  one<<<1, 1>>>(data);
  two<<<1, 1>>>(data);
  three<<<1, 1>>>(data);
  if (cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost))
    return 1;
  std::printf("%d %d %d\n", host[0], host[1], host[2]);
}
#endif
#endif
