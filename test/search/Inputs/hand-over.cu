// Each block waits for the total of the one before it, behind a flag.
#include <cstdio>

__device__ volatile int Ready[8];
__device__ int Total[8];

__global__ void handOver(int *Out) {
  if (threadIdx.x != 0)
    return;
  int Before = 0;
  if (blockIdx.x) {
    while (!Ready[blockIdx.x - 1])
      ;
    __threadfence();
    Before = Total[blockIdx.x - 1];
  }
  Total[blockIdx.x] = Before + 3;
  __threadfence();
  Ready[blockIdx.x] = 1;
  Out[blockIdx.x] = Before;
}

int main() {
  int *Device, Host[8];
  cudaMalloc(&Device, sizeof(Host));
  handOver<<<8, 32>>>(Device);
  cudaMemcpy(Host, Device, sizeof(Host), cudaMemcpyDeviceToHost);
  for (int V : Host)
    std::printf("%d\n", V);
  return cudaGetLastError() != cudaSuccess;
}
