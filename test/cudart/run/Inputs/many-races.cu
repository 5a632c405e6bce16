// Two writes of the same value and twelve of different ones, all by 32 threads.
__global__ void many(int *p) {
  p[0] = 1;
  p[1] = 1;
#pragma unroll
  for (int i = 2; i < 14; ++i)
    p[i] = threadIdx.x;
}

int main() {
  int *p;
  cudaMalloc(&p, 14 * sizeof(int));
  many<<<1, 32>>>(p);
  return cudaDeviceSynchronize();
}
