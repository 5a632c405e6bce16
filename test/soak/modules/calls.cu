// Recursion, function pointers and virtual functions.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O2 --cuda-gpu-arch=sm_70
// FLAGS: -O0 --cuda-gpu-arch=sm_60

using Op = int (*)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int atMost(int a, int b) { return a < b ? a : b; }
__device__ Op ops[] = {add, subtract, atMost};

struct Shape {
  __device__ virtual float area() const { return 0; }
};
struct Square : Shape {
  float side;
  __device__ Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
};
struct Disc : Shape {
  float radius;
  __device__ Disc(float radius) : radius(radius) {}
  __device__ float area() const override { return 3.14159f * radius * radius; }
};

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ float areaOf(const Shape &s, int times) {
  return times <= 0 ? 0.0f : s.area() + areaOf(s, times - 1);
}

__global__ void run(int *out, float *areas, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = ops[i % 3](out[i], i) + ackermann(1, i & 7);
  Square square(i);
  Disc disc(i);
  const Shape *shape = &disc;
  if (i & 1)
    shape = &square;
  areas[i] = areaOf(*shape, 2);
}
