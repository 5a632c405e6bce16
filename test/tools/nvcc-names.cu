// Host code may call min and max of numbers, time and clock, as with nvcc, and they
// do not get in the way of a program's own, of std's or of a macro's.
// REQUIRES: plugin, cuda-link
// RUN: rm -rf %t && mkdir %t
// RUN: gevo-clang++ -Wall -Werror %s -o %t/app 2>&1 | count 0
// RUN: gevo-run --time=off -- %t/app 2>/dev/null | FileCheck %s
// CHECK: 2 1 2.5 2 9 5 4 1
// RUN: gevo-clang++ -Wall -Werror -DOWN -fsyntax-only %s 2>&1 | count 0
// RUN: gevo-clang++ -Wall -Werror -DMACRO -fsyntax-only %s 2>&1 | count 0
// RUN: not gevo-clang++ -DNO_NUMBER -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: no matching function for call to 'max'

#include <algorithm>
#include <cstdio>

#ifdef OWN
static int max(int X, int Y) { return X > Y ? X : Y; }
template <class T> T min(T X, T Y) { return Y < X ? Y : X; }
#endif
#ifdef MACRO
#define min(X, Y) ((Y) < (X) ? (Y) : (X))
#define max(X, Y) ((X) < (Y) ? (Y) : (X))
#endif
#ifdef NO_NUMBER
struct Pair {
  int X, Y;
};
Pair larger(Pair A, Pair B) { return max(A, B); }
#endif

__host__ __device__ int both(int X, int Y) { return max(X, min(Y, 9)); }
__global__ void largest(int *Value) { *Value = both(max(*Value, 3), 4); }

#ifndef MACRO
static int ofStd(int X, int Y) {
  using namespace std;
  return max(X, Y);
}
#else
static int ofStd(int X, int Y) { return max(X, Y); }
#endif

int main() {
  int *Device, Host = 1;
  cudaMalloc(&Device, sizeof(int));
  cudaMemcpy(Device, &Host, sizeof(int), cudaMemcpyHostToDevice);
  largest<<<1, 1>>>(Device);
  cudaMemcpy(&Host, Device, sizeof(int), cudaMemcpyDeviceToHost);
#ifdef OWN
  double Mixed = 2.5, Other = 2;
#else
  double Mixed = max(1.5, 2.5f), Other = min(3, 2.0);
#endif
  std::printf("%d %d %g %g %d %d %d %d\n", max(1, 2), min(1, 2), Mixed, Other,
              both(3, 20), ofStd(4, 5), Host, time(nullptr) > 0 && clock() >= 0);
}
