// clang's configuration file is all that a compilation needs: plugin, CUDA
// tree and runtime. C and C++ sources without CUDA compile with it as before.

// REQUIRES: plugin, cuda-link
// RUN: clang++ --config=%gevo_build/gevo.cfg --cuda-gpu-arch=sm_70 %s -o %t
// RUN: llvm-readelf -d -S %t | FileCheck %s
// CHECK: .nv_fatbin
// CHECK: NEEDED{{.*}}libcudart.so.12
// RUN: echo 'int main() { return 0; }' > %t.c
// RUN: clang --config=%gevo_build/gevo.cfg -Werror -c %t.c -o %t.o

__global__ void one(float *X) { *X = 1.0f; }

int main() {
  one<<<1, 1>>>(nullptr);
  return 0;
}
