// One file of several-files.cu: its variable and kernel are its own.
#include "check.h"

static __device__ int increment = 2;
static __global__ void add(int *data) { *data += increment; }

int second(int value) {
  int *data, step;
  CHECK(cudaMemcpyFromSymbol(&step, increment, sizeof(step)));
  EXPECT(step == 2);
  CHECK(cudaMalloc(&data, sizeof(int)));
  CHECK(cudaMemcpy(data, &value, sizeof(int), cudaMemcpyHostToDevice));
  add<<<1, 1>>>(data);
  CHECK(cudaMemcpy(&value, data, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(data));
  return value;
}
