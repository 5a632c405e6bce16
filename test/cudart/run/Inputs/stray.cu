// A difference that reads the element before its array, as programs do whose
// author never noticed; with an argument it also goes wrong in other ways.
#include <cstdio>
#include <cstring>

__global__ void differences(const float *in, float *out) {
  int i = threadIdx.x;
  out[i] = in[i] - in[i - 1];
}
__global__ void strayWrite(float *out, int *count) {
  out[threadIdx.x + 1] = 1;
  if (atomicAdd(count + (threadIdx.x & 1), 1) < 0)
    out[0] = 2;
}
__global__ void farRead(const float *in, float *out) { *out = in[1 << 28]; }

// What lies in its arrays is right all the same.
static void strays(float *out) {
  int count = 0, *counter;
  float host[64];
  cudaMalloc(&counter, sizeof(count));
  cudaMemset(out, 0, sizeof(host));
  strayWrite<<<1, 64>>>(out, counter);
  cudaMemcpy(&count, counter, sizeof(count), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i)
    if (host[i] != (i > 0))
      std::puts("wrong");
  if (count != 32)
    std::puts("wrong");
}

int main(int argc, char **argv) {
  float host[64], *in, *out;
  for (int i = 0; i < 64; ++i)
    host[i] = i * i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  differences<<<1, 64>>>(in, out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 1; i < 64; ++i)
    if (host[i] != 2 * i - 1)
      return 1;
  std::puts("ok");
  if (argc > 1 && !std::strcmp(argv[1], "write"))
    strays(out);
  if (argc > 1 && !std::strcmp(argv[1], "far"))
    farRead<<<1, 1>>>(in, out);
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
