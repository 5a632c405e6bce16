// Device code may delete objects with virtual destructors without <new>, and
// call nan and nanf, as with nvcc.
// REQUIRES: plugin, cuda-link
// RUN: gevo-clang++ -O1 -Wall -Werror %s -o %t 2>&1 | count 0
// RUN: gevo-run --check -- %t | FileCheck %s
// CHECK: nan nan 3

#include <cstdio>

struct Shape {
  __device__ virtual double area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  double Side;
  __device__ explicit Square(double Side) : Side(Side) {}
  __device__ double area() const override { return Side * Side; }
};

__global__ void measure(double *Out, float *Single) {
  Shape *S = new Square(nan(""));
  Out[0] = S->area();
  delete S;
  Square *Many = static_cast<Square *>(::operator new[](2 * sizeof(Square)));
  Out[1] = Many ? 3 : 4;
  ::operator delete[](Many);
  Single[0] = nanf("");
}

int main() {
  double *Device, Host[2];
  float *DeviceSingle, Single;
  cudaMalloc(&Device, sizeof(Host));
  cudaMalloc(&DeviceSingle, sizeof(Single));
  measure<<<1, 1>>>(Device, DeviceSingle);
  cudaMemcpy(Host, Device, sizeof(Host), cudaMemcpyDeviceToHost);
  cudaMemcpy(&Single, DeviceSingle, sizeof(Single), cudaMemcpyDeviceToHost);
  std::printf("%s %s %g\n", Host[0] != Host[0] ? "nan" : "number",
              Single != Single ? "nan" : "number", Host[1]);
}
