__global__ void scale(int N, float A, float *X) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    X[I] *= A;
}

int main() {
  float *X;
  if (cudaMalloc(&X, 128) != cudaSuccess)
    return 1;
  scale<<<1, 32>>>(32, 2.0f, X);
  return cudaDeviceSynchronize() != cudaSuccess;
}
