// Divides by a norm the largest of some numbers, which more rounds than needed
// find, too. The first kernel leaves in the output what the second will write.
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int Count = 64;

__device__ void largest(const float *In, float *Out, int Rounds, float Norm) {
  float Best = In[threadIdx.x];
  for (int Round = 0; Round < Rounds; ++Round)
    Best = fmaxf(Best, In[(threadIdx.x + Round) % Count]);
  if (Best >= 0)
    Out[threadIdx.x] = (Best - In[0]) / Norm;
}
__global__ void first(const float *In, float *Out, int Rounds, float Norm) {
  largest(In, Out, Rounds, Norm);
}
__global__ void settle(const float *In, float *Out, int Rounds, float Norm) {
  largest(In, Out, Rounds, Norm);
}

int main(int Arguments, char **Values) {
  float Data[Count], *In, *Out;
  for (int I = 0; I < Count; ++I)
    Data[I] = float(I * 29 % 61);
  cudaMalloc(&In, sizeof(Data));
  cudaMalloc(&Out, sizeof(Data));
  cudaMemcpy(In, Data, sizeof(Data), cudaMemcpyHostToDevice);
  first<<<1, Count>>>(In, Out, Count, 3);
  settle<<<1, Count>>>(In, Out, Count, 3);
  cudaMemcpy(Data, Out, sizeof(Data), cudaMemcpyDeviceToHost);
  for (float Value : Data)
    std::printf("%g\n", Value);
  return 0;
}
