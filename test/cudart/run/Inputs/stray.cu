// A difference that reads the element before its array, as programs do whose
// author never noticed; with an argument it also goes wrong in other ways.
#include <cstdio>
#include <cstring>

__global__ void differences(const float *in, float *out) {
  int i = threadIdx.x;
  out[i] = in[i] - in[i - 1];
}
__global__ void strayWrite(float *out) { out[threadIdx.x + 1] = 1; }
__global__ void farRead(const float *in, float *out) { *out = in[1 << 28]; }

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
    strayWrite<<<1, 64>>>(out);
  if (argc > 1 && !std::strcmp(argv[1], "far"))
    farRead<<<1, 1>>>(in, out);
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
