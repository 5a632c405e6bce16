// Counts down in steps of eight, with something to do in each that leaves nothing
// behind: how large the steps are decides how long the program runs.
#include <cstdio>
#include <cstdlib>

__global__ void countDown(unsigned *Out, int Left) {
  __shared__ unsigned Tile[256];
  for (; Left > 0; Left -= 8) {
    Tile[threadIdx.x] = Left;
    __syncthreads();
  }
  Tile[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  Out[threadIdx.x] = Tile[255 - threadIdx.x];
}

int main(int Arguments, char **Values) {
  unsigned *Out, Numbers[256];
  cudaMalloc(&Out, sizeof(Numbers));
  countDown<<<1, 256>>>(Out, Arguments > 1 ? std::atoi(Values[1]) : 1 << 19);
  if (cudaMemcpy(Numbers, Out, sizeof(Numbers), cudaMemcpyDeviceToHost))
    return 1;
  for (unsigned Number : Numbers)
    std::printf("%u\n", Number);
  return 0;
}
