// A launch with megabytes of memory, of which nothing much is printed.
#include <cstdio>
#include <vector>

__global__ void twice(const unsigned *In, unsigned *Out, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Out[I] = In[I] * 2 + In[(I + 1) % Count];
}

int main() {
  constexpr int Count = 1 << 20, Threads = 256;
  std::vector<unsigned> Data(Count);
  unsigned Last = 1, Sum = 0;
  for (unsigned &Number : Data)
    Number = Last = Last * 1664525u + 1013904223u;
  unsigned *In, *Out;
  size_t Bytes = Count * sizeof(unsigned);
  cudaMalloc(&In, Bytes);
  cudaMalloc(&Out, Bytes);
  cudaMemcpy(In, Data.data(), Bytes, cudaMemcpyHostToDevice);
  twice<<<Count / Threads, Threads>>>(In, Out, Count);
  cudaMemcpy(Data.data(), Out, Bytes, cudaMemcpyDeviceToHost);
  for (unsigned Number : Data)
    Sum = Sum * 31 + Number;
  std::printf("%u\n", Sum);
}
