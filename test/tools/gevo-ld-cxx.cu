// What C++ calls by itself is there when relocatable device code is linked: new,
// delete and the place of pure virtual functions.
// REQUIRES: plugin, cuda-link
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: gevo-clang++ -O0 -fgpu-rdc %s -o app && gevo-run -- ./app 2>&1 | FileCheck %s
// RUN: gevo-clang++ -O2 -fgpu-rdc %s -o app && gevo-run --check -- ./app 2>&1 | FileCheck %s
// CHECK: areas 168672
// CHECK-NOT: error
#include <cstdio>
#include <cuda_runtime.h>

struct Shape {
  float Size;
  __device__ Shape(float Size) : Size(Size) {}
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  using Shape::Shape;
  __device__ float area() const override { return Size * Size; }
};
struct Disc : Shape {
  using Shape::Shape;
  __device__ float area() const override { return 3 * Size * Size; }
};

__global__ void areas(float *Sum) {
  Shape *S;
  if (threadIdx.x & 1)
    S = new Square(float(threadIdx.x));
  else
    S = new Disc(float(threadIdx.x));
  float *Copies = new float[2];
  Copies[threadIdx.x & 1] = S->area();
  atomicAdd(Sum, Copies[threadIdx.x & 1]);
  delete[] Copies;
  delete S;
}

int main() {
  float *Sum, Result;
  cudaMalloc(&Sum, sizeof(float));
  cudaMemset(Sum, 0, sizeof(float));
  areas<<<1, 64>>>(Sum);
  cudaMemcpy(&Result, Sum, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("areas %.0f\n", double(Result));
  return cudaDeviceSynchronize() != cudaSuccess;
}
