// A loop that ptxas unrolls and that lanes leave one by one, and sums of blocks
// through shared memory.
#include <cstdio>
#include <cuda_runtime.h>

extern "C" __global__ void orbit(int *steps, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float cx = x * 3.0f / width - 2.0f, cy = 0.3f * cx + 0.2f, a = 0, b = 0;
  int i = 0;
  for (; i < 64; i += 2) {
    float p = a * a, q = b * b;
    if (p + q > 4.0f)
      break;
    b = 2 * a * b + cy;
    a = p - q + cx;
    p = a * a, q = b * b;
    b = 2 * a * b + cy;
    a = p - q + cx;
  }
  steps[x] = i;
}

extern "C" __global__ void sums(const int *steps, int *out, int rounds) {
  __shared__ int s[256];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < rounds; ++i)
    sum += steps[(blockIdx.x * rounds + i) * 256 + t];
  s[t] = sum;
  __syncthreads();
  for (int d = 128; d; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (!t)
    out[blockIdx.x] = s[0];
}

int main() {
  int *steps, *out, result[4];
  cudaMalloc(&steps, 4096 * sizeof(int));
  cudaMalloc(&out, sizeof(result));
  orbit<<<32, 128>>>(steps, 4096);
  sums<<<4, 256>>>(steps, out, 4);
  if (cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost))
    return 1;
  std::printf("%d\n", result[0] + result[1] + result[2] + result[3]);
}
