// A program whose command says nothing of its input: the variable SCALE is a
// parameter of the kernel.
#include <cstdio>
#include <cstdlib>

__global__ void scaled(const float *In, float *Out, float Scale, int N) {
  __shared__ float Own[64];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  for (int Round = 0; Round < 4; ++Round) {
    Own[threadIdx.x] = In[I] * Scale;
    __syncthreads();
    Out[I] = Own[threadIdx.x] + (Scale > 2 ? In[(I + 1) % N] : 0);
    __syncthreads();
  }
}

int main() {
  constexpr int N = 256;
  float Host[N], *In, *Out;
  for (int I = 0; I < N; ++I)
    Host[I] = I * 0.5f;
  cudaMalloc(&In, sizeof(Host));
  cudaMalloc(&Out, sizeof(Host));
  cudaMemcpy(In, Host, sizeof(Host), cudaMemcpyHostToDevice);
  const char *Scale = getenv("SCALE");
  scaled<<<N / 64, 64>>>(In, Out, Scale ? atof(Scale) : 1, N);
  cudaMemcpy(Host, Out, sizeof(Host), cudaMemcpyDeviceToHost);
  double Sum = 0;
  for (float X : Host)
    Sum += X;
  printf("sum %f\n", Sum);
}
