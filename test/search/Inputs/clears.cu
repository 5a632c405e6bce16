// Adds neighbours through shared memory. Clearing it first is of use only where
// the count is no multiple of the block; the last barrier is of none.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int Threads = 64, Rounds = 40;

__global__ void neighbours(const unsigned *In, unsigned *Out, int Count) {
  __shared__ unsigned Tile[Threads];
  int I = blockIdx.x * Threads + threadIdx.x;
  int Next = (threadIdx.x + 1) % Threads;
  unsigned Value = I < Count ? In[I] : 0;
  for (int Round = 0; Round < Rounds; ++Round) {
    Tile[threadIdx.x] = 0;
    __syncthreads();
    if (I < Count)
      Tile[threadIdx.x] = Value;
    __syncthreads();
    Value += 2 * Tile[Next];
    __syncthreads();
    __syncthreads();
  }
  if (I < Count)
    Out[I] = Value;
}

int main(int Arguments, char **Values) {
  int Count = Arguments > 1 ? std::atoi(Values[1]) : 128;
  int Blocks = (Count + Threads - 1) / Threads, All = Blocks * Threads;
  std::vector<unsigned> Data(All);
  for (int I = 0; I < All; ++I)
    Data[I] = I * 7 % 31 + 1;
  unsigned *In, *Out;
  cudaMalloc(&In, All * sizeof(int));
  cudaMalloc(&Out, All * sizeof(int));
  cudaMemcpy(In, Data.data(), All * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(Out, 0, All * sizeof(int));
  neighbours<<<Blocks, Threads>>>(In, Out, Count);
  if (cudaMemcpy(Data.data(), Out, All * sizeof(int), cudaMemcpyDeviceToHost))
    return 1;
  for (int I = 0; I < Count; ++I)
    std::printf("%u\n", Data[I]);
  return 0;
}
